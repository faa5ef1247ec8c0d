package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/command"
)

// withGit serves git through its verbs file, over an empty repository.
func withGit(t *testing.T) *house {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on PATH")
	}
	reading, err := (&command.Source{Name: "git", File: "testdata/git.verbs.yaml"}).Read(t.Context())
	if err != nil {
		t.Fatal(told(err))
	}
	h := &house{dir: t.TempDir()}
	h.open(t, reading)
	h.invoker.Environ = append(os.Environ(), "HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir)
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main", "."},
		{"config", "user.name", "Ada"}, {"config", "user.email", "ada@example.com"}, {"config", "commit.gpgsign", "false"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = h.dir, append(os.Environ(), "HOME="+h.dir, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return h
}

// commit puts a file into the index and commits it, through the verbs.
func (h *house) commit(t *testing.T, file, message string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, file), []byte(message+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.answer(t, "git.file.add", `{"path":["`+file+`"]}`)
	h.answer(t, "git.commit.create", string(must(json.Marshal(map[string]string{"message": message}))))
}

func TestGit(t *testing.T) {
	h := withGit(t)
	h.commit(t, "a.txt", "First\n\nwith \"quotes\" and --options")
	h.commit(t, "-b.txt", "-x is the second")
	var commits []struct{ Commit, Author, Subject string }
	if err := json.Unmarshal([]byte(h.answer(t, "git.commit.list", `{}`)), &commits); err != nil || len(commits) != 2 ||
		commits[0].Subject != "-x is the second" || commits[1].Subject != "First" || commits[0].Author != "Ada" {
		t.Errorf("the log is %+v, %v", commits, err)
	}
	for _, c := range []struct{ id, args, want string }{
		{"commit.list", `{"path":["a.txt"],"limit":1}`, `"subject":"First"`},
		{"commit.list", `{"text":"-x is","fixed":true}`, `-x is the second`},
		{"commit.show", `{"ref":"HEAD~1"}`, `+with \"quotes\"`},
		{"file.list", `{}`, `{"bytes":17,"path":"-b.txt"}`},
		{"file.read", `{"file":"a.txt","ref":"main"}`, `First\n\nwith`},
		{"word.count", `{}`, `[{"commits":2,"author":"Ada"}]`},
		{"branch.create", `{"name":"side"}`, ``},
		{"branch.list", `{}`, `"name":"side"`},
		{"branch.delete", `{"name":"side"}`, `Deleted branch side`},
	} {
		if got := h.answer(t, "git."+c.id, c.args); !strings.Contains(got, c.want) {
			t.Errorf("%s %s answered %s, want %s", c.id, c.args, got, c.want)
		}
	}
	for _, c := range []struct {
		id, args string
		code     twodoor.Code
		says     string
	}{
		{"commit.show", `{"ref":"nowhere"}`, twodoor.CodeNotFound, "nowhere"},
		{"commit.create", `{"message":"nothing is in the index"}`, twodoor.CodeConflict, "nothing"},
		{"branch.delete", `{"name":"side"}`, twodoor.CodeConflict, "side"},
		{"commit.list", `{"repo":"elsewhere"}`, twodoor.CodeNotFound, "elsewhere"},
	} {
		if fault := h.refusal(t, "git."+c.id, c.args, c.code); !strings.Contains(fault.Message, c.says) {
			t.Errorf("%s %s: told %q", c.id, c.args, fault.Message)
		}
	}
}

// onlyValues are the inputs whose value stands behind "=" or ":", or where git has been told that no
// option comes any more: a dash begins nothing there.
var onlyValues = strings.Fields("commit.list/author commit.list/text commit.list/path file.add/path branch.create/name branch.delete/name file.read/file")

// mayReachGit reports whether a value is let through, since git can take it for nothing but a value.
func mayReachGit(input, what, value string) bool {
	switch input {
	case "commit.create/message": // git's input
		return true
	case "commit.list/text":
		return what != "NUL" && what != "a megabyte"
	}
	return slices.Contains(onlyValues, input) && strings.HasPrefix(value, "-") && value != "-"
}

// Every text of every verb is tried with everything that could be taken for something else: it is
// refused before git runs, or has done nothing but be a value.
func TestGitRefusesInjections(t *testing.T) {
	h := withGit(t)
	h.commit(t, "a.txt", "First")
	refused := 0
	for _, op := range h.reading.Operations {
		for name, property := range rawjson.Members(mustGet(op.Input, "properties")) {
			kind := string(mustGet(property, "type"))
			if kind != `"string"` && kind != `"array"` {
				continue
			}
			for what, value := range injections {
				result, err := h.do(t.Context(), op.ID, injected(&op, name, kind, value))
				if err == nil && strings.Contains(string(result.Value), "SYNOPSIS") {
					t.Errorf("%s printed its help for %s in %s", op.ID, what, name)
				}
				if mayReachGit(strings.TrimPrefix(op.ID, "git.")+"/"+name, what, value) {
					continue
				}
				if fault := twodoor.AsError(err); fault == nil || fault.Code != twodoor.CodeInvalid && !strings.Contains(fault.Message, "nothing was run") {
					t.Errorf("%s with %s in %s: %v", op.ID, what, name, err)
				}
				refused++
			}
		}
	}
	t.Logf("%d values were refused", refused)
	files, err := os.ReadDir(h.dir)
	if got := h.answer(t, "git.commit.list", `{}`); err != nil || len(files) != 2 || strings.Count(got, `"commit"`) != 1 || refused < 150 {
		t.Errorf("%d refused; files %v and log %s afterwards", refused, files, got)
	}
}

// injected are the arguments of a verb with a value in one input, and something harmless in the others.
func injected(op *twodoor.Operation, name, kind, value string) string {
	args := map[string]any{}
	for raw := range rawjson.Elements(mustGet(op.Input, "required")) {
		other, _ := rawjson.String(raw)
		args[other] = "a.txt"
	}
	args[name] = value
	if kind == `"array"` {
		args[name] = []string{value}
	}
	return string(must(json.Marshal(args)))
}

func mustGet(raw json.RawMessage, key string) json.RawMessage {
	value, _ := rawjson.Get(raw, key)
	return value
}

func TestGitAHundredTimesAtOnce(t *testing.T) {
	h := withGit(t)
	h.commit(t, "a.txt", "First")
	var wait sync.WaitGroup
	for i := range 100 {
		wait.Go(func() {
			if i%4 == 0 { // writes are ordered: git itself would refuse a locked index
				if _, err := h.do(t.Context(), "git.branch.create", fmt.Sprintf(`{"name":"b%d"}`, i)); err != nil {
					t.Error(told(err))
				}
				return
			}
			if _, err := h.do(t.Context(), "git.commit.list", `{}`); err != nil {
				t.Error(told(err))
			}
		})
	}
	wait.Wait()
	if got := h.answer(t, "git.branch.list", `{}`); strings.Count(got, `"name"`) != 26 {
		t.Errorf("%d branches afterwards", strings.Count(got, `"name"`))
	}
}
