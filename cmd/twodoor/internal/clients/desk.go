package clients

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// Desk changes the files of clients. Before each change it keeps the file as it was, and records what
// it wrote, so that the file can be given back byte for byte.
type Desk struct {
	Place Place  // required
	Self  Self   // required
	State string // required; folder of the records and backups
}

// Action is what is done to a file.
type Action string

// The actions.
const (
	Add     Action = "add"
	Replace Action = "replace"
	Nothing Action = "nothing" // it is as wanted
	Restore Action = "restore" // the file becomes what it was, byte for byte
	Remove  Action = "remove"  // the entry alone is taken out
)

// Change is what is to be done to a client's file, or was done.
type Change struct {
	Client string          `json:"client"`
	Name   string          `json:"name"`
	Scope  Scope           `json:"scope"`
	File   string          `json:"file"`
	Key    string          `json:"key"`
	Action Action          `json:"action"`
	Entry  json.RawMessage `json:"entry,omitempty"`
	Hidden []string        `json:"replaced_names,omitempty"` // names of the variables and headers of the entry that is replaced
	Backup string          `json:"backup,omitempty"`
	Note   string          `json:"note,omitempty"`

	file File
	edit Edit
	old  []byte // the entry that is replaced
}

// maxFile bounds a client's file.
const maxFile = 64 << 20

// Put plans to write an entry of a name. An entry of that name that does not lead to us is a conflict,
// unless it may be replaced. Nothing is written yet.
func (d *Desk) Put(f File, name string, e Entry, replace bool) (*Change, error) {
	raw, err := e.For(f.Client)
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: err.Error()}
	}
	ch := d.change(f, name)
	ch.Entry, ch.edit.Entry, ch.edit.Input = raw, raw, e.question(f.Client)
	text, _, err := d.read(f.Path)
	if err != nil {
		return nil, d.refused(ch, e, err)
	}
	if ch.old, err = ch.edit.Get(text); err != nil {
		return nil, d.refused(ch, e, err)
	}
	if as := d.equal(text, ch); as != "" {
		ch.Action, ch.Key, ch.Note = Nothing, strings.TrimSuffix(ch.Key, name)+as, ""
		return ch, nil
	}
	if ch.old != nil {
		if !d.mine(ch) && !replace {
			return nil, &twodoor.Error{
				Code: twodoor.CodeConflict, Message: fmt.Sprintf("%s has an entry %q already, which is not this program", d.Place.Short(f.Path), name),
				Hint: "keep both with --name OTHER, or write over it with --replace",
			}
		}
		ch.Action, ch.Hidden = Replace, namesIn(ch.old)
	}
	if _, err := ch.edit.Put(text); err != nil {
		return nil, d.refused(ch, e, err)
	}
	return ch, nil
}

func (d *Desk) change(f File, name string) *Change {
	edit := f.edit(d.Place, name)
	return &Change{
		Client: f.Client.ID, Name: name, Scope: f.Scope, File: f.Path, Key: pathText(edit.Path), Action: Add,
		Note: f.Client.Note, file: f, edit: edit,
	}
}

// equal is the name of an entry that is what is wanted already; empty: there is none.
func (d *Desk) equal(text []byte, ch *Change) string {
	if rawjson.Equal(ch.old, ch.Entry) {
		return ch.Name
	}
	if ch.old != nil {
		return ""
	}
	all, err := Read(ch.File, text)
	if err != nil {
		return ""
	}
	want := server(ch.Name, ch.Entry)
	for _, found := range all {
		if found.Folder == "" && ch.Scope != Local && d.Self.Starts(found.Server) && sameReach(found.Server, want) {
			return found.Server.ID
		}
	}
	return ""
}

func sameReach(a, b mcpclient.Server) bool {
	return a.Command == b.Command && strings.Join(a.Args, "\x00") == strings.Join(b.Args, "\x00") && a.URL == b.URL && !a.Disabled
}

// mine reports whether the entry that a change finds is ours: it leads to us, or is what we wrote.
func (d *Desk) mine(ch *Change) bool {
	if d.Self.Starts(server(ch.Name, ch.old)) {
		return true
	}
	rec, known := d.recordOf(ch)
	return known && rawjson.Equal(rec.Entry, ch.old)
}

func server(name string, raw []byte) mcpclient.Server {
	s, _ := mcpclient.ParseServer(name, raw) // what cannot be read is nobody's
	return s
}

