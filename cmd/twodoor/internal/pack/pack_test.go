package pack_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/twodoor/twodoor/cmd/twodoor/internal/pack"
)

var contents = pack.Contents{
	Manifest: pack.Manifest{Name: "hb", Version: "1", Sources: []pack.Source{{Name: "harbor", Operations: 3}}},
	Files:    map[string][]byte{"b": []byte("second"), "a": bytes.Repeat([]byte("first "), 1000), "guides/x/one.md": []byte("# One")},
}

// packed writes a program that is packed, and gives its path.
func packed(t *testing.T, base string, c pack.Contents) string {
	t.Helper()
	from, err := os.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(t.TempDir(), "hb")
	to, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(pack.Write(to, from, c), to.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatIsPackedIsOpened(t *testing.T) {
	p, err := pack.Open(packed(t, written(t, "\x7fELF…"), contents))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.Manifest.Name != "hb" || len(p.Manifest.Digest) != 64 || p.Manifest.Sources[0].Operations != 3 {
		t.Errorf("the manifest is %+v", p.Manifest)
	}
	for name, want := range contents.Files {
		section, err := p.Section(name)
		if err != nil {
			t.Fatal(err)
		}
		inPlace, _ := io.ReadAll(section)
		if got, err := p.Read(name); err != nil || !bytes.Equal(got, want) || !bytes.Equal(inPlace, want) {
			t.Errorf("%s is %q and %q, %v", name, got, inPlace, err)
		}
	}
	if text, err := fs.ReadFile(p.Folder("guides/x"), "one.md"); err != nil || string(text) != "# One" {
		t.Errorf("a file of a folder: %q, %v", text, err)
	}
	if _, err := p.Section("nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestTheSameThingsMakeTheSameBytes(t *testing.T) {
	base := written(t, "program")
	first, _ := os.ReadFile(packed(t, base, contents))
	second, _ := os.ReadFile(packed(t, base, contents))
	again, _ := os.ReadFile(packed(t, packed(t, base, pack.Contents{Manifest: pack.Manifest{Name: "other"}}), contents))
	if len(first) == 0 || !bytes.Equal(first, second) {
		t.Error("the same contents made other bytes")
	}
	if !bytes.Equal(first, again) {
		t.Error("a base that is packed itself keeps its payload")
	}
}

// Every byte after the program counts.
func TestAChangedByteIsRefused(t *testing.T) {
	const program = "program"
	path := packed(t, written(t, program), contents)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := len(program); at < len(whole); at += max(1, len(whole)/200) {
		bad := bytes.Clone(whole)
		bad[at] ^= 1
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := pack.Open(path)
		if inMagic := at >= len(whole)-16; inMagic && p == nil && err == nil {
			continue // it is a program that carries nothing
		}
		if p != nil || !errors.Is(err, pack.ErrChanged) {
			t.Errorf("byte %d of %d: %v, %v", at, len(whole), p, err)
		}
	}
}

func TestAProgramThatIsNotPacked(t *testing.T) {
	for _, text := range []string{"", "short", string(bytes.Repeat([]byte("long "), 100))} {
		if p, err := pack.Open(written(t, text)); p != nil || err != nil {
			t.Errorf("%.10q: %v, %v", text, p, err)
		}
	}
}
