package cobratree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/twodoor/twodoor/internal/proc"
)

// grace is how long a program that runs apart may take to end when it is asked to.
const grace = 2 * time.Second

// apart runs a command line in a process of its own.
func (t *Tree) apart(ctx context.Context, args []string) (out outcome, err error) {
	self, err := os.Executable()
	if err != nil {
		return out, fmt.Errorf("find this program: %w", err)
	}
	p, err := proc.Start(ctx, proc.Command{Path: self, Args: args, Env: t.options.Environ, Grace: grace})
	if err != nil {
		return out, err
	}
	p.Stdin.Close()
	limit := int64(t.maxBytes())
	out.stdout, err = io.ReadAll(io.LimitReader(p.Stdout, limit))
	if n, _ := io.Copy(io.Discard, p.Stdout); n > 0 {
		out.over = true
	}
	ended := p.Wait()
	p.Stdout.Close()
	out.stderr = strings.Join(p.Stderr(), "\n")
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case err != nil:
		return out, fmt.Errorf("read what %s printed: %w", t.root.Name(), err)
	case ended != nil && proc.ExitCode(ended) < 0:
		out.err = errors.New("the command was killed")
	case ended != nil:
		out.err = fmt.Errorf("the command ended with status %d", proc.ExitCode(ended))
	}
	return out, nil
}
