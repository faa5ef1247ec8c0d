package revision

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/proc"
)

// Repository is a git repository with a working tree.
type Repository struct {
	Root string // of the working tree, absolute

	environ []string
}

// maxFile bounds a file that is taken out.
const maxFile = 128 << 20

// Open finds the repository that a folder lies in. Where there is none, or no git, the error is
// CodeInvalid.
func Open(ctx context.Context, dir string, environ []string) (*Repository, error) {
	r := &Repository{Root: dir, environ: proc.Environment(environ, "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")}
	out, err := r.git(ctx, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r.Root = filepath.FromSlash(strings.TrimRight(string(out), "\r\n"))
	return r, nil
}

// Resolve is the commit that a name means: a branch, a tag, "HEAD~1". Empty: there is none.
func (r *Repository) Resolve(ctx context.Context, name string) (commit string, err error) {
	if name == "" || strings.HasPrefix(name, "-") {
		return "", nil
	}
	out, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if proc.ExitCode(err) > 0 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// Base is the last commit that HEAD and another commit have in common; the other one where they have
// none.
func (r *Repository) Base(ctx context.Context, commit string) (string, error) {
	out, err := r.git(ctx, nil, "merge-base", commit, "HEAD")
	if proc.ExitCode(err) > 0 {
		return commit, nil
	}
	return strings.TrimSpace(string(out)), err
}

// Shallow reports whether older commits were left out when the repository was fetched.
func (r *Repository) Shallow(ctx context.Context) bool {
	out, err := r.git(ctx, nil, "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// Extract writes the files of a commit into a folder, as far as keep takes them. Paths are relative to
// the root and have slashes. Symbolic links and submodules are left out.
func (r *Repository) Extract(ctx context.Context, commit, into string, keep func(path string) bool) error {
	out, err := r.git(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	var paths []string
	var wanted strings.Builder
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about) // mode, type, name
		if len(fields) != 3 || !strings.HasPrefix(fields[0], "100") || !filepath.IsLocal(filepath.FromSlash(path)) || !keep(path) {
			continue
		}
		paths = append(paths, path)
		wanted.WriteString(fields[2] + "\n")
	}
	if len(paths) == 0 {
		return nil
	}
	texts, err := r.git(ctx, strings.NewReader(wanted.String()), "cat-file", "--batch")
	if err != nil {
		return err
	}
	return unpack(bufio.NewReader(bytes.NewReader(texts)), paths, into)
}

// unpack takes the answers of cat-file --batch apart: "NAME blob SIZE", the text, a line break.
func unpack(texts *bufio.Reader, paths []string, into string) error {
	for _, path := range paths {
		head, err := texts.ReadString('\n')
		fields := strings.Fields(head)
		if err != nil || len(fields) != 3 {
			return fmt.Errorf("read %s of git: the answer is %q", path, head)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size > maxFile {
			return fmt.Errorf("read %s of git: its size is %s", path, fields[2])
		}
		text := make([]byte, size+1)
		if _, err := io.ReadFull(texts, text); err != nil {
			return fmt.Errorf("read %s of git: %w", path, err)
		}
		file := filepath.Join(into, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("make the folder of %s: %w", file, err)
		}
		if err := os.WriteFile(file, text[:size], 0o644); err != nil {
			return fmt.Errorf("write %s: %w", file, err)
		}
	}
	return nil
}

// git runs git in the repository and returns what it prints.
func (r *Repository) git(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	p, err := proc.Start(ctx, proc.Command{Path: "git", Args: args, Dir: r.Root, Env: r.environ})
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "git cannot be started", Hint: "install it, or name files", Cause: err}
	}
	go func() {
		if in != nil {
			_, _ = io.Copy(p.Stdin, in) // a program that ends early says why by its status
		}
		p.Stdin.Close()
	}()
	out, failed := io.ReadAll(p.Stdout)
	if err := p.Wait(); err != nil {
		said := strings.Join(p.Stderr(), "; ")
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("git %s: %s", args[0], said), Hint: "is this a git repository, with the commits that are asked for?", Cause: err}
	}
	return out, failed
}