// namesIn lists the names of the variables and headers of an entry: all of it that may be shown.
func namesIn(entry []byte) []string {
	var names []string
	for _, key := range []string{"env", "headers", "http_headers"} {
		all, _ := rawjson.Get(entry, key)
		for name := range rawjson.Members(all) {
			names = append(names, name)
		}
	}
	return names
}

// Write carries out a planned Put on the file as it is now.
func (d *Desk) Write(ch *Change) error {
	if ch.Action == Nothing {
		return nil
	}
	if d.State == "" {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no folder for backups, so nothing is written", Hint: "set HOME or XDG_STATE_HOME"}
	}
	text, there, err := d.read(ch.File)
	if err != nil {
		return unwritable(d.Place.Short(ch.File), err)
	}
	out, err := ch.edit.Put(text)
	if err != nil {
		return unwritable(d.Place.Short(ch.File), err)
	}
	rec := record{File: ch.File, Key: ch.Key, There: there, Before: hashOf(text), After: hashOf(out), Whole: ch.old == nil || !d.mine(ch), Entry: ch.Entry}
	if old, ok := d.recordOf(ch); ok && old.After == rec.Before {
		rec.There, rec.Before, rec.Backup, rec.Made, rec.Whole = old.There, old.Before, old.Backup, old.Made, old.Whole
	} else if there {
		if rec.Backup, err = d.backup(ch.File, text); err != nil {
			return err
		}
	}
	if err := mkdirs(filepath.Dir(ch.File), &rec.Made); err != nil {
		return unwritable(d.Place.Short(ch.File), err)
	}
	if err := d.replace(ch, out); err != nil {
		return err
	}
	ch.Backup = rec.Backup
	return d.keep(ch, rec)
}

// replace writes a file and reads it back.
func (d *Desk) replace(ch *Change, text []byte) error {
	mode := fs.FileMode(0o600)
	if ch.Scope == Project {
		mode = 0o644
	}
	if err := config.WriteFile(ch.File, text, mode); err != nil {
		return unwritable(d.Place.Short(ch.File), err)
	}
	back, err := os.ReadFile(ch.File)
	if err == nil && !bytes.Equal(back, text) {
		err = errors.New("something else has written to it at the same moment")
	}
	if err != nil {
		return unwritable(d.Place.Short(ch.File), err)
	}
	return nil
}

// Take plans to take our entry of a name out.
func (d *Desk) Take(f File, name string) (*Change, error) {
	ch := d.change(f, name)
	ch.Action = Nothing
	text, there, err := d.read(f.Path)
	if err != nil {
		return nil, unwritable(d.Place.Short(f.Path), err)
	}
	rec, known := d.recordOf(ch)
	if !there {
		return ch, nil
	}
	if known && rec.Whole && rec.After == hashOf(text) {
		ch.Action, ch.Backup = Restore, rec.Backup
		return ch, nil
	}
	ch.edit.Input = inputQuestion
	if ch.old, err = ch.edit.Get(text); err != nil {
		return nil, unwritable(d.Place.Short(f.Path), err)
	}
	switch {
	case ch.old == nil:
		return ch, nil
	case !d.mine(ch):
		return nil, &twodoor.Error{
			Code: twodoor.CodeConflict, Message: fmt.Sprintf("the entry %q in %s is not this program", name, d.Place.Short(f.Path)),
			Hint: "name ours with --name, or edit the file yourself",
		}
	}
	if _, _, err := ch.edit.Take(text); err != nil {
		return nil, unwritable(d.Place.Short(f.Path), err)
	}
	ch.Action, ch.Backup = Remove, rec.Backup
	return ch, nil
}

// Clear carries out a planned Take.
func (d *Desk) Clear(ch *Change) error {
	if ch.Action == Nothing {
		return d.forget(ch)
	}
	text, _, err := d.read(ch.File)
	if err != nil {
		return unwritable(d.Place.Short(ch.File), err)
	}
	rec, known := d.recordOf(ch)
	if known && rec.Whole && rec.After == hashOf(text) {
		return d.giveBack(ch, rec)
	}
	out, _, err := ch.edit.Take(text)
	if err != nil {
		return unwritable(d.Place.Short(ch.File), err)
	}
	if err := d.replace(ch, out); err != nil {
		return err
	}
	return d.forget(ch)
}

