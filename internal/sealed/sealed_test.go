package sealed

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestSealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New([]byte("key"))
		text := c.Seal([]byte("call 1"), time.Now().Add(time.Minute), []byte("inner"))
		if inner, err := New([]byte("key")).Open([]byte("call 1"), text); err != nil || string(inner) != "inner" {
			t.Errorf("another instance: %q %v", inner, err)
		}
		for name, try := range map[string]func() error{
			"another purpose": func() error { _, err := c.Open([]byte("call 2"), text); return err },
			"another key":     func() error { _, err := New([]byte("kez")).Open([]byte("call 1"), text); return err },
			"nothing":         func() error { _, err := c.Open([]byte("call 1"), ""); return err },
			"a longer text":   func() error { _, err := c.Open([]byte("call 1"), text+"-TAMPERED"); return err },
		} {
			if err := try(); !errors.Is(err, ErrForeign) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for i := range text {
			altered := []byte(text)
			if altered[i]++; altered[i] == '{' || altered[i] == '[' || altered[i] == ':' {
				altered[i] = 'a'
			}
			if _, err := c.Open([]byte("call 1"), string(altered)); err == nil {
				t.Fatalf("altered at %d it opens", i)
			}
		}
		if _, err := c.OpenOnce([]byte("call 1"), text); err != nil {
			t.Errorf("first use: %v", err)
		}
		if _, err := c.OpenOnce([]byte("call 1"), text); !errors.Is(err, ErrUsed) {
			t.Errorf("second use: %v", err)
		}
		time.Sleep(time.Minute + time.Millisecond)
		if _, err := c.Open([]byte("call 1"), text); !errors.Is(err, ErrExpired) {
			t.Errorf("after its time: %v", err)
		}
	})
}

// What was used is forgotten when it would not open any more.
func TestUsedIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(nil)
		for range 3 {
			for range 2000 {
				if _, err := c.OpenOnce(nil, c.Seal(nil, time.Now().Add(time.Minute), nil)); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(2 * time.Minute)
		}
		if len(c.used) > 4500 {
			t.Errorf("%d are remembered", len(c.used))
		}
	})
}

func FuzzOpen(f *testing.F) {
	c := New([]byte("key"))
	f.Add([]byte("p"), c.Seal([]byte("q"), time.Now().Add(time.Hour), []byte("x")))
	f.Add([]byte(""), "")
	f.Fuzz(func(t *testing.T, purpose []byte, text string) {
		if inner, err := c.Open(purpose, text); err == nil && !bytes.Equal(inner, []byte("x")) {
			t.Fatalf("%q opens to %q", text, inner)
		}
	})
}
