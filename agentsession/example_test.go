package agentsession_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor/agentsession"
)

func Example() {
	type add struct {
		A int `json:"a" jsonschema:"the first number"`
		B int `json:"b" jsonschema:"the second number"`
	}
	var host agentsession.Host // one for the process
	session, err := agentsession.New(context.Background(), agentsession.Config{
		Host: &host,
		Tools: []agentsession.Tool{
			agentsession.Typed("add", "Adds two numbers.", func(_ context.Context, in add) (int, error) { return in.A + in.B, nil }),
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	entry := session.MCPServers("calculator") // for the agent's configuration, under "mcpServers"
	fmt.Println(strings.Contains(string(entry), `"command":"mcpbridge"`))
	// Output: true
}
