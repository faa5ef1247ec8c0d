package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/docs"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
)

func (r *run) docsCommand() cli.Command {
	return cli.Command{
		Name: "docs", Args: "[TOPIC] [PART]", Short: "Read the manual",
		Long:    "Without a TOPIC it lists the pages. PART is the beginning of a heading: one code of the page of errors. The same pages are served at /docs by twodoor up.",
		Example: "twodoor docs error not_found",
		Run: func(_ context.Context, in *cli.Invocation) error {
			if len(in.Args) == 0 {
				return listDocs(in)
			}
			return readDocs(in, in.Args[0], strings.Join(in.Args[1:], " "))
		},
		Complete: completeDocs,
	}
}

func listDocs(in *cli.Invocation) error {
	var text strings.Builder
	for _, t := range docs.Topics() {
		fmt.Fprintf(&text, "%-20s %s\n", t.Name, t.Title)
	}
	return in.PrintText(text.String()+"\nread one with: twodoor docs TOPIC\n", docs.Topics())
}

func readDocs(in *cli.Invocation, name, part string) error {
	topic, ok := docs.Find(name, part)
	if !ok {
		return noDocs(name, part)
	}
	return in.PrintLines(topic.Text, map[string]string{"name": topic.Name, "title": topic.Title, "text": topic.Text})
}

// noDocs says which pages there are, or which parts a page has.
func noDocs(name, part string) error {
	if topic, ok := docs.Find(name, ""); ok {
		return &twodoor.Error{
			Code: twodoor.CodeUnknown, Message: fmt.Sprintf("the page %s has no part %q", topic.Name, part),
			Hint: "its parts are: " + strings.Join(topic.Parts(), ", "), Try: rawjson.Nearest(topic.Parts(), part, 3),
		}
	}
	var names []string
	for _, t := range docs.Topics() {
		names = append(names, t.Name)
	}
	return &twodoor.Error{
		Code: twodoor.CodeUnknown, Message: fmt.Sprintf("the manual has no page %q", name),
		Hint: "its pages are: " + strings.Join(names, ", "), Try: rawjson.Nearest(names, name, 3),
	}
}

func completeDocs(_ context.Context, args []string, _ string) []string {
	var words []string
	switch len(args) {
	case 0:
		for _, t := range docs.Topics() {
			words = append(words, t.Name)
		}
	case 1:
		if topic, ok := docs.Find(args[0], ""); ok {
			words = topic.Parts()
		}
	}
	return words
}
