package gateway

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/harbor/mcpupstream"
)

// page is a call of a principal that the upstream asks something in, by a client that is asked in results.
func page(subject string) twodoor.Call {
	return twodoor.Call{
		Operation: "harbor.page_oncall", Arguments: json.RawMessage(`{"incident":"INC-1"}`), Door: twodoor.DoorMCP,
		Principal: twodoor.Principal{Subject: subject}, Declared: json.RawMessage(`{"elicitation":{}}`),
	}
}

func urgency(value string) json.RawMessage {
	return json.RawMessage(`{"action":"accept","content":{"urgency":"` + value + `"}}`)
}

// Parked calls of two principals never cross: neither takes up the other's, and what an upstream that
// both share asks is put to nobody while nothing says whom it means.
func TestParkedCallsNeverCross(t *testing.T) {
	for _, era := range []mcpupstream.Era{mcpupstream.OnlyModern, mcpupstream.OnlyLegacy} {
		t.Run(string(era), func(t *testing.T) {
			e := newChain(t, era).Engine
			ann, err := e.Do(t.Context(), page("ann"))
			if err != nil || ann.Asked == nil {
				t.Fatalf("%+v %v", ann, err)
			}
			bob, err := e.Do(t.Context(), page("bob"))
			if shared := era == mcpupstream.OnlyLegacy; shared && (err == nil || bob != nil) {
				t.Errorf("over the shared connection bob is asked while ann is: %+v", bob)
			} else if !shared && (err != nil || bob.Asked == nil) {
				t.Errorf("%+v %v", bob, err)
			}
			key := ann.Asked.Questions[0].Key
			stolen := page("bob")
			stolen.State, stolen.Answers = ann.Asked.State, twodoor.Answers{key: urgency("low")}
			if _, err := e.Do(t.Context(), stolen); twodoor.AsError(err).Code != twodoor.CodeInvalid {
				t.Errorf("bob takes up ann's: %v", err)
			}
			own := page("ann")
			own.State, own.Answers = ann.Asked.State, twodoor.Answers{key: urgency("high")}
			result, err := e.Do(t.Context(), own)
			if err != nil || !strings.Contains(string(result.Raw), "high") || strings.Contains(string(result.Raw), "low") {
				t.Fatalf("%+v %v", result, err)
			}
			if _, err := e.Do(t.Context(), own); twodoor.AsError(err).Code != twodoor.CodeInvalid {
				t.Errorf("the same state again: %v", err)
			}
		})
	}
}

// Many calls that ask, of one principal at once over one connection, all end.
func TestManyQuestionsAtOnce(t *testing.T) {
	pairs(t, func(t *testing.T, version string, era mcpupstream.Era) {
		session := newChain(t, era).connect(t, version, answers())
		var work sync.WaitGroup
		for range 16 {
			work.Go(func() {
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "harbor_hand_over"})
				if err != nil || !strings.Contains(textOf(t, result), `the queue is long`) {
					t.Errorf("%+v %v", result, err)
				}
			})
		}
		work.Wait()
	})
}
