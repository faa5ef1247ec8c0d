package upstream

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// Shown is the merged file as clients may read it: {"mcpServers":{…}}, every secret masked.
func (f *File) Shown() json.RawMessage {
	var all, whole rawjson.Object
	for i := range f.Servers {
		all.Put(f.Servers[i].ID, Mask(f.Servers[i].Raw))
	}
	whole.Put("mcpServers", all.Bytes())
	return whole.Bytes()
}

// Change is what a posted {"mcpServers":{…}} makes of the overlay, and of the servers. Entries that are
// those of the base are not repeated there; secrets that come back masked stay what they are. Nothing is
// written yet. The fault of a refused one names every entry that cannot be served.
func (f *File) Change(posted json.RawMessage) (overlay []byte, servers []mcpclient.Server, err error) {
	wanted, err := mcpclient.ParseServers(posted)
	if err != nil {
		return nil, nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: err.Error(), Hint: `write it like {"mcpServers":{"notes":{"command":"notes-server"}}}`, Cause: err}
	}
	base, err := f.parse(f.Path, f.Base)
	if err != nil {
		return nil, nil, err
	}
	known, originals := byID(f.Servers), byID(base)
	var own rawjson.Object
	var problems []twodoor.Problem
	for _, server := range wanted {
		entry := server.Raw
		if old, ok := known[server.ID]; ok {
			entry = Unmask(entry, old)
		}
		server, err = mcpclient.ParseServer(server.ID, entry)
		if err != nil {
			return nil, nil, err
		}
		if problem := problemOf(&server); problem != "" {
			problems = append(problems, twodoor.Problem{Path: "mcpServers." + server.ID, Problem: problem})
		}
		if rawjson.Equal(originals[server.ID], entry) || f.isSecond(server.ID, entry) {
			continue
		}
		own.Put(server.ID, entry)
	}
	if len(problems) > 0 {
		return nil, nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the configuration is refused, the present one stays", Fields: problems, Hint: "correct these entries and send all of it again"}
	}
	var whole rawjson.Object
	whole.Put("mcpServers", own.Bytes())
	overlay = append(rawjson.Indent(nil, whole.Bytes(), "  "), '\n')
	servers, err = f.merge(overlay)
	return overlay, servers, err
}

// isSecond reports whether an entry is the base's second account, which the merge makes.
func (f *File) isSecond(id string, entry json.RawMessage) bool {
	if !strings.Contains(id, "-base") {
		return false
	}
	base, _ := f.parse(f.Path, f.Base)
	for _, server := range base {
		if rawjson.Equal(server.Raw, entry) {
			return true
		}
	}
	return false
}

func problemOf(server *mcpclient.Server) string {
	if server.Problem != "" {
		return server.Problem
	}
	if strings.Contains(string(server.Raw), secret.Mask) {
		return fmt.Sprintf("a secret in it is masked (%s) and not known: write it, or a reference like ${env:NAME}", secret.Mask)
	}
	return ""
}

func byID(servers []mcpclient.Server) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, server := range servers {
		all[server.ID] = server.Raw
	}
	return all
}

// Write writes the overlay, as a whole, for this user alone: it can hold secrets.
func (f *File) Write(overlay []byte, replace func(path string, text []byte, mode os.FileMode) error) error {
	if err := replace(f.Overlay(), overlay, 0o600); err != nil {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot write " + f.Overlay(), Hint: "make its folder writable for this user", Cause: err}
	}
	return nil
}
