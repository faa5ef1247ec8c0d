package mcpserver

import (
	"testing"

	"github.com/twodoor/twodoor"
)

// maxAllocs bounds what one call through the door and the whole engine allocates, transport aside.
const maxAllocs = 32

func echoRequest(t testing.TB) (*bench, func()) {
	b := newDoor(t)
	raw := []byte(modern("1", "tools/call", `"name":"lab_echo","arguments":{"text":"hello"}`))
	return b, func() {
		m, f := readMessage(raw)
		if f != nil {
			t.Fatal(f.message)
		}
		r := &request{message: m, caller: caller{principal: twodoor.Operator, shared: true}}
		if _, f := b.answer(t.Context(), r); f != nil {
			t.Fatal(f.message)
		}
	}
}

func TestAllocationsOfACall(t *testing.T) {
	if raced {
		t.Skip("the race detector takes pooled memory away at random")
	}
	_, call := echoRequest(t)
	if got := testing.AllocsPerRun(200, call); got > maxAllocs {
		t.Errorf("a call allocates %v times, more than %d", got, maxAllocs)
	}
}

func BenchmarkCall(b *testing.B) {
	_, call := echoRequest(b)
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}

func BenchmarkList(b *testing.B) {
	d := newDoor(b)
	raw := []byte(modern("1", "tools/list", ""))
	b.ReportAllocs()
	for b.Loop() {
		m, _ := readMessage(raw)
		r := &request{message: m, caller: caller{principal: twodoor.Operator, shared: true}}
		if _, f := d.answer(b.Context(), r); f != nil {
			b.Fatal(f.message)
		}
	}
}
