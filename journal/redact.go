package journal

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/secret"
)

// Arguments says what is kept of arguments and answers.
type Arguments string

// The modes of contracts §4; the empty one means ArgumentsRedacted.
const (
	ArgumentsRedacted Arguments = "redacted"
	ArgumentsDigest   Arguments = "digest" // equal arguments have equal digests; no answers
	ArgumentsNone     Arguments = "none"
)

// Redaction is what a record goes through before it is kept anywhere. The zero value keeps arguments
// and answers within the default bounds, and masks what looks like a secret.
type Redaction struct {
	Live         func([]byte) []byte // takes out every secret that is in use, in all spellings; nil: knows none
	Arguments    Arguments
	MaxArguments int    // bytes; 0: 4 KiB
	MaxAnswer    int    // bytes; 0: 1 KiB
	Key          []byte // of the digests
}

// margin is kept behind the bound of a text until it is redacted: a secret that lies across the bound
// is then seen whole, unless it is longer and has no form of its own.
const margin = 1 << 10

// Bounds where a Redaction sets none, in bytes.
const (
	defaultArguments = 4 << 10
	defaultAnswer    = 1 << 10
)

// line is the record as it is kept: bounded, redacted, one line of JSON. It changes the record.
func (x *Redaction) line(dst []byte, r *Record) []byte {
	switch x.Arguments {
	case ArgumentsDigest:
		r.Arguments, r.Answer = x.digest(r.Arguments), nil
	case ArgumentsNone:
		r.Arguments, r.Answer = nil, nil
	}
	var arguments, answer int
	r.Arguments, arguments = x.bound(r.Arguments, cmp.Or(x.MaxArguments, defaultArguments))
	r.Answer, answer = x.bound(r.Answer, cmp.Or(x.MaxAnswer, defaultAnswer))
	r.ArgsBytes, r.AnsBytes = max(r.ArgsBytes, arguments), max(r.AnsBytes, answer)
	begun := len(dst)
	dst = appendRecord(dst, r)
	raw := dst[begun:]
	clean := x.clean(raw)
	if len(clean) == len(raw) && &clean[0] == &raw[0] || bytes.Equal(clean, raw) {
		return dst
	}
	return x.mend(dst[:begun], r, clean)
}

// clean takes secrets out of a text, also those whose characters JSON has escaped without need.
func (x *Redaction) clean(text []byte) []byte {
	if x.Live != nil {
		text = x.Live(text)
		if escapesMore(text) {
			plain := unescape(text)
			if clean := x.Live(plain); !bytes.Equal(clean, plain) {
				text = clean
			}
		}
	}
	return secret.Hide(text)
}

// escapesMore reports whether a text escapes characters that JSON need not.
func escapesMore(text []byte) bool {
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			return false
		}
		if next := text[at+1]; next == 'u' || next == '/' {
			return true
		}
		text = text[at+1:] // what follows may be a backslash of JSON inside JSON
	}
}

// unescape writes every character that JSON need not escape as itself, in JSON inside JSON too.
func unescape(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		run := i
		for run < len(text) && text[run] == '\\' {
			run++
		}
		switch r, ok := escaped(text, run); {
		case ok:
			out, i = utf8.AppendRune(out, r), run+4
		case run < len(text) && text[run] == '/':
			out, i = append(out, '/'), run
		default:
			out, i = append(out, text[i:run]...), run-1
			if run < len(text) { // what it escapes is no escape itself
				out, i = append(out, text[run]), run
			}
		}
	}
	return out
}

// escaped reads uXXXX of a character that may stand for itself.
func escaped(text []byte, i int) (rune, bool) {
	if i+5 > len(text) || text[i] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[i+1:i+5]), 16, 16)
	r := rune(n)
	return r, err == nil && r >= 0x20 && r != '"' && r != '\\' && utf8.ValidRune(r)
}

// mend takes a redacted line over. The fields beside it are read from it again, so that no column
// keeps what the line has lost. A line that redaction has broken keeps no arguments and no texts.
func (x *Redaction) mend(dst []byte, r *Record, clean []byte) []byte {
	var mended Record
	if rawjson.Check(clean) != nil || json.Unmarshal(clean, &mended) != nil {
		mended = Record{Kind: r.Kind, CallID: r.CallID, At: r.At, Door: r.Door, Principal: r.Principal, Upstream: r.Upstream,
			Effect: r.Effect, Outcome: r.Outcome, Code: r.Code, Duration: r.Duration, BytesOut: r.BytesOut, Dropped: r.Dropped}
		clean = appendRecord(nil, &mended)
	}
	*r = mended
	return append(dst, clean...)
}

// bound cuts a value that is over its bound; it is then a text, and its whole length is told.
func (x *Redaction) bound(raw json.RawMessage, most int) (json.RawMessage, int) {
	switch {
	case len(raw) == 0:
		return nil, 0
	case len(raw) <= most && rawjson.Check(raw) != nil: // as a caller wrote it
		return rawjson.AppendString(nil, bounded(string(x.clean(raw)), most)), 0
	case len(raw) <= most && bytes.IndexByte(raw, '\n') >= 0:
		return rawjson.Compact(nil, raw), 0
	case len(raw) <= most:
		return raw, 0
	}
	text := bounded(string(x.cut(raw, most)), most)
	return rawjson.AppendString(make([]byte, 0, len(text)+len(text)/4), text), len(raw)
}

// cut is the beginning of a text, ended so that no part of a secret is left: the line that it comes
// into is redacted as a whole, but a secret of which the end is missing might not be known there.
func (x *Redaction) cut(raw []byte, most int) []byte {
	for ; x.Live != nil && most > 0; most -= margin {
		around := raw[max(0, most-margin):min(len(raw), most+margin)]
		if bytes.Equal(x.Live(around), around) {
			break
		}
	}
	end := max(0, most)
	for back := end; back > 0 && end-back < margin/2; back-- {
		if strings.IndexByte(" \n\t\",", raw[back-1]) >= 0 {
			return raw[:back]
		}
	}
	return raw[:end]
}

func (x *Redaction) digest(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	mac := hmac.New(sha256.New, x.Key)
	mac.Write(rawjson.AppendCanonical(nil, raw))
	return rawjson.Quote("hmac-sha256:" + hex.EncodeToString(mac.Sum(nil)[:16]))
}
