package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// maxText is how long an answer may be before it goes to a file, in bytes: hosts cut longer ones
// themselves, and nobody can tell where.
const maxText = 128 << 10

// spiller puts answers that are too long to read into a file, and hands on their two ends. Without a
// folder it hands everything on.
type spiller struct {
	next twodoor.Invoker
	dir  string
}

// Invoke makes the call.
func (s *spiller) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	value, err := s.next.Invoke(ctx, in)
	if err != nil || value == nil || s.dir == "" || len(value.JSON) <= maxText {
		return value, err
	}
	whole, isText := rawjson.String(value.JSON)
	ending := ".txt"
	if !isText {
		whole, ending = string(value.JSON), ".json"
	}
	if len(whole) <= maxText {
		return value, nil
	}
	file, err := s.write(in.Operation.Spelling().MCP, ending, whole)
	if err != nil {
		value.Notes = append(value.Notes, "the answer is long, and could not be put into a file: "+err.Error())
		return value, nil
	}
	short := ends(whole, maxText)
	value.JSON, value.MediaType, value.Raw = rawjson.Quote(short), "text/plain", nil
	value.Notes = append(value.Notes, fmt.Sprintf("%d of %d bytes are shown, from both ends; the whole answer is in %s", len(short), len(whole), file))
	return value, nil
}

// write makes a file of its own for an answer. Others of this machine cannot read it.
func (s *spiller) write(tool, ending, text string) (string, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(s.dir, "tool_"+tool+"_*"+ending) // 0600
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	if closing := file.Close(); err == nil {
		err = closing
	}
	path, abs := filepath.Abs(file.Name())
	if abs != nil {
		path = file.Name()
	}
	return path, err
}

// ends are the first three quarters and the last quarter of what a text may have, cut between runes.
func ends(text string, bound int) string {
	head, tail := bound/4*3, len(text)-bound/4
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return strings.Join([]string{text[:head], fmt.Sprintf("… %d bytes are left out here …", tail-head), text[tail:]}, "\n")
}
