package secret

import (
	"bytes"
	"strings"
)

// Hide takes out of a text what looks like a secret: values of keys whose name says so (in JSON, in
// JSON inside a JSON string, in a query, in a header), and words that have the form of a known kind
// of token. One pass; the text itself is returned where nothing was found.
func Hide(text []byte) []byte {
	if !suspect(text) {
		return text
	}
	return hide(text)
}

func hide(text []byte) []byte {
	var out []byte
	kept := 0 // text[:kept] is in out
	for i := 0; i < len(text); {
		if class[text[i]] == 0 {
			if text[i] == '/' {
				if from, to, ok := userinfo(text, i); ok {
					out = append(append(out, text[kept:from]...), Mask...)
					kept, i = to, to
					continue
				}
			}
			i++
			continue
		}
		end := i + 1
		for end < len(text) && class[text[end]] != 0 {
			end++
		}
		if from, to, quote := hit(text, i, end); to > 0 {
			out = append(append(out, text[kept:from]...), quote...)
			out = append(append(out, Mask...), quote...)
			kept, end = to, to
		}
		i = end
	}
	if out == nil {
		return text
	}
	return append(out, text[kept:]...)
}

// class marks the bytes of a word.
var class = func() (class [256]uint8) {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-." {
		class[c] = 1
	}
	return class
}()

// hit tells which part of the text is to go, for the word from i to end, and in which quotes the mask
// stands for it. Nothing is to go: to is 0.
func hit(text []byte, i, end int) (from, to int, quote []byte) {
	word := text[i:end]
	if tail(word) && sensitive(word) && assigned(text, end) {
		if from, to, quote = valueAt(text, end); to > 0 {
			return from, to, quote
		}
	}
	switch {
	case len(word) >= 5 && len(word) <= 6 && end < len(text) && text[end] == ' ' && (fold(word, "bearer") || fold(word, "basic")):
		if to = wordEnd(text, end+1); to-end > 8 {
			return end + 1, to, nil
		}
	case word[0] == '-' && bytes.HasPrefix(word, []byte("-----BEGIN")):
		return i, pemEnd(text, i), nil
	case len(word) >= minToken && token(word):
		return i, wordEnd(text, end), nil
	}
	return 0, 0, nil
}

// assigned reports whether a word is followed by a colon or an equals sign, with or without a quote
// between, which may itself be escaped.
func assigned(text []byte, end int) bool {
	end = skipQuote(text, end)
	for end < len(text) && text[end] == ' ' {
		end++
	}
	return end < len(text) && (text[end] == ':' || text[end] == '=')
}

func skipQuote(text []byte, i int) int {
	for i < len(text) && text[i] == '\\' {
		i++
	}
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		i++
	}
	return i
}

// valueAt is the extent of the value that is assigned to the word before end. Where the value has no
// quotes and the key has, the mask gets those of the key: what was JSON stays JSON.
func valueAt(text []byte, end int) (from, to int, quote []byte) {
	i := skipQuote(text, end)
	quote = text[end:i]
	for i < len(text) && (text[i] == ' ' || text[i] == ':' || text[i] == '=') {
		i++
	}
	switch open := skipQuote(text, i); {
	case i == len(text), text[i] == '{': // what is in an object has names of its own
		return 0, 0, nil
	case open > i:
		from, to, quote = open, closing(text, open, text[i:open]), nil
	case text[i] == '[':
		close := bytes.IndexByte(text[i:], ']')
		if close <= 1 {
			return 0, 0, nil
		}
		return i + 1, i + close, quote
	default:
		from, to = i, bareEnd(text, i)
	}
	switch string(text[from:to]) {
	case "", "null", "true", "false", Mask:
		return 0, 0, nil
	}
	return from, to, quote
}

// bareEnd is where a value without quotes ends.
func bareEnd(text []byte, i int) int {
	to := i
	for to < len(text) && strings.IndexByte(",;&\"'\\}]) \t\r\n", text[to]) < 0 {
		to++
	}
	if to < len(text) && text[to] == ' ' && (fold(text[i:to], "bearer") || fold(text[i:to], "basic")) {
		to = wordEnd(text, to+1)
	}
	return to
}

// closing is where a quoted value ends: at the same quote, which no escape takes. With n backslashes
// in the quote, as in text that is quoted several times over, 2(n+1) more stand for characters of the
// value each.
func closing(text []byte, from int, quote []byte) int {
	n := len(quote) - 1
	for i := from; i < len(text); i++ {
		run := i
		for run < len(text) && text[run] == '\\' {
			run++
		}
		if run < len(text) && text[run] == quote[n] && (run-i)%(2*(n+1)) == n {
			return run - n
		}
		i = run
	}
	return len(text)
}

// wordEnd is where a token ends, which may hold what base64 does.
func wordEnd(text []byte, i int) int {
	for i < len(text) && (class[text[i]] != 0 || strings.IndexByte("+/=~", text[i]) >= 0) {
		i++
	}
	return i
}

