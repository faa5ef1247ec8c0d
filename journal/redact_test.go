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

func TestMask(t *testing.T) {
	for in, want := range map[string]string{
		`{"password":"hunter2","user":"ann"}`:                                     `{"password":"***","user":"ann"}`,
		`{"db_password" : "a\"b,c","n":1}`:                                        `{"db_password" : "***","n":1}`,
		`{"apiKey":12345,"limit":5}`:                                              `{"apiKey":"***","limit":5}`,
		`{"X-API-Key":"k","secrets":["a","b"]}`:                                   `{"X-API-Key":"***","secrets":["***"]}`,
		`{"token":null,"secret":true,"password":""}`:                              `{"token":null,"secret":true,"password":""}`,
		`{"next_page_token":"abc","max_tokens":5}`:                                `{"next_page_token":"abc","max_tokens":5}`,
		`{"text":"{\"client_secret\":\"x y\",\"a\":1}"}`:                          `{"text":"{\"client_secret\":\"***\",\"a\":1}"}`,
		`{"text":"{\"otp\":123456,\"a\":1}"}`:                                     `{"text":"{\"otp\":\"***\",\"a\":1}"}`,
		`{"credentials":{"user":"ann","password":"p"}}`:                           `{"credentials":{"user":"ann","password":"***"}}`,
		`"curl -H 'Authorization: Bearer abcdefghijkl' x"`:                        `"curl -H 'Authorization: ***' x"`,
		`"sent Bearer abcdefghijkl+/= on"`:                                        `"sent Bearer *** on"`,
		`"https://x.io/?access_token=abc&b=1"`:                                    `"https://x.io/?access_token=***&b=1"`,
		`"postgres://ann:hunter2@db:5432/x"`:                                      `"postgres://ann:***@db:5432/x"`,
		`"http://db:5432/x"`:                                                      `"http://db:5432/x"`,
		`"ghp_0123456789abcdefghij0123456789"`:                                    `"***"`,
		`"a AKIAIOSFODNN7EXAMPLE b"`:                                              `"a *** b"`,
		`"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"`:                     `"***"`,
		`"sk-short and risk-averse-people-who-task"`:                              `"sk-short and risk-averse-people-who-task"`,
		`"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"`: `"***\n"`,
		`{"compass":"north","monkey":"see","tokens":9}`:                           `{"compass":"north","monkey":"see","tokens":9}`,
	} {
		if got := string(mask([]byte(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, seed := range []string{`{"password":"x"}`, `{"a":"{\"token\":[1]}"}`, `"://a:b@c"`, `"-----BEGIN PRIVATE KEY"`, `{"secret":[`, `\"\'=:`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		x := Redaction{}
		line := x.line(nil, &Record{Kind: KindCall, At: time.Unix(0, 0), Arguments: in, Operation: string(in)})
		if err := rawjson.Check(line); err != nil {
			t.Fatalf("%q makes a line that is no JSON: %v\n%s", in, err, line)
		}
		if bytes.ContainsAny(line, "\n\x00") {
			t.Fatalf("%q makes more than a line", in)
		}
	})
}

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

func BenchmarkMask(b *testing.B) {
	text := []byte(strings.Repeat(`{"id":"I-1042","title":"Database replica lag above 30 s","state":"open","team_id":77,"url":"https://x.io/i/1042"},`, 36))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		mask(text)
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
