package twodoortest

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

// Door is a door as its client sees it.
type Door interface {
	// Call makes one call and tells what came back. Leaving the context is the client leaving.
	Call(ctx context.Context, t *testing.T, name string, args json.RawMessage) Seen
}

// Seen is what a client saw of a call.
type Seen struct {
	Value  json.RawMessage // the value, whatever the door wraps it in; nil: none
	Code   string          // name of the code; empty: it worked
	Text   string          // all words that came with a fault
	Blobs  [][]byte
	NoWord bool // nothing came back, as it should for a caller who left
}

// Doors holds a door to what every door promises: a value comes through unchanged, every code is
// told as what it is with its next step, straight and through a call of a call, and a caller who
// leaves ends the work. The door serves an engine made by [Engine]. Codes in except have no form at
// this door; each needs its reason.
func Doors(t *testing.T, door Door, except map[twodoor.Code]string) {
	values := map[string]string{
		"object":   `{"message":"hello","count":3}`,
		"precise":  Precise,
		"nothing":  `{}`,
		"trickery": `{"message":"-- <script>\u0000\"'$(id)"}`,
	}
	for name, args := range values {
		t.Run("value/"+name, func(t *testing.T) { echoes(t, door, Echo, args, args) })
		t.Run("relayed/"+name, func(t *testing.T) {
			echoes(t, door, Relay, `{"call":"`+Echo+`","arguments":`+args+`}`, args)
		})
	}
	t.Run("left out", func(t *testing.T) {
		echoes(t, door, Echo, `{"none":null,"blank":"","zero":0,"no":false,"list":[null,""],"in":{"none":null,"kept":1}}`,
			`{"zero":0,"no":false,"list":[null,""],"in":{"kept":1}}`)
	})
	for _, code := range twodoor.Codes() {
		if why, left := except[code]; left {
			t.Logf("code %s is left out at this door: %s", code, why)
			continue
		}
		t.Run("code/"+code.String(), func(t *testing.T) { fails(t, door, FaultOf(code), `{}`, code) })
		t.Run("relayed code/"+code.String(), func(t *testing.T) {
			fails(t, door, Relay, `{"call":"`+FaultOf(code)+`"}`, code)
		})
	}
	t.Run("empty", func(t *testing.T) {
		if seen := call(t, door, Empty, `{}`); seen.Code != "" || len(seen.Value) > 0 {
			t.Errorf("an empty answer came as %+v", seen)
		}
	})
	t.Run("text", func(t *testing.T) { echoes(t, door, Text, `{}`, `"two\nlines"`) })
	t.Run("blob", func(t *testing.T) {
		if seen := call(t, door, Blob, `{}`); len(seen.Blobs) != 1 || !bytes.Equal(seen.Blobs[0], PNG) {
			t.Errorf("the picture came as %+v", seen)
		}
	})
	t.Run("unknown", func(t *testing.T) { fails(t, door, "suite.answer.eco", `{}`, twodoor.CodeUnknown) })
	t.Run("invalid", func(t *testing.T) { fails(t, door, Echo, `{"count":"many"}`, twodoor.CodeInvalid) })
	t.Run("panic", func(t *testing.T) { fails(t, door, Panic, `{}`, twodoor.CodeInternal) })
	t.Run("leaving", func(t *testing.T) { leaves(t, door) })
}

func call(t *testing.T, door Door, name, args string) Seen {
	t.Helper()
	return door.Call(t.Context(), t, name, json.RawMessage(args))
}

func echoes(t *testing.T, door Door, name, args, want string) {
	t.Helper()
	seen := call(t, door, name, args)
	if seen.Code != "" {
		t.Fatalf("%s failed: %s %s", name, seen.Code, seen.Text)
	}
	if got, want := same(seen.Value), same(json.RawMessage(want)); got != want {
		t.Errorf("the value changed on its way:\n got %s\nwant %s", got, want)
	}
}

// same is a value without its white space and with its texts spelled alike; digits and order stay.
func same(raw json.RawMessage) string {
	var out strings.Builder
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err != nil {
			return out.String()
		}
		text, err := json.Marshal(token)
		if delim, ok := token.(json.Delim); ok {
			text, err = []byte(delim.String()), nil
		}
		if err != nil {
			return "not JSON: " + err.Error()
		}
		out.Write(text)
		out.WriteByte(' ')
	}
}

func fails(t *testing.T, door Door, name, args string, code twodoor.Code) {
	t.Helper()
	seen := call(t, door, name, args)
	if seen.Code == "" && seen.NoWord && code == twodoor.CodeCanceled {
		return
	}
	if seen.Code != code.String() {
		t.Fatalf("%s came as %q (%s), want %q", name, seen.Code, seen.Text, code)
	}
	if name == FaultOf(code) && !strings.Contains(seen.Text, "do something else") {
		t.Errorf("the hint is lost: %s", seen.Text)
	}
	if code == twodoor.CodeUnknown && name == "suite.answer.eco" && !strings.Contains(seen.Text, "echo") {
		t.Errorf("the nearest name is not told: %s", seen.Text)
	}
	if code == twodoor.CodeInvalid && name == Echo && !strings.Contains(seen.Text, "count") {
		t.Errorf("the misfit is not named: %s", seen.Text)
	}
	if code == twodoor.CodeInternal && strings.Contains(seen.Text, "on purpose") {
		t.Errorf("a panic's words reached the caller: %s", seen.Text)
	}
}

// leaves lets the client leave in mid-call: the call must end, with canceled or without a word.
func leaves(t *testing.T, door Door) {
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan Seen, 1)
	go func() { done <- door.Call(ctx, t, Stall, json.RawMessage(`{}`)) }()
	leave()
	if seen := <-done; !seen.NoWord && seen.Code != twodoor.CodeCanceled.String() {
		t.Errorf("a caller who left got %+v", seen)
	}
}
