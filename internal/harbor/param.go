package harbor

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// params reads query parameters and gathers every misfit, so that a caller hears of all at once.
type params struct {
	in    *request
	wrong []misfit
}

func (in *request) params() *params { return &params{in: in} }

// err tells all misfits found so far, or nil.
func (p *params) err() error {
	if len(p.wrong) == 0 {
		return nil
	}
	return misfits(p.wrong)
}

func (p *params) fault(name, what string) { p.wrong = append(p.wrong, misfit{name, what}) }

func (p *params) text(name string) string { return p.in.query.Get(name) }

// whole reads an integer between low and high; absent means fallback.
func (p *params) whole(name string, low, high, fallback int) int {
	text := p.in.query.Get(name)
	if text == "" {
		return fallback
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < low || number > high {
		p.fault(name, "must be an integer from "+strconv.Itoa(low)+" to "+strconv.Itoa(high))
		return fallback
	}
	return number
}

// list reads a list whose items stand between separators in one parameter; absent means nil.
func (p *params) list(name, separator string, allowed ...string) []string {
	text := p.in.query.Get(name)
	if text == "" {
		return nil
	}
	items := strings.Split(text, separator)
	p.amongAll(name, items, allowed)
	return items
}

// one reads a value that must be among those allowed; absent means fallback.
func (p *params) one(name, fallback string, allowed ...string) string {
	text := p.in.query.Get(name)
	if text == "" {
		return fallback
	}
	p.among(name, text, allowed)
	return text
}

func (p *params) among(name, item string, allowed []string) {
	if len(allowed) > 0 && !slices.Contains(allowed, item) {
		p.fault(name, "knows no "+strconv.Quote(item)+"; it takes "+strings.Join(allowed, ", "))
	}
}

func (p *params) amongAll(name string, items, allowed []string) {
	for _, item := range items {
		p.among(name, item, allowed)
	}
}

// moment reads an RFC 3339 time; absent means fallback.
func (p *params) moment(name string, fallback time.Time) time.Time {
	text := p.in.query.Get(name)
	if text == "" {
		return fallback
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		p.fault(name, "must be a time such as 2026-01-31T12:00:00Z")
		return fallback
	}
	return at
}
