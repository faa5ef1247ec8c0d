package secret

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestHide(t *testing.T) {
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
		if got := string(Hide([]byte(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func BenchmarkHide(b *testing.B) {
	text := []byte(strings.Repeat(`{"id":"I-1042","title":"Database replica lag above 30 s","state":"open","team_id":77,"url":"https://x.io/i/1042"},`, 36))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Hide(text)
	}
}

// FuzzHide holds that whatever a password is, none of it stays.
func FuzzHide(f *testing.F) {
	for _, seed := range []string{"x", `a"b\c`, "{[", "-----BEGIN PRIVATE KEY", "://a:b@c", `\"\'=:`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, password string) {
		quoted, err := json.Marshal(password)
		if err != nil || password == "" {
			return
		}
		if got := string(Hide([]byte(`{"n":1,"password":` + string(quoted) + `,"user":"ann"}`))); got != `{"n":1,"password":"***","user":"ann"}` {
			t.Fatalf("%q was hidden as %s", password, got)
		}
	})
}

// FuzzSuspect holds that nothing is taken for harmless in which Hide would find something.
func FuzzSuspect(f *testing.F) {
	for _, seed := range []string{
		`{"a":{"api_key": "x"}}`, "Authorization:  Bearer abcdefghijkl", `{\"password\" : \"x\"}`, "a ghp_0123456789abcdefghij b", "x=1&client_secret=abc", "BASIC dXNlcjpwYXNzd29yZA==",
		"-----BEGIN PRIVATE KEY-----", "postgres://u:p@h/d", "eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl", "token='a'", "aaaaaaaaaaaaaaaaaaasecret=1", "sk-0123456789012345678901234567890",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := string(hide([]byte(text))); got != text && !suspect([]byte(text)) {
			t.Fatalf("%q is taken for harmless, and is hidden as %q", text, got)
		}
	})
}
