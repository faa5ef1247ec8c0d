package shape

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// More is what an answer says of records that are not in it.
type More struct {
	Shown  int
	Total  int    // of all records; 0: it does not say
	Exists bool   // it says that more follow
	Cursor string // where they go on, if it says so
	ended  bool   // it says that none follow
}

// The names under which far sides say it, without case, _ and -.
var (
	totalNames  = []string{"total", "totalcount", "totalitems", "totalresults", "totalrecords", "totalsize", "count"}
	moreNames   = []string{"hasmore", "hasnext", "hasnextpage", "more"}
	cursorNames = []string{"nextcursor", "nextpagetoken", "nexttoken", "endcursor", "nextpage", "next", "continue", "searchaftertoken", "nextpageuri"}
	holderNames = []string{"meta", "metadata", "paging", "pagination", "pageinfo", "pagingmetadata", "responsemetadata", "cursor", "cursors", "page"}
)

// MoreOf reads what stands beside the records of an answer, in the objects around
// them and in one such as "meta" or "pagination". root is as in [Records]. A
// count that equals what is shown, or that is less, says nothing.
func MoreOf(raw []byte, root string) (m More, ok bool) { return Open(raw, root).More() }

// More is what [MoreOf] tells of the answer.
func (a *Answer) More() (m More, ok bool) {
	found := a.records()
	if found.list == nil || found.path == "" {
		return m, false
	}
	for _, around := range found.around {
		a.read(&m, around, true)
	}
	if m.Exists = m.Exists || m.Cursor != ""; m.ended || !m.Exists && m.Total == 0 {
		return m, false
	}
	m.Shown = found.list.Len
	if m.Total <= m.Shown {
		m.Total = 0
	}
	return m, m.Exists || m.Total > 0
}

func (a *Answer) read(m *More, object *rawjson.Part, holders bool) {
	members := a.members(object)
	for i := range members {
		value := a.text(&members[i])
		name := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(keyOf(&members[i])))
		switch {
		case holders && slices.Contains(holderNames, name):
			a.read(m, &members[i], false)
		case slices.Contains(totalNames, name):
			m.Total = max(m.Total, smallNumber(value))
		case slices.Contains(moreNames, name):
			m.Exists = m.Exists || string(value) == "true"
			m.ended = m.ended || string(value) == "false"
		case slices.Contains(cursorNames, name) && m.Cursor == "":
			m.Cursor, _ = rawjson.String(value)
		}
	}
}

// smallNumber is a count, zero for anything else.
func smallNumber(raw []byte) (n int) {
	if len(raw) > 9 {
		return 0
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}
