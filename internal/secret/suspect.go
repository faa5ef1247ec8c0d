package secret

import "bytes"

// suspect reports whether Hide may find anything in a text. It looks only where something could begin or
// end, with the searches that processors are fast at, and says no to nearly every text; yes may be wrong.
func suspect(text []byte) bool {
	return longWord(text) || assigns(text) || scheme(text) || bytes.Contains(text, []byte("-----BEGIN"))
}

// longWord reports whether a word is long enough for a token and has the form of one: such a word lies
// across one of every minToken bytes.
func longWord(text []byte) bool {
	for at := minToken - 1; at < len(text); at += minToken {
		if class[text[at]] == 0 {
			continue
		}
		from, to := wordAround(text, at)
		if to-from >= minToken && token(text[from:to]) {
			return true
		}
		if to > at {
			at = to - 1 // what lies in this word is looked at
		}
	}
	return false
}

// wordAround is the extent of the word that holds a byte.
func wordAround(text []byte, at int) (from, to int) {
	for from = at; from > 0 && class[text[from-1]] != 0; from-- {
	}
	for to = at + 1; to < len(text) && class[text[to]] != 0; to++ {
	}
	return from, to
}

// assigns reports whether a value is assigned to the name of a secret, or an address holds a password.
func assigns(text []byte) bool {
	for _, sign := range [...]byte{':', '='} {
		for at := bytes.IndexByte(text, sign); at >= 0; {
			if named(text, at) {
				return true
			}
			if sign == ':' && at+1 < len(text) && text[at+1] == '/' {
				if _, _, ok := userinfo(text, at+1); ok {
					return true
				}
			}
			next := bytes.IndexByte(text[at+1:], sign)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return false
}

// named reports whether the name of a secret stands before a sign of assignment.
func named(text []byte, sign int) bool {
	end := sign
	for end > 0 && text[end-1] == ' ' {
		end--
	}
	if end > 0 && (text[end-1] == '"' || text[end-1] == '\'') {
		end--
	}
	for end > 0 && text[end-1] == '\\' {
		end--
	}
	if end < 3 || !tails[int(text[end-2])<<8|int(text[end-1])] {
		return false
	}
	from, _ := wordAround(text[:end], end-1)
	return sensitive(text[from:end])
}

// scheme reports whether a scheme of authorization stands somewhere, before a space.
func scheme(text []byte) bool {
	for at := bytes.IndexByte(text, ' '); at >= 0; {
		if at >= 5 && text[at-1]|0x20 == 'c' && fold(text[at-5:at], "basic") || at >= 6 && text[at-1]|0x20 == 'r' && fold(text[at-6:at], "bearer") {
			return true
		}
		next := bytes.IndexByte(text[at+1:], ' ')
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}
