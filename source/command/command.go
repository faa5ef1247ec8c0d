package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

// Kind is the kind of the operations that this package reads and invokes.
const Kind = "command"

// Source is one verbs file.
type Source struct {
	Name string // required; first word of all ids
	File string // required; its path, unless Text is given

	Text       []byte                     // the file's text; nil: it is read
	Prefix     string                     // stands for the name in MCP spellings
	Operations map[string]json.RawMessage // annotations by glob over ids
}

// MaxFile bounds a verbs file, in bytes.
const MaxFile = 4 << 20

// Read reads the verbs file. It is strict: a file with a fault serves nothing, and the error, a
// *[twodoor.Error], names every fault with its line.
func (s *Source) Read(context.Context) (*twodoor.Reading, error) {
	if s.Name == "" || s.File == "" {
		return nil, fmt.Errorf("a command source needs a name and a file, got %q and %q", s.Name, s.File)
	}
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	f, err := parse(s.File, text)
	if err != nil {
		return nil, err
	}
	return s.reading(f)
}

func (s *Source) text() ([]byte, error) {
	if s.Text != nil {
		return s.Text, nil
	}
	info, err := os.Stat(s.File)
	switch {
	case err != nil:
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("the verbs file %s cannot be read: %v", filepath.Base(s.File), plain(err)), Hint: "is its path right, seen from the configuration?", Cause: err}
	case info.Size() > MaxFile:
		return nil, &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the verbs file %s is larger than %d MiB", filepath.Base(s.File), MaxFile>>20)}
	}
	text, err := os.ReadFile(s.File)
	if err != nil {
		return nil, fmt.Errorf("read the verbs file: %w", err)
	}
	return text, nil
}

// plain is what the system says of a file, without repeating its path.
func plain(err error) error {
	if inner, ok := err.(*os.PathError); ok {
		return inner.Err
	}
	return err
}

// Invoker runs the verbs that Source reads. Its zero value gives programs an empty environment and
// the present folder. It is safe for concurrent use and must not be copied.
type Invoker struct {
	Environ []string                                               // this process's environment: programs see its everyday variables, and those that the file passes on
	Folder  func(source string) string                             // the folder that a source's relative paths are meant from: that of its verbs file; nil or empty: the present one
	Most    int                                                    // programs that run at a time; others wait; 0: 64
	Grace   time.Duration                                          // how long a program may take to end when it is asked to, before it is killed; 0: 2 s
	Expand  func(ctx context.Context, text string) (string, error) // resolves the references in env; nil: texts are taken as they are

	once     sync.Once
	places   chan struct{} // one for each program that may run
	mu       sync.Mutex
	sessions map[string]chan struct{} // the end of the last call of each session that has one
	secret   secret.Redactor
}

// Bounds where an Invoker or a file sets none.
const (
	defaultMost  = 64
	defaultGrace = 2 * time.Second
	defaultBytes = 8 << 20 // of what a program prints
)
