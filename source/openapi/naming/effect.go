package naming

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
)

// Effect is what a call of an operation does to the far side, with the reason in one line.
type Effect struct {
	Effect     twodoor.Effect
	Reason     string
	Idempotent bool // by its method (RFC 9110 section 9.2.2), unless that passes on what it is sent
}

// Effects says for each route what it does where nobody says so (contracts §5). The path
// decides, never the name; used tells which leading segments count for nothing.
func Effects(routes []Route, used Choice) []Effect {
	s := readSurface(routes, "", &used)
	effects := make([]Effect, len(routes))
	for i, r := range routes {
		e := s.effectOf(i)
		tunnel := e.Effect == twodoor.Writes && ReadsByMethod(r.Method)
		e.Idempotent = slices.Contains(idempotentMethods, r.Method) && !tunnel
		effects[i] = e
	}
	return effects
}

var (
	idempotentMethods = []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"}
	readingMethods    = []string{"GET", "HEAD", "OPTIONS"}
	// tunnels are nouns behind which even a GET does whatever the caller sends.
	tunnels = []string{"exec", "attach", "portforward", "proxy", "connect"}
)

// ReadsByMethod reports whether a method changes nothing by itself (RFC 9110 §9.2.1).
func ReadsByMethod(method string) bool { return slices.Contains(readingMethods, method) }

func (s *surface) effectOf(i int) Effect {
	method := s.routes[i].Method
	if ReadsByMethod(method) {
		return s.effectOfReading(i)
	}
	if method == "DELETE" {
		return Effect{Effect: twodoor.Destroys, Reason: "DELETE"}
	}
	if e, ok := s.effectOfPath(i); ok {
		return e
	}
	if e, ok := s.effectOfSummary(i); ok {
		return e
	}
	return Effect{Effect: twodoor.Writes, Reason: method + ", and no word tells otherwise"}
}

func (s *surface) effectOfReading(i int) Effect {
	method, nouns := s.routes[i].Method, s.paths[i].nounWords()
	if n := len(nouns); n > 0 && slices.Contains(tunnels, nouns[n-1]) {
		return Effect{Effect: twodoor.Writes, Reason: fmt.Sprintf("%s of %q, which passes on what it is sent", method, nouns[n-1])}
	}
	return Effect{Effect: twodoor.Reads, Reason: method}
}

// effectOfPath finds a destroying noun after the first or at the end, or a reading end of a POST.
func (s *surface) effectOfPath(i int) (Effect, bool) {
	nouns := s.nouns(i)
	for _, at := range nouns[min(1, len(nouns)):] {
		if word := s.paths[i][at].word; isDestroyingWord(word) {
			return Effect{Effect: twodoor.Destroys, Reason: fmt.Sprintf("the path has %q", word)}, true
		}
	}
	last := s.lastWords(i)
	if word := edgeWord(last, isDestroyingWord); word != "" {
		return Effect{Effect: twodoor.Destroys, Reason: fmt.Sprintf("the path ends in %q", strings.Join(last, "-"))}, true
	}
	if word := edgeWord(last, isReadingWord); word != "" && s.routes[i].Method == "POST" {
		return Effect{Effect: twodoor.Reads, Reason: fmt.Sprintf("the path ends in %q", strings.Join(last, "-"))}, true
	}
	return Effect{}, false
}

// effectOfSummary asks the summary's first word, where the methods tell nothing because nine of ten
// operations share one.
func (s *surface) effectOfSummary(i int) (Effect, bool) {
	words := Words(s.routes[i].Summary)
	if s.shared == "" || len(words) == 0 {
		return Effect{}, false
	}
	reason := fmt.Sprintf("the summary begins with %q", words[0])
	switch {
	case isDestroyingWord(words[0]):
		return Effect{Effect: twodoor.Destroys, Reason: reason}, true
	case isReadingWord(words[0]):
		return Effect{Effect: twodoor.Reads, Reason: reason}, true
	}
	return Effect{}, false
}
