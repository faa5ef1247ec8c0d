//go:build !exact

package app

import "github.com/twodoor/twodoor"

// exactly counts tokens with a real vocabulary: this build has none.
func exactly() (func(text []byte) int, error) {
	return nil, &twodoor.Error{
		Code:    twodoor.CodeInvalid,
		Message: "this twodoor has no vocabulary to count with: it would weigh 7 MB",
		Hint:    "leave out --exact (the estimate is within some percent), or build twodoor from its source with -tags exact",
		Try:     []string{"twodoor tokens", "go install -tags exact github.com/twodoor/twodoor/cmd/twodoor@latest"},
	}
}
