package secret

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// TestSpellings holds that a secret is found in every form, also in the middle of more.
func TestSpellings(t *testing.T) {
	for _, plain := range []string{"canary-7Q2x9", `p@ss "w\rd" é+/=`, "sixsix"} {
		var r Redactor
		r.Add(New(plain))
		r.Add(New("another one that is longer than the window"))
		quoted, _ := json.Marshal(plain)
		forms := map[string]string{
			"plain": plain, "query": url.QueryEscape(plain), "path": url.PathEscape(plain), "json": string(quoted[1 : len(quoted)-1]),
			"base64": base64.StdEncoding.EncodeToString([]byte(plain)), "base64url": base64.RawURLEncoding.EncodeToString([]byte(plain)),
		}
		for name, form := range forms {
			text := "a " + form + ", b " + form + "!"
			if got := r.Redact(text); got != "a ***, b ***!" {
				t.Errorf("%s of %q: %q", name, plain, got)
			}
			if got := string(r.Clean([]byte(text))); got != "a ***, b ***!" {
				t.Errorf("%s of %q, as bytes: %q", name, plain, got)
			}
		}
		for before := range 4 {
			blob := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("u", before) + plain + ":more"))
			if got := r.Redact(blob); len(plain) >= 8 && !strings.Contains(got, Mask) {
				t.Errorf("%q after %d bytes in base64 stays: %s", plain, before, got)
			}
		}
	}
	var none Redactor
	if text := []byte("nothing"); &none.Clean(text)[0] != &text[0] {
		t.Error("a text without secrets is copied")
	}
}

// TestFinderAgreesWithSearch holds the finder against plain search.
func TestFinderAgreesWithSearch(t *testing.T) {
	texts := []string{"aab", "aabaa", "bba", "abab"}
	f := newFinder(texts)
	for n := range 1 << 12 {
		in := strings.NewReplacer("0", "a", "1", "b").Replace(fmt.Sprintf("%012b", n))
		start, end := next(f, in, 0)
		want := len(in)
		for _, text := range texts {
			if at := strings.Index(in, text); at >= 0 {
				want = min(want, at)
			}
		}
		if end == 0 && want < len(in) || end > 0 && start != want {
			t.Fatalf("%s: found %d to %d, want it to begin at %d", in, start, end, want)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	var r Redactor
	for n := range 20 {
		r.Add(New(fmt.Sprintf("%x-canary-%d-Zq8", n*7919, n)))
	}
	text := []byte(strings.Repeat(`{"id":"I-1042","title":"Database replica lag above 30 s","state":"open","team_id":77,"url":"https://x.io/i/1042"},`, 36))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r.Clean(text)
	}
}
