package main

import (
	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// counter counts with the vocabulary o200k.
type counter struct{ codec *codec.Codec }

func newCounter() counter { return counter{codec.NewO200kBase()} }

// row is what texts of a class weigh.
type row struct {
	Class    string  `json:"class"`
	Texts    int     `json:"texts"`
	Bytes    int     `json:"bytes"`
	Estimate int     `json:"estimate"`
	Exact    int     `json:"exact"`
	Ratio    float64 `json:"ratio"` // estimate to exact
	PerByte  float64 `json:"bytes_per_token"`
	Low      float64 `json:"low"`  // of the texts of at least smallest tokens, the ratio that one in twenty is below
	High     float64 `json:"high"` // and above
}

// smallest is how many tokens a text has whose own ratio counts: below it, rounding speaks.
const smallest = 50

// weigh weighs the texts of a class.
func (c counter) weigh(class string, texts []string) (row, error) {
	r := row{Class: class, Texts: len(texts)}
	var ratios []float64
	for _, text := range texts {
		exact, err := c.codec.Count(text)
		if err != nil {
			return r, err
		}
		estimate := rawjson.Weigh([]byte(text))
		r.Bytes, r.Estimate, r.Exact = r.Bytes+len(text), r.Estimate+estimate, r.Exact+exact
		if exact >= smallest {
			ratios = append(ratios, float64(estimate)/float64(exact))
		}
	}
	if r.Exact > 0 {
		r.Ratio, r.PerByte = float64(r.Estimate)/float64(r.Exact), float64(r.Bytes)/float64(r.Exact)
	}
	r.Low, r.High = bounds(ratios)
	return r, nil
}