// pemEnd is where a private key in PEM ends, or 0: certificates and public keys are no secrets.
func pemEnd(text []byte, i int) int {
	if !bytes.Contains(text[i:min(len(text), i+48)], []byte("PRIVATE KEY")) {
		return 0
	}
	end := bytes.Index(text[i:], []byte("-----END"))
	if end < 0 {
		return len(text)
	}
	to := i + end + len("-----END")
	for to < len(text) && text[to] != '"' && text[to] != '\\' && text[to] != '\n' {
		to++
	}
	return to
}

// userinfo is the extent of a password in an address, for the first slash of "://".
func userinfo(text []byte, i int) (from, to int, ok bool) {
	if i == 0 || text[i-1] != ':' || i+1 >= len(text) || text[i+1] != '/' {
		return 0, 0, false
	}
	for j := i + 2; j < len(text) && j < i+512; j++ {
		switch text[j] {
		case ':':
			if from == 0 {
				from = j + 1
			}
		case '@':
			return from, j, from != 0 && j > from
		case '/', '"', ' ', '\n', '?', '#', '\\':
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// minToken is the shortest word that is taken for a token by its form.
const minToken = 20

// forms are the beginnings of tokens that tell their kind, by first byte.
var forms = func() (forms [256][]string) {
	for _, form := range []string{
		"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-",
		"sk-", "sk_live_", "sk_test_", "rk_live_", "pk_live_", "whsec_", "AKIA", "ASIA", "AIza", "ya29.", "npm_", "pypi-", "hf_",
		"dop_v1_", "SG.", "shpat_", "lin_api_", "secret_", "twodoor_", "eyJ",
	} {
		forms[form[0]] = append(forms[form[0]], form)
	}
	return forms
}()

// token reports whether a word has the form of a known kind of token.
func token(word []byte) bool {
	for _, form := range forms[word[0]] {
		if len(word) < len(form) || string(word[:len(form)]) != form {
			continue
		}
		switch form {
		case "eyJ":
			return bytes.Count(word, []byte(".")) >= 2
		case "AKIA", "ASIA":
			return len(word) == 20 && bytes.Equal(word, bytes.ToUpper(word))
		}
		return bytes.ContainsAny(word[len(form):], "0123456789")
	}
	return false
}

// sensitive reports whether the name of a key says that its value is a secret: "api_key", "apiKey"
// and "X-API-KEY" are one name.
func sensitive(name []byte) bool {
	if dot := bytes.LastIndexByte(name, '.'); dot >= 0 {
		name = name[dot+1:]
	}
	var buffer [48]byte
	key := buffer[:0]
	for _, c := range name {
		switch {
		case c == '_' || c == '-':
		case len(key) == len(buffer):
			return false
		case c >= 'A' && c <= 'Z':
			key = append(key, c|0x20)
		default:
			key = append(key, c)
		}
	}
	for _, end := range secretEnds[lastByte(key)] {
		if bytes.HasSuffix(key, []byte(end)) {
			return end != "token" || !harmless(key)
		}
	}
	return false
}

func lastByte(key []byte) byte {
	if len(key) == 0 {
		return 0
	}
	return key[len(key)-1]
}

// secretEnds are how the names of secrets end, by last byte.
var secretEnds = func() (ends [256][]string) {
	for _, end := range []string{
		"password", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets", "apikey", "accesskey", "secretkey", "privatekey", "signingkey",
		"encryptionkey", "authorization", "cookie", "credential", "credentials", "token", "otp", "pincode", "clientassertion", "sastoken",
	} {
		last := end[len(end)-1]
		ends[last] = append(ends[last], end)
	}
	return ends
}()

// tails are the last two bytes that names of secrets have, in any case, and those that a separator may
// stand between.
var tails = func() (tails [1 << 16]bool) {
	set := func(a, b byte) {
		for _, x := range [...]byte{a, a &^ 0x20} {
			for _, y := range [...]byte{b, b &^ 0x20} {
				tails[int(x)<<8|int(y)] = true
			}
		}
	}
	for last, ends := range secretEnds {
		for _, end := range ends {
			set(end[len(end)-2], byte(last))
		}
	}
	for c := range 256 {
		for _, separator := range "_-" {
			tails[c<<8|int(separator)], tails[int(separator)<<8|c] = true, true
		}
	}
	return tails
}()

// tail reports whether a word may be the name of a secret, by its end alone: nearly all are not.
func tail(word []byte) bool {
	n := len(word)
	return n >= 3 && tails[int(word[n-2])<<8|int(word[n-1])]
}

// harmless are words that make a token one of paging.
func harmless(key []byte) bool {
	for _, word := range []string{"page", "next", "cursor", "continu", "sync", "resume", "max"} {
		if bytes.Contains(key, []byte(word)) {
			return true
		}
	}
	return false
}

func fold(word []byte, lower string) bool {
	if len(word) != len(lower) {
		return false
	}
	for i, c := range word {
		if c|0x20 != lower[i] {
			return false
		}
	}
	return true
}
