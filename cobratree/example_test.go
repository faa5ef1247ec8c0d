package cobratree_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cobratree"
)

// A program gets its mcp command where its root is put together.
func ExampleCommand() {
	root := &cobra.Command{Use: "tracker", Short: "Issues of a team"}
	issue := &cobra.Command{Use: "issue", Short: "Issues"}
	issue.AddCommand(&cobra.Command{
		Use: "show <id>", Short: "Show an issue", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), `{"id":%q}`, args[0])
			return err
		},
	})
	root.AddCommand(issue)

	root.AddCommand(cobratree.Command(root, cobratree.Options{Commands: []string{"issue show"}}))

	// main calls root.Execute, and a client starts: tracker mcp
	for _, cmd := range root.Commands() {
		fmt.Printf("%s: %s\n", cmd.Name(), cmd.Short)
	}
	// Output:
	// issue: Issues
	// mcp: Serve this program's commands to agents over MCP
}

// A program with an engine of its own serves its commands beside other sources.
func ExampleNew() {
	root := &cobra.Command{Use: "clock", Short: "Tells the time"}
	root.AddCommand(&cobra.Command{Use: "tell", Short: "Tell the time", Run: func(cmd *cobra.Command, _ []string) {
		fmt.Fprint(cmd.OutOrStdout(), "noon")
	}})

	tree := cobratree.New(root, cobratree.Options{Effects: map[string]twodoor.Effect{"tell": twodoor.Reads}})
	reading, err := tree.Read(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		fmt.Println(err)
		return
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{cobratree.Kind: tree}}
	engine.Serve(catalog)

	result, err := engine.Do(context.Background(), twodoor.Call{Operation: "clock_tell", Arguments: json.RawMessage(`{}`), Principal: twodoor.Operator})
	fmt.Println(string(result.Value), err)
	// Output: "noon" <nil>
}