// giveBack makes the file what it was.
func (d *Desk) giveBack(ch *Change, rec record) error {
	if !rec.There {
		if err := os.Remove(ch.File); err != nil {
			return unwritable(d.Place.Short(ch.File), err)
		}
		for _, dir := range rec.Made {
			_ = os.Remove(dir) // one that is not empty stays
		}
		return d.forget(ch)
	}
	text, err := os.ReadFile(rec.Backup)
	if err == nil && hashOf(text) != rec.Before {
		err = errors.New("it is not what was kept")
	}
	if err != nil {
		return &twodoor.Error{
			Code: twodoor.CodeInternal, Message: fmt.Sprintf("the backup %s cannot be used: %v", rec.Backup, err),
			Hint: "take the entry " + ch.Key + " out of " + d.Place.Short(ch.File) + " by hand", Cause: err,
		}
	}
	if err := d.replace(ch, text); err != nil {
		return err
	}
	_ = os.Remove(rec.Backup) // the file is the same now
	ch.Backup = ""
	return d.forget(ch)
}

// read is the text of a file that can be written to. One that is not there is empty.
func (d *Desk) read(path string) (text []byte, there bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linked := os.Lstat(path); linked == nil {
			return nil, false, errors.New("it is a link to a file that is not there")
		}
		return nil, false, nil
	}
	switch {
	case err != nil:
		return nil, false, err
	case !info.Mode().IsRegular():
		return nil, false, errors.New("it is no file")
	case info.Mode().Perm()&0o200 == 0:
		return nil, false, errors.New("it is read-only")
	case info.Size() > maxFile:
		return nil, false, fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	text, err = os.ReadFile(path)
	return text, true, err
}

// refused says why a file is left as it is, and what to paste.
func (d *Desk) refused(ch *Change, e Entry, cause error) error {
	fault := unwritable(d.Place.Short(ch.File), cause)
	if text, err := ch.file.Client.Paste(d.Place, ch.Scope, ch.Name, e); err == nil {
		fault.Hint = "mend the file, or put this into it yourself:\n" + text
	}
	return fault
}

func unwritable(file string, cause error) *twodoor.Error {
	var known *twodoor.Error
	if errors.As(cause, &known) {
		return known
	}
	said := cause
	if path, ok := errors.AsType[*fs.PathError](cause); ok {
		said = path.Err
	}
	return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s is left as it is: %v", file, said), Hint: "mend the file, then do it again", Cause: cause}
}

// mkdirs makes the folders that are missing, and notes those that it made, the deepest first.
func mkdirs(dir string, made *[]string) error {
	var missing []string
	for at := dir; !exists(at) && at != filepath.Dir(at); at = filepath.Dir(at) {
		missing = append(missing, at)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	*made = append(*made, missing...)
	return nil
}

// record is what was written into a file, and how to undo it.
type record struct {
	File   string          `json:"file"`
	Key    string          `json:"key"`
	Entry  json.RawMessage `json:"entry"`
	There  bool            `json:"there"`  // before
	Whole  bool            `json:"whole"`  // the file as it was before had no entry of ours
	Before string          `json:"before"` // SHA-256
	After  string          `json:"after"`
	Backup string          `json:"backup,omitempty"`
	Made   []string        `json:"made,omitempty"` // folders
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (d *Desk) recordPath(ch *Change) string {
	return filepath.Join(d.State, "clients", hashOf([]byte(ch.File + "\x00" + strings.Join(ch.edit.Path, "\x00")))[:24]+".json")
}

func (d *Desk) recordOf(ch *Change) (rec record, ok bool) {
	raw, err := os.ReadFile(d.recordPath(ch))
	return rec, err == nil && json.Unmarshal(raw, &rec) == nil && rec.File == ch.File
}

func (d *Desk) keep(ch *Change, rec record) error {
	raw, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	path := d.recordPath(ch)
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = config.WriteFile(path, append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep what was written to %s: %w", ch.File, err)
	}
	return nil
}

func (d *Desk) forget(ch *Change) error {
	if err := os.Remove(d.recordPath(ch)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// backup keeps a text and says where.
func (d *Desk) backup(file string, text []byte) (string, error) {
	dir := filepath.Join(d.State, "backups")
	path := filepath.Join(dir, fmt.Sprintf("%s.%s.%s", strings.TrimPrefix(filepath.Base(file), "."), time.Now().UTC().Format("20060102-150405"), hashOf([]byte(file + hashOf(text)))[:8]))
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = config.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return "", &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("no backup can be kept in %s, so nothing is written: %v", dir, err), Hint: "make that folder writable, or set XDG_STATE_HOME", Cause: err}
	}
	return path, nil
}
