//go:build exact

package app

import "github.com/tiktoken-go/tokenizer/codec"

// exactly counts tokens with the vocabulary o200k.
func exactly() (func(text []byte) int, error) {
	vocabulary := codec.NewO200kBase()
	return func(text []byte) int {
		n, err := vocabulary.Count(string(text))
		if err != nil { // only of texts that are no UTF-8, and JSON is
			return 0
		}
		return n
	}, nil
}
