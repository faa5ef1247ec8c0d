package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/twodoortest"
)

// shellClient makes calls as an agent with a shell does.
type shellClient struct{ engine *twodoor.Engine }

func (c shellClient) Call(ctx context.Context, t *testing.T, name string, args json.RawMessage) twodoortest.Seen {
	var out, errs bytes.Buffer
	door := &Door{Engine: c.engine, Principal: twodoor.Operator, Stdout: &out, Stderr: &errs}
	argv := strings.Split(name, ".")
	if op, _, err := c.engine.Catalog().Find(name); err == nil && op != nil {
		argv = door.Argv(op, args)
	}
	if status := door.Run(ctx, argv); status != 0 {
		return fault(t, status, errs.Bytes())
	}
	if out.Len() > 0 && !json.Valid(out.Bytes()) {
		return twodoortest.Seen{Blobs: [][]byte{out.Bytes()}}
	}
	return twodoortest.Seen{Value: bytes.TrimSpace(out.Bytes())}
}

// fault reads the error object, and holds the exit status against its code.
func fault(t *testing.T, status int, text []byte) twodoortest.Seen {
	t.Helper()
	var told struct{ Error struct{ Code twodoor.Code } }
	if err := json.Unmarshal(text, &told); err != nil {
		t.Fatalf("stderr is no error object: %v\n%s", err, text)
	}
	if told.Error.Code.Exit() != status {
		t.Errorf("%s exits %d, want %d", told.Error.Code, status, told.Error.Code.Exit())
	}
	return twodoortest.Seen{Code: told.Error.Code.String(), Text: string(text)}
}

func TestSuite(t *testing.T) {
	twodoortest.Doors(t, shellClient{twodoortest.Engine()}, nil)
}
