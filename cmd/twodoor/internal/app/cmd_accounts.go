package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
)

func (r *run) accountsCommand() cli.Command {
	return cli.Command{
		Name: "accounts", Short: "Tell whose key each source uses",
		Long:    "Lists every source that has a key or says whoami, by the exact id of its connection: two accounts of one service are two of them. Whose the key is the far side tells itself: the operation that whoami: names is called, which must be one that reads.",
		Example: "twodoor accounts -o json",
		Run: func(ctx context.Context, in *cli.Invocation) error {
			all, err := r.accounts(ctx)
			if err != nil {
				return err
			}
			var text strings.Builder
			for i := range all {
				text.WriteString(all[i].prose())
			}
			if len(all) == 0 {
				text.WriteString("no source has a key\n")
			}
			return in.PrintText(text.String(), all)
		},
	}
}

// account is whose key a source uses.
type account struct {
	Source     string          `json:"source"`
	Connection string          `json:"connection"`    // the exact id: of a server's entry, else of the connection
	Key        string          `json:"key,omitempty"` // how it is presented
	Whoami     string          `json:"whoami,omitempty"`
	Label      string          `json:"label,omitempty"` // whose it is, as the far side says
	Verified   bool            `json:"verified"`
	Answer     json.RawMessage `json:"answer,omitempty"`
	Reason     string          `json:"reason,omitempty"` // why it is not verified
	Fix        string          `json:"fix,omitempty"`
}

func (a *account) prose() string {
	label := "not verified: " + a.Reason
	if a.Verified {
		label = a.Label
	}
	line := fmt.Sprintf("%s  id %q", a.Source, a.Connection)
	if a.Key != "" {
		line += ", " + a.Key
	}
	line += ": " + label + "\n"
	if a.Fix != "" {
		line += "    fix: " + a.Fix + "\n"
	}
	return line
}

// whoamiTime bounds one question.
const whoamiTime = 30 * time.Second

// accounts asks every far side at once whose key it sees.
func (r *run) accounts(ctx context.Context) ([]account, error) {
	if err := r.serve(ctx); err != nil {
		return nil, err
	}
	all := []account{}
	for _, name := range config.Sorted(r.site.Sources) {
		if a := r.accountOf(name); a != nil {
			all = append(all, *a)
		}
	}
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { r.verifyAccount(ctx, &all[i]) })
	}
	wait.Wait()
	return all, nil
}

// accountOf is what the configuration says of a source's key; nil: it has none.
func (r *run) accountOf(name string) *account {
	c, server := r.site.Sources[name], r.site.servers[name]
	a := &account{Source: name, Connection: cmp.Or(server.ID, c.Connection, name), Whoami: c.Whoami}
	switch {
	case c.Connection != "":
		a.Key = r.site.Connections[c.Connection].Type + " " + c.Connection
	case len(c.Connections) > 0:
		var keys []string
		for _, scheme := range config.Sorted(c.Connections) {
			keys = append(keys, c.Connections[scheme])
		}
		a.Key = strings.Join(slices.Compact(keys), ", ")
	case len(server.Headers) > 0:
		a.Key = "headers " + strings.Join(config.Sorted(server.Headers), ", ")
	case len(server.Env) > 0:
		a.Key = "variables " + strings.Join(config.Sorted(server.Env), ", ")
	case c.Whoami == "":
		return nil
	}
	return a
}

// verifyAccount asks the far side whose key it sees.
func (r *run) verifyAccount(ctx context.Context, a *account) {
	if a.Whoami == "" {
		a.Reason, a.Fix = "nothing says which operation tells it", fmt.Sprintf("name one that reads: sources.%s.whoami, or \"whoami\" in the server's entry", a.Source)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, whoamiTime)
	defer cancel()
	op, err := r.whoami(a)
	if err == nil {
		var result *twodoor.Result
		result, err = r.engine.Do(ctx, twodoor.Call{Operation: op.ID, Principal: twodoor.Operator, Door: twodoor.DoorCLI})
		if err == nil {
			a.Verified, a.Answer, a.Label = true, result.Value, labelOf(result.Value)
			return
		}
	}
	fault := twodoor.AsError(err)
	a.Reason, a.Fix = fault.Message, fault.Hint
}

// whoami is the operation that tells whose key is used: one of the source itself, that reads.
func (r *run) whoami(a *account) (*twodoor.Operation, error) {
	for _, lost := range r.opened.lost {
		if lost.source == a.Source {
			return nil, lost.err
		}
	}
	for _, name := range []string{a.Whoami, a.Source + "." + a.Whoami} {
		op, _, err := r.engine.Catalog().Find(name)
		switch {
		case err != nil:
			return nil, err
		case op == nil || op.Source() != a.Source:
			continue
		case op.Effect != twodoor.Reads:
			return nil, &twodoor.Error{Code: twodoor.CodeDenied, Message: fmt.Sprintf("whoami names %s, which %s", op.ID, op.Effect), Hint: "name an operation that reads"}
		}
		return op, nil
	}
	return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("whoami names %q, and %s has no such operation", a.Whoami, a.Source), Hint: "list them with: twodoor " + a.Source + " --help"}
}

// labels are the fields by which far sides name an account, the best first.
var labels = []string{"email", "login", "username", "user_name", "handle", "name", "display_name", "displayName", "account", "id", "sub"}

// labelOf is what names an account in an answer: a field of it or of an object in it, else all of it,
// shortened.
func labelOf(value json.RawMessage) string {
	for _, at := range [][]string{nil, {"user"}, {"viewer"}, {"me"}, {"account"}, {"data"}, {"data", "user"}, {"data", "viewer"}} {
		inner, ok := rawjson.GetPath(value, at...)
		if !ok || rawjson.KindOf(inner) != rawjson.KindObject {
			continue
		}
		for _, field := range labels {
			if raw, ok := rawjson.Get(inner, field); ok {
				if text, isText := rawjson.String(raw); isText && text != "" {
					return text
				} else if rawjson.KindOf(raw) == rawjson.KindNumber {
					return string(raw)
				}
			}
		}
	}
	text, isText := rawjson.String(value)
	if !isText {
		text = string(rawjson.Compact(nil, value))
	}
	if runes := []rune(strings.TrimSpace(text)); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return strings.TrimSpace(text)
}
