package telemetry

import (
	"encoding/json"
	"strconv"
)

// journeys are the steps of each walk.
var journeys = map[string][]string{
	"JOURNEY_PURCHASE": {"home", "search", "product", "cart", "checkout", "order"},
	"JOURNEY_SIGN_UP":  {"home", "sign-up", "confirm", "account"},
	"JOURNEY_RETURN":   {"orders", "return", "label", "refund"},
}

func (s *Server) getUserFlow(in json.RawMessage) (any, error) {
	want, err := decode[struct{ Journey string }](in)
	if err != nil {
		return nil, err
	}
	steps := journeys[want.Journey]
	if steps == nil {
		return nil, invalid("journey is one of JOURNEY_PURCHASE, JOURNEY_SIGN_UP and JOURNEY_RETURN")
	}
	begun := int64(20_000 + roll(want.Journey, 0)%10_000)
	left, edges := begun, []any{}
	edge := func(from, to string, customers int64) {
		edges = append(edges, map[string]any{"from": from, "to": to, "customers": strconv.FormatInt(customers, 10)})
	}
	for i, step := range steps[:len(steps)-1] {
		on := left * int64(55+roll(want.Journey, i+1)%35) / 100
		edge(step, steps[i+1], on)
		edge(step, "left", left-on)
		left = on
	}
	return map[string]any{
		"journey": want.Journey, "begun": strconv.FormatInt(begun, 10), "finished": strconv.FormatInt(left, 10), "edges": edges,
	}, nil
}
