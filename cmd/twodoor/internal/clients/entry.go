package clients

import (
	"fmt"
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Entry is how a client reaches us: a program that it starts, or an address. It holds no secret.
type Entry struct {
	Command string // absolute path
	Args    []string
	URL     string // in place of a program
	Token   string // the variable that has the token for the address; empty: none is needed
}

// inputID is the question by which VS Code asks for the token.
const inputID = "twodoor-token"

var inputQuestion = object("type", "promptString", "id", inputID, "description", "Token of twodoor up", "password", true)

// For is the entry as the client writes it, as JSON. An error says why the client cannot be given it.
func (e Entry) For(c *Client) ([]byte, error) {
	if e.URL == "" {
		return c.stdio(e), nil
	}
	if c.http != nil {
		if raw := c.http(e); raw != nil {
			return raw, nil
		}
		return nil, fmt.Errorf("%s can only be given the token itself for an address, and no token is written into files: leave --http out, it starts the program then", c.Name)
	}
	return nil, fmt.Errorf("%s takes no addresses from its file: leave --http out, it starts the program then", c.Name)
}

// question is what the client has to ask for the entry; nil: nothing.
func (e Entry) question(c *Client) []byte {
	if c.input && e.URL != "" && e.Token != "" {
		return inputQuestion
	}
	return nil
}

// bearer is the headers with the token, written as the client refers to a variable.
func (e Entry) bearer(format string) []byte {
	if e.Token == "" {
		return nil
	}
	reference := format
	if verb := slices.Index([]byte(format), '%'); verb >= 0 {
		reference = fmt.Sprintf(format, e.Token)
	}
	return object("Authorization", "Bearer "+reference)
}

// object builds a JSON object of keys and values: texts, lists of texts, switches, JSON. What is empty
// is left out, but for lists.
func object(pairs ...any) []byte {
	var o rawjson.Object
	for i := 0; i+1 < len(pairs); i += 2 {
		key := pairs[i].(string)
		switch value := pairs[i+1].(type) {
		case string:
			if value != "" {
				o.PutString(key, value)
			}
		case []string:
			o.PutStrings(key, value)
		case bool:
			o.PutBool(key, value)
		case []byte:
			o.Put(key, value)
		}
	}
	return o.Bytes()
}
