package cli

import (
	"errors"
	"fmt"
	"github.com/twodoor/twodoor/internal/rawjson"
	"strings"
)

// notOneOf says that a text is none of the values, which they are, and which one is near.
func notOneOf(text string, values []string) error {
	shown := values
	more := ""
	if len(shown) > 20 {
		shown, more = shown[:20], fmt.Sprintf(" and %d more", len(values)-20)
	}
	says := fmt.Sprintf("%q is none of %s%s", text, strings.Join(shown, ", "), more)
	if near := rawjson.Nearest(values, text, 1); len(near) > 0 {
		says += fmt.Sprintf("; did you mean %s?", near[0])
	}
	return errors.New(says)
}
