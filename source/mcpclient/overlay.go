package mcpclient

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// OverlayPath is where the user's own entries beside a file of servers lie: the first .json of its
// name becomes _user.json.
func OverlayPath(file string) string {
	dir, base := filepath.Split(file)
	if at := strings.Index(base, ".json"); at >= 0 {
		return dir + base[:at] + "_user.json" + base[at+len(".json"):]
	}
	return file + "_user"
}

// Overlay lays the user's entries over those of a base. An entry of the same name replaces the
// base's, except where both name an OAuth token file and not the same one: they are two accounts
// then. The user's keeps the name, the base's is served as NAME-base, or the first of NAME-base-2,
// NAME-base-3, … that neither file uses. The inputs stay as they are.
func Overlay(base, user []Server) []Server {
	taken := map[string]bool{}
	own := map[string]*Server{}
	for i := range base {
		taken[base[i].ID] = true
	}
	for i := range user {
		taken[user[i].ID], own[user[i].ID] = true, &user[i]
	}
	var merged []Server
	for i := range base {
		over := own[base[i].ID]
		switch {
		case over == nil:
			merged = append(merged, base[i])
		case otherAccount(&base[i], over):
			merged = append(merged, *over, secondAccount(base[i], taken))
			delete(own, over.ID)
		default:
			merged = append(merged, *over)
			delete(own, over.ID)
		}
	}
	for i := range user {
		if own[user[i].ID] == &user[i] {
			merged = append(merged, user[i])
		}
	}
	return merged
}

// otherAccount reports whether two entries of a name sign in apart.
func otherAccount(a, b *Server) bool {
	x, y := a.tokenFile(), b.tokenFile()
	return x != "" && y != "" && x != y
}

func (s *Server) tokenFile() string {
	for _, key := range []string{"token_file", "tokenFile"} {
		if raw, ok := rawjson.Get(s.OAuth, key); ok {
			if text, _ := rawjson.String(raw); text != "" {
				return filepath.Clean(text)
			}
		}
	}
	return ""
}

// secondAccount is the base's entry under a name of its own, which is taken from then on.
func secondAccount(s Server, taken map[string]bool) Server {
	name := s.ID
	s.ID = name + "-base"
	for n := 2; taken[s.ID]; n++ {
		s.ID = name + "-base-" + strconv.Itoa(n)
	}
	taken[s.ID] = true
	s.Description = strings.TrimSpace(s.Description + " (the base configuration's account of " + name + ")")
	return s
}
