package parity

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi"
)

// stripeMock is Stripe's own mock server, which checks requests against the description it was made for.
const stripeMock = "github.com/stripe/stripe-mock@v0.203.0"

// TestParityStripeMock calls every operation of Stripe at both doors, and its mock server has to
// accept the requests.
func TestParityStripeMock(t *testing.T) {
	file := filepath.Join(filepath.Dir(corpus(t)[0]), "stripe.json")
	address := startStripeMock(t)
	h, err := stand(&openapi.Source{Name: "api", File: file, Target: "http://" + address}, &mockDoer{http.Client{Timeout: 20 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := readDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	calls, refused := 0, 0
	for i := range h.reading.Operations {
		if testing.Short() && i%10 != 0 {
			continue
		}
		op := &h.reading.Operations[i]
		for _, most := range []bool{false, true} {
			m := &maker{resolve: h.definition, most: most, plain: true}
			v, _ := m.value(json2any(op.Input), 0)
			delete(object(v), "expand") // takes names of fields, which nothing in the description lists
			line, err := lineOf(op, m, object(v))
			if err != nil {
				t.Fatal(err)
			}
			o := doc.operations[op.Origin]
			for door, out := range map[string]outcome{"mcp": h.callMCP(o, op, jsonOf(v)), "cli": h.callCLI(o, line)} {
				calls++
				if !out.ok {
					if refused++; refused <= maxTold {
						t.Errorf("%s (%s) at %s: %s\n\twith %s", op.ID, op.Origin, door, cut(out.note), show(v))
					}
				}
			}
		}
	}
	t.Logf("stripe-mock: %d calls, %d refused", calls, refused)
}

// startStripeMock builds the mock once, into the user's cache, and starts it on loopback.
func startStripeMock(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		leaveOut(t, "stripe-mock: no cache folder: %v", err)
	}
	folder := filepath.Join(cache, "twodoor-bench", "stripe-mock-v0.203.0")
	program := filepath.Join(folder, "stripe-mock")
	if _, err := os.Stat(program); err != nil {
		install := exec.Command("go", "install", stripeMock)
		install.Dir = t.TempDir() // outside of the module
		install.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=-mod=mod")
		if out, err := install.CombinedOutput(); err != nil {
			leaveOut(t, "stripe-mock: go install %s: %v %s", stripeMock, err, out)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); cmd.Wait() })
	listening := regexp.MustCompile(`HTTP at address: (127\.0\.0\.1:\d+)`)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			go func() {
				for lines.Scan() { // it must not stop at a full pipe
				}
			}()
			return found[1]
		}
	}
	t.Fatal("stripe-mock ended without an address")
	return ""
}

// mockDoer sends requests with the key that the mock wants.
type mockDoer struct{ client http.Client }

func (d *mockDoer) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	req.Header.Set("Authorization", "Bearer sk_test_123")
	return d.client.Do(req)
}

// leaveOut skips a test with its reason; where every group is demanded it is a failure.
func leaveOut(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("TWODOOR_REQUIRE") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
