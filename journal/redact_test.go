package journal

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/secret"
)

// TestCanaries puts live secrets everywhere in records, in every spelling, also across the places
// where values are cut, and looks for them in what is kept.
func TestCanaries(t *testing.T) {
	const canary = "c4nary/Value+with%odd&signs"
	var live secret.Redactor
	live.Add(secret.New(canary))
	x := Redaction{Live: func(text []byte) []byte { return []byte(live.Redact(string(text))) }, MaxArguments: 200, MaxAnswer: 300}
	spellings := []string{canary, url.QueryEscape(canary), url.PathEscape(canary),
		base64.StdEncoding.EncodeToString([]byte(canary)), base64.RawStdEncoding.EncodeToString([]byte(canary))}
	for _, spelling := range spellings {
		for pad := 0; pad < 2*margin+1000; pad = pad + 1 + pad/7 {
			text, _ := json.Marshal(strings.Repeat("x", pad) + spelling + strings.Repeat(spelling+" ", 400))
			r := Record{Kind: KindCall, At: time.Now(), Arguments: text, Answer: text, Operation: spelling, Client: "client " + spelling,
				Account: spelling, Session: spelling, Fault: &Fault{Message: "at " + spelling, Cause: spelling, Try: []string{spelling}, Fields: []string{spelling}}}
			r.trim(300+margin, 200+margin)
			line := x.line(nil, &r)
			kept := string(line) + rowText(rowOf(&r, ""))
			for _, look := range spellings {
				if i := strings.Index(kept, look[:8]); i >= 0 {
					t.Fatalf("pad %d: %.8s… is in %.200s", pad, look, kept[max(0, i-50):])
				}
			}
			if rawjson.Check(line) != nil || len(line) > 4000 {
				t.Fatalf("pad %d: a line of %d bytes: %.300s", pad, len(line), line)
			}
		}
	}
}

func rowText(r row) string {
	return strings.Join([]string{r.callID, r.door, r.client, r.principal, r.session, r.operation, r.code}, " ")
}

func TestModesOfArguments(t *testing.T) {
	for mode, want := range map[Arguments]string{
		"":                `{"a":1}`,
		ArgumentsRedacted: `{"a":1}`,
		ArgumentsNone:     ``,
	} {
		x := Redaction{Arguments: mode}
		r := Record{Kind: KindCall, Arguments: json.RawMessage(`{"a":1}`)}
		x.line(nil, &r)
		if string(r.Arguments) != want {
			t.Errorf("%s: kept %s, want %s", mode, r.Arguments, want)
		}
	}
	digest := func(arguments string) string {
		x := Redaction{Arguments: ArgumentsDigest, Key: []byte("key")}
		r := Record{Kind: KindCall, Arguments: json.RawMessage(arguments), Answer: json.RawMessage(`1`)}
		return string(x.line(nil, &r))
	}
	one, same, other := digest(`{"a":1,"b":2}`), digest(`{"b":2,"a":1.0}`), digest(`{"a":2}`)
	if one != same || one == other || strings.Contains(one, `"answer"`) {
		t.Errorf("digests: %s\n%s\n%s", one, same, other)
	}
}

func BenchmarkLine(b *testing.B) {
	x := Redaction{}
	var buffer []byte
	arguments := json.RawMessage(`{"channel_ids":[77,78],"limit":20,"state":"open","query":"replica lag"}`)
	at := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		r := Record{Kind: KindCall, CallID: "0123456789abcdefghijklmn", At: at, Door: "mcp", Client: "cursor", Operation: "harbor.incident.list", Arguments: arguments, Outcome: "ok", Code: "ok", Duration: 12.5}
		buffer = x.line(buffer[:0], &r)
	}
	if allocs := testing.AllocsPerRun(100, func() {
		r := Record{Kind: KindCall, CallID: "0123456789abcdefghijklmn", At: at, Operation: "harbor.incident.list", Arguments: arguments, Duration: 12.5}
		buffer = x.line(buffer[:0], &r)
	}); allocs > 2 {
		b.Errorf("%v allocations for a line, want at most 2", allocs)
	}
}

// TestEveryRecordIsOneLine holds that whatever a caller writes, its record is one line of JSON. The
// masking itself is fuzzed in internal/secret: instrumenting a database for it takes too long.
func TestEveryRecordIsOneLine(t *testing.T) {
	for _, in := range []string{`{"password":"x"}`, `{"a":"{\"token\":[1]}"}`, `"://a:b@c"`, `"-----BEGIN PRIVATE KEY"`, `{"secret":[`, `\"\'=:`, "\n\x00\xff", ""} {
		x := Redaction{}
		line := x.line(nil, &Record{Kind: KindCall, At: time.Unix(0, 0), Arguments: []byte(in), Operation: in})
		if err := rawjson.Check(line); err != nil {
			t.Errorf("%q makes a line that is no JSON: %v\n%s", in, err, line)
		}
		if bytes.ContainsAny(line, "\n\x00") {
			t.Errorf("%q makes more than a line", in)
		}
	}
}
