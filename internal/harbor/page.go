package harbor

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// cursorPage is a page of a list that is read on with an opaque cursor.
type cursorPage[T any] struct {
	Items      []T     `json:"items"`
	Total      int     `json:"total"`
	NextCursor *string `json:"next_cursor"`
}

// pageFrom cuts the page that begins at the offset.
func pageFrom[T any](all []T, offset, limit int) cursorPage[T] {
	page := cursorPage[T]{Items: window(all, offset, limit), Total: len(all)}
	if offset+limit < len(all) {
		next := toCursor(offset + limit)
		page.NextCursor = &next
	}
	return page
}

// window is the part of a list from offset on, at most limit long, never nil.
func window[T any](all []T, offset, limit int) []T {
	if offset >= len(all) {
		return []T{}
	}
	return all[offset:min(offset+limit, len(all))]
}

const cursorPrefix = "harbor:"

func toCursor(offset int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorPrefix + strconv.Itoa(offset)))
}

// cursor reads a cursor that toCursor made; absent means the beginning.
func (p *params) cursor(name string) int {
	text := p.in.query.Get(name)
	if text == "" {
		return 0
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	number, found := strings.CutPrefix(string(raw), cursorPrefix)
	offset, bad := strconv.Atoi(number)
	if err != nil || !found || bad != nil || offset < 0 {
		p.fault(name, "is no cursor of Harbor's; take next_cursor of the page before, or leave it out")
		return 0
	}
	return offset
}
