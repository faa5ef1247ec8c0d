package bell

import "testing"

func TestWhoIsSlowHearsOnce(t *testing.T) {
	var b Bell
	b.Ring() // nobody listens
	slow, gone := b.Listen(), b.Listen()
	gone.Leave()
	gone.Leave()
	b.Ring()
	b.Ring()
	if !rung(slow) || rung(slow) || rung(gone) {
		t.Error("want one ring for whoever listens, and none for whoever left")
	}
	b.Ring()
	if !rung(slow) {
		t.Error("a later ring is heard again")
	}
}

func TestCloseEndsThoseOfNow(t *testing.T) {
	var b Bell
	before := b.Listen()
	b.Close()
	<-before.Ending
	after := b.Listen()
	select {
	case <-after.Ending:
		t.Error("a listener that came after the close was ended by it")
	default:
	}
	b.Ring()
	if !rung(after) {
		t.Error("a listener that came after the close hears nothing")
	}
	b.Close()
	<-after.Ending
}

func rung(l *Listener) bool {
	select {
	case <-l.Rung:
		return true
	default:
		return false
	}
}
