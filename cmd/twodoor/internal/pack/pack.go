package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// Names of the files of a payload.
const (
	ManifestFile = "manifest.json"
	ConfigFile   = "twodoor.yaml"
	CatalogFile  = "catalog.bundle"
	GuidesFolder = "guides" // one folder below for each source
)

// Manifest says what a packed program is.
type Manifest struct {
	Name    string   `json:"name"`            // of the program
	Version string   `json:"version"`         // of what it carries
	Brand   string   `json:"brand,omitempty"` // the one source whose level its commands leave out
	Sources []Source `json:"sources"`
	Digest  string   `json:"digest,omitempty"` // SHA-256 of the payload, known when it is opened
}

// Source is a source that a packed program carries.
type Source struct {
	Name       string `json:"name"`
	Title      string `json:"title,omitempty"`
	Version    string `json:"version,omitempty"`
	Operations int    `json:"operations"`
}

// Contents are what is put into a program.
type Contents struct {
	Manifest Manifest
	Files    map[string][]byte // by path, beside the manifest
}

// trailer stands at the end of a packed program.
type trailer struct {
	Length uint64
	Sum    [sha256.Size]byte
	Magic  [16]byte
}

var magic = [16]byte([]byte("twodoor-pack/1\r\n"))

var trailerSize = int64(binary.Size(trailer{}))

// Write writes a packed program: the base, a twodoor of any platform, with the contents. A base that is
// packed itself is taken without its payload.
func Write(w io.Writer, base *os.File, c Contents) error {
	payload, err := c.payload()
	if err != nil {
		return err
	}
	end, _, err := ends(base)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, io.NewSectionReader(base, 0, end)); err != nil {
		return fmt.Errorf("copy the program: %w", err)
	}
	if _, err := w.Write(payload); err != nil {
		return fmt.Errorf("write the payload: %w", err)
	}
	return binary.Write(w, binary.LittleEndian, trailer{Length: uint64(len(payload)), Sum: sha256.Sum256(payload), Magic: magic})
}

// payload is the zip of the contents.
func (c Contents) payload() ([]byte, error) {
	c.Manifest.Digest = ""
	manifest, err := json.Marshal(c.Manifest)
	if err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	names := []string{}
	for name := range c.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	put := func(name string, data []byte) {
		w, fault := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: time.Time{}})
		if fault == nil {
			_, fault = w.Write(data)
		}
		err = errors.Join(err, fault)
	}
	put(ManifestFile, manifest)
	for _, name := range names {
		put(name, c.Files[name])
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return nil, fmt.Errorf("make the payload: %w", err)
	}
	return out.Bytes(), nil
}

// ends tells where a program ends, and its trailer where it has one.
func ends(f *os.File) (end int64, t *trailer, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, nil, err
	}
	t = &trailer{}
	if info.Size() < trailerSize {
		return info.Size(), nil, nil
	}
	if err := binary.Read(io.NewSectionReader(f, info.Size()-trailerSize, trailerSize), binary.LittleEndian, t); err != nil {
		return 0, nil, fmt.Errorf("read the end of %s: %w", f.Name(), err)
	}
	if t.Magic != magic {
		return info.Size(), nil, nil
	}
	end = info.Size() - trailerSize - int64(t.Length)
	if t.Length > uint64(info.Size()-trailerSize) {
		return 0, nil, ErrChanged
	}
	return end, t, nil
}

// Mark is a text that stands in every program that opens what it carries.
const Mark = "what this program carries was changed after it was packed"

// ErrChanged is of a program whose payload is not what was written.
var ErrChanged = errors.New(Mark)

// Pack is the payload of a packed program, open. It is safe for concurrent use until it is closed.
type Pack struct {
	Manifest Manifest

	file *os.File
	zip  *zip.Reader
}

// Open opens the payload of a program and checks every byte of it: [ErrChanged] where one differs. It
// is nil where the program is not packed.
func Open(program string) (*Pack, error) {
	f, err := os.Open(program)
	if err != nil {
		return nil, nil // a program that cannot read itself carries nothing that it could serve
	}
	p, err := open(f)
	if p == nil {
		f.Close()
	}
	return p, err
}

func open(f *os.File) (*Pack, error) {
	end, t, err := ends(f)
	if err != nil || t == nil {
		return nil, err
	}
	payload, hash := io.NewSectionReader(f, end, int64(t.Length)), sha256.New()
	if _, err := io.CopyBuffer(hash, struct{ io.Reader }{payload}, make([]byte, 1<<20)); err != nil {
		return nil, fmt.Errorf("read what %s carries: %w", f.Name(), err)
	}
	if [sha256.Size]byte(hash.Sum(nil)) != t.Sum {
		return nil, ErrChanged
	}
	p := &Pack{file: f}
	if p.zip, err = zip.NewReader(payload, int64(t.Length)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	}
	manifest, err := p.Read(ManifestFile)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(manifest, &p.Manifest); err != nil {
		return nil, fmt.Errorf("read the manifest of %s: %w", f.Name(), err)
	}
	p.Manifest.Digest = hex.EncodeToString(t.Sum[:])
	return p, nil
}

// Close closes the program's file.
func (p *Pack) Close() error { return p.file.Close() }

// Read is a file of the payload.
func (p *Pack) Read(name string) ([]byte, error) { return fs.ReadFile(p.zip, name) }

// Folder is a folder of the payload; an empty one where there is none.
func (p *Pack) Folder(name string) fs.FS {
	sub, err := fs.Sub(p.zip, name)
	if err != nil { // only of a name that is none
		return p.zip
	}
	return sub
}

// Section is a file of the payload where it lies in the program, to be read in pieces.
func (p *Pack) Section(name string) (*io.SectionReader, error) {
	for _, f := range p.zip.File {
		if f.Name != name {
			continue
		}
		at, err := f.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", name, err)
		}
		end, t, err := ends(p.file)
		if err != nil || t == nil {
			return nil, ErrChanged
		}
		return io.NewSectionReader(p.file, end+at, int64(f.UncompressedSize64)), nil
	}
	return nil, fmt.Errorf("find %s: %w", name, fs.ErrNotExist)
}
