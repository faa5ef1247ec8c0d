package upstream

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// File is a file of MCP servers in the ecosystem's own format, with the user's overlay beside it.
type File struct {
	Path    string             // absolute
	Base    []byte             // its text
	User    []byte             // the overlay's; nil: there is none
	Servers []mcpclient.Server // merged, in the order of the files
}

// Read reads a file and its overlay. An error is a *[twodoor.Error] that says which of them is at fault.
func Read(path string) (*File, error) {
	f := &File{Path: path}
	var err error
	if f.Base, err = os.ReadFile(path); err != nil {
		return nil, unread(path, err)
	}
	if f.User, err = os.ReadFile(f.Overlay()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unread(f.Overlay(), err)
	}
	f.Servers, err = f.merge(f.User)
	return f, err
}

// Overlay is where the user's own entries lie.
func (f *File) Overlay() string { return mcpclient.OverlayPath(f.Path) }

// Edited reports whether one of the two files is not what was read.
func (f *File) Edited() bool {
	base, _ := os.ReadFile(f.Path)
	user, _ := os.ReadFile(f.Overlay())
	return !bytes.Equal(base, f.Base) || !bytes.Equal(user, f.User)
}

// merge lays an overlay over the base.
func (f *File) merge(user []byte) ([]mcpclient.Server, error) {
	base, err := f.parse(f.Path, f.Base)
	if err != nil || len(user) == 0 {
		return base, err
	}
	own, err := f.parse(f.Overlay(), user)
	if err != nil {
		return nil, err
	}
	return mcpclient.Overlay(base, own), nil
}

func (f *File) parse(path string, text []byte) ([]mcpclient.Server, error) {
	servers, err := mcpclient.ParseServers(text)
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: path + ": " + err.Error(), Hint: `write it like {"mcpServers":{"notes":{"command":"notes-server"}}}`, Cause: err}
	}
	return servers, nil
}

func unread(path string, err error) error {
	fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot read " + path, Hint: "make it readable for this user", Cause: err}
	if errors.Is(err, fs.ErrNotExist) {
		fault.Message, fault.Hint = "there is no file "+path, `write {"mcpServers":{}} into it, or take mcp_servers: out of the configuration`
	}
	return fault
}

// Names gives each server the name of a source: as [mcpclient.SourceNames] has it, and another one
// where that is taken or refused.
func Names(servers []mcpclient.Server, free func(name string) bool) map[string]string {
	ids := make([]string, len(servers))
	for i := range servers {
		ids[i] = servers[i].ID
	}
	wanted := mcpclient.SourceNames(ids)
	names := make(map[string]string, len(ids))
	used := map[string]bool{}
	for _, id := range ids {
		name := firstFree(wanted[id], func(name string) bool { return free(name) && !used[name] })
		names[id], used[name] = name, true
	}
	return names
}

func firstFree(name string, free func(string) bool) string {
	for _, other := range []string{name, name + "-mcp", "mcp-" + name} {
		if free(other) {
			return other
		}
	}
	for n := 2; ; n++ {
		if other := fmt.Sprintf("mcp-%s-%s", name, strconv.Itoa(n)); free(other) {
			return other
		}
	}
}
