package upstream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
)

// Listing is what a far side listed, as it is kept between two runs.
type Listing struct {
	Entry string    // required; what it was listed by: another one means another far side
	Read  time.Time // when
	Tag   string    // of a twodoor's list

	Reading *twodoor.Reading // required
}

// kept is a listing on disk: a reading alone would leave its operations out.
type kept struct {
	Entry       string
	Read        time.Time
	Tag         string `json:",omitempty"`
	Reading     *twodoor.Reading
	Operations  []twodoor.Operation
	Definitions map[string]json.RawMessage `json:",omitempty"`
}

// Lists keeps the last listing of each source, and why there is none. It is safe for concurrent use.
type Lists struct {
	Dir string // a file for each source; empty: they are kept in memory

	mu     sync.Mutex
	memory map[string]*Listing // of sources whose file cannot be written
	faults map[string]*Fault
	seen   map[string]time.Time // when a source was listed last, whether or not that was new
}

// Fault is why a source could not be listed last.
type Fault struct {
	Entry   string
	At      time.Time
	Code    twodoor.Code
	Message string
	Hint    string
}

// FaultOf is what an error of listing a source comes to.
func FaultOf(entry string, err error) *Fault {
	fault := twodoor.AsError(err)
	return &Fault{Entry: entry, At: time.Now(), Code: fault.Code, Message: fault.Message, Hint: fault.Hint}
}

// Error tells the fault as it was told.
func (f *Fault) Error() *twodoor.Error {
	return &twodoor.Error{Code: f.Code, Message: f.Message, Hint: f.Hint}
}

// Get is the last listing of a source, or nil.
func (l *Lists) Get(source string) *Listing {
	l.mu.Lock()
	listing := l.memory[source]
	l.mu.Unlock()
	if listing != nil || l.Dir == "" {
		return listing
	}
	text, err := os.ReadFile(l.path(source))
	if err != nil {
		return nil
	}
	var k kept
	if json.Unmarshal(text, &k) != nil || k.Reading == nil {
		return nil
	}
	k.Reading.Operations, k.Reading.Definitions = k.Operations, k.Definitions
	return &Listing{Entry: k.Entry, Read: k.Read, Tag: k.Tag, Reading: k.Reading}
}

// Mark is another text for another listing. It opens no file.
func (l *Lists) Mark(source string) string {
	l.mu.Lock()
	listing := l.memory[source]
	l.mu.Unlock()
	if listing != nil {
		return listing.digest()
	}
	if info, err := os.Stat(l.path(source)); l.Dir != "" && err == nil {
		return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	return ""
}

// Put keeps a listing and forgets why there was none. It reports whether it says anything new. A file
// that cannot be written is no error: the listing is kept in memory.
func (l *Lists) Put(source string, listing *Listing) (news bool) {
	old := l.Get(source)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(source)
	if l.seen == nil {
		l.seen = map[string]time.Time{}
	}
	l.seen[source] = listing.Read
	if old != nil && old.Entry == listing.Entry && old.digest() == listing.digest() {
		return false
	}
	if l.Dir != "" && l.write(l.path(source), encode(listing)) == nil {
		delete(l.memory, source)
		return true
	}
	if l.memory == nil {
		l.memory = map[string]*Listing{}
	}
	l.memory[source] = listing
	return true
}

// Seen is when a source was listed last.
func (l *Lists) Seen(source string) time.Time {
	l.mu.Lock()
	at := l.seen[source]
	l.mu.Unlock()
	if info, err := os.Stat(l.path(source)); at.IsZero() && l.Dir != "" && err == nil {
		at = info.ModTime()
	}
	return at
}

// Fail keeps why a source could not be listed.
func (l *Lists) Fail(source string, fault *Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.faults == nil {
		l.faults = map[string]*Fault{}
	}
	l.faults[source] = fault
	if text, err := json.Marshal(fault); err == nil && l.Dir != "" {
		_ = l.write(l.faultPath(source), text) // it is known in memory
	}
}

// Fault is why a source could not be listed last, or nil: what this entry of it has not met does not
// count.
func (l *Lists) Fault(source, entry string) *Fault {
	l.mu.Lock()
	fault := l.faults[source]
	l.mu.Unlock()
	if fault == nil && l.Dir != "" {
		text, err := os.ReadFile(l.faultPath(source))
		if err != nil || json.Unmarshal(text, &fault) != nil {
			return nil
		}
	}
	if fault == nil || fault.Entry != entry {
		return nil
	}
	return fault
}

func (l *Lists) forget(source string) {
	delete(l.faults, source)
	if l.Dir != "" {
		_ = os.Remove(l.faultPath(source)) // most often there is none
	}
}

func (l *Lists) path(source string) string      { return filepath.Join(l.Dir, source+".json") }
func (l *Lists) faultPath(source string) string { return filepath.Join(l.Dir, source+".fault") }

// write replaces a file as a whole.
func (l *Lists) write(path string, text []byte) error {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(l.Dir, ".list-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(text)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// encode writes definitions as they are: no character of them is escaped anew.
func encode(listing *Listing) []byte {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	r := listing.Reading
	_ = to.Encode(kept{listing.Entry, listing.Read, listing.Tag, r, r.Operations, r.Definitions}) // of texts and JSON that was checked
	return b.Bytes()
}

func (l *Listing) digest() string {
	timeless := *l
	timeless.Read = time.Time{}
	sum := sha256.Sum256(encode(&timeless))
	return hex.EncodeToString(sum[:])
}
