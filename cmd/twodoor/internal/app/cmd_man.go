package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
)

func (r *run) manCommand() cli.Command {
	return cli.Command{
		Name: "man", Args: "[COMMAND…]", Short: "Print a manual page in the language of man(7)",
		Long:    "Of the program, or of one of its own commands. With --dir every page is written into that folder, for a package. Operations have their manual in --help.",
		Example: "twodoor man guides read | man -l -",
		Flags:   []cli.Flag{{Name: "dir", Usage: "write all pages into this folder"}},
		Run: func(_ context.Context, in *cli.Invocation) error {
			if dir := in.Text("dir"); dir != "" {
				return r.writeMan(in, dir)
			}
			page, err := in.ManPage(in.Args)
			if err != nil {
				return err
			}
			return in.PrintLines(page.Text, map[string]string{"name": page.Name, "text": page.Text})
		},
	}
}

func (r *run) writeMan(in *cli.Invocation, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of the manual: %w", err)
	}
	pages := in.ManPages()
	for _, page := range pages {
		if err := config.WriteFile(filepath.Join(dir, page.Name), []byte(page.Text), 0o644); err != nil {
			return err
		}
	}
	return in.PrintLines(fmt.Sprintf("%s: %s\n", dir, counted(len(pages), "page")), map[string]any{"dir": dir, "pages": len(pages)})
}
