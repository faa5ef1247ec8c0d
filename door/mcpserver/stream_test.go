package mcpserver

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`

// legacyCall is a call without a version.
func legacyCall(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`
}

func cancelled(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

func TestEndOfInputFinishesWhatIsUnderWay(t *testing.T) {
	for name, call := range map[string]string{"modern": modern("1", "tools/call", `"name":"lab_wait"`), "legacy": legacyCall("1", "lab_wait")} {
		t.Run(name, func(t *testing.T) {
			b := newDoor(t)
			c := dial(t, b.Door)
			c.send(initialize)
			c.next()
			c.send(call)
			<-b.started
			c.in.Close()
			close(b.release)
			if rest := c.close(); len(rest) != 1 || !strings.Contains(rest[0], "waited") {
				t.Errorf("after the end of input came %q", rest)
			}
		})
	}
}

func TestCancelEndsACallWithoutAReply(t *testing.T) {
	for name, call := range map[string]string{"modern": modern("1", "tools/call", `"name":"lab_stall"`), "legacy": legacyCall("1", "lab_stall")} {
		t.Run(name, func(t *testing.T) {
			b := newDoor(t)
			c := dial(t, b.Door)
			c.send(initialize)
			c.next()
			c.send(call)
			<-b.started
			c.send(cancelled("1"))
			if cause := <-b.ended; !errors.Is(cause, context.Canceled) {
				t.Errorf("the call ended with %v", cause)
			}
			c.send(cancelled("1"))
			c.send(modern("2", "tools/call", `"name":"lab_secret"`))
			if rest := c.close(); len(rest) != 1 || !strings.Contains(rest[0], `"id":2`) {
				t.Errorf("after the cancel came %q", rest)
			}
		})
	}
}

func TestCallsDoNotWaitForEachOther(t *testing.T) {
	b := newDoor(t)
	c := dial(t, b.Door)
	c.send(modern("1", "tools/call", `"name":"lab_wait"`))
	<-b.started
	c.send(modern("2", "tools/call", `"name":"lab_secret"`))
	if got := c.next(); !strings.Contains(got, `"id":2`) {
		t.Errorf("first came %s", got)
	}
	c.send(modern("1", "tools/call", `"name":"lab_secret"`))
	if got := c.next(); !strings.Contains(got, "-32600") {
		t.Errorf("an id that is in use was answered by %s", got)
	}
	close(b.release)
	if got := c.next(); !strings.Contains(got, "waited") {
		t.Errorf("last came %s", got)
	}
	c.close()
}

func TestEndOfContextCancels(t *testing.T) {
	b := newDoor(t)
	ctx, cancel := context.WithCancel(t.Context())
	in, far := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- b.Serve(ctx, Stream{In: in, Out: io.Discard, Principal: twodoor.Operator})
	}()
	io.WriteString(far, modern("1", "tools/call", `"name":"lab_stall"`)+"\n")
	<-b.started
	cancel()
	<-b.ended
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	far.Close()
}

// brokenPipe is an output whose reader has left.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestBrokenOutputIsTold(t *testing.T) {
	in := strings.NewReader(modern("1", "tools/list", ""))
	if err := newDoor(t).ServeStdio(t.Context(), in, brokenPipe{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Serve: %v", err)
	}
}

func TestLongLineIsRefusedAndTheNextOneRead(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", MaxLine) + `"}`
	replies := talk(t, newDoor(t).Door, long, modern("2", "tools/call", `"name":"lab_secret"`))
	if !strings.Contains(replies[""], "-32600") || !strings.Contains(replies["2"], "hush") || len(replies) != 2 {
		t.Errorf("replies %q", replies)
	}
}

func TestLinesOfAnyLengthBelowTheBound(t *testing.T) {
	text := strings.Repeat("ä", 1<<20)
	replies := talk(t, newDoor(t).Door, modern("1", "tools/call", `"name":"lab_echo","arguments":{"_want":{"budget":-1},"text":"`+text+`"}`))
	if !strings.Contains(replies["1"], text) {
		t.Error("an argument of 2 MiB did not come back")
	}
}

// Several listens share a stream: each is acknowledged first, tagged with its own id, told what it
// asked for and nothing else, and ended apart from the others.
func TestConcurrentListens(t *testing.T) {
	b := newDoor(t)
	c := dial(t, b.Door)
	rules := newProtocol(t, Version)
	for id, filter := range map[string]string{`"a"`: `{"toolsListChanged":true}`, `7`: `{"toolsListChanged":true,"tasksListChanged":true}`, `8`: `{"tasksListChanged":true}`} {
		c.send(modern(id, "subscriptions/listen", `"notifications":`+filter))
		got := c.next()
		rules.check(t, "", got)
		honoured := `{"toolsListChanged":true}`
		if id == "8" {
			honoured = `{}`
		}
		want := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":` + honoured + `,"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	b.Changed()
	b.expect(t, c, changedOf(`"a"`), changedOf("7"))
	c.send(cancelled(`"a"`))
	c.send(modern("9", "server/discover", "")) // its reply says that the cancel was read
	c.next()
	b.Changed()
	b.expect(t, c, changedOf("7"))
	rest := c.close()
	slices.Sort(rest)
	if len(rest) != 2 || !strings.Contains(rest[0], `"id":7,"result"`) || !strings.Contains(rest[1], `"id":8,"result"`) {
		t.Errorf("at the end came %q", rest)
	}
	for _, reply := range rest {
		rules.check(t, "subscriptions/listen", reply)
	}
}

func changedOf(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

// expect reads as many messages as are wanted, in any order.
func (b *bench) expect(t *testing.T, c *client, want ...string) {
	t.Helper()
	var got []string
	for range want {
		got = append(got, c.next())
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTooManyOpenRequestsAreRefused(t *testing.T) {
	var lines []string
	for i := range maxRunning + 1 {
		lines = append(lines, modern(strconv.Itoa(i), "subscriptions/listen", `"notifications":{}`))
	}
	var out strings.Builder
	if err := newDoor(t).ServeStdio(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	refused := `"id":` + strconv.Itoa(maxRunning) + `,"error":{"code":-32603`
	if answered := strings.Count(out.String(), `"result"`); answered != maxRunning || !strings.Contains(out.String(), refused) {
		t.Errorf("%d listens were answered", answered)
	}
}

func TestCloseAnswersListens(t *testing.T) {
	b := newDoor(t)
	c := dial(t, b.Door)
	c.send(modern("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
	c.next()
	b.Close()
	if got := c.next(); !strings.Contains(got, `"id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1`) {
		t.Errorf("got %s", got)
	}
	c.close()
}

func TestLegacySessionIsToldOfChanges(t *testing.T) {
	b := newDoor(t)
	c := dial(t, b.Door)
	c.send(initialize)
	c.next()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	c.next()
	b.Changed(twodoor.ListOfOperations)
	if got := c.next(); !strings.Contains(got, `"notifications/tools/list_changed"`) {
		t.Errorf("got %s", got)
	}
	c.close()
}

func TestStdioOfNobodyIsTheOperators(t *testing.T) {
	if replies := talk(t, newDoor(t).Door, modern("1", "tools/call", `"name":"lab_secret"`)); !strings.Contains(replies["1"], "hush") {
		t.Errorf("replies %q", replies)
	}
	b := newDoor(t)
	b.Principal = twodoor.Principal{Subject: "guest"}
	replies := talk(t, b.Door, modern("1", "tools/call", `"name":"lab_secret"`), modern("2", "tools/list", ""))
	if !strings.Contains(replies["1"], `"code":"forbidden"`) {
		t.Errorf("the call: %s", replies["1"])
	}
	if strings.Contains(replies["2"], "lab_secret") || !strings.Contains(replies["2"], `"cacheScope":"private"`) {
		t.Errorf("the list: %s", replies["2"])
	}
}
