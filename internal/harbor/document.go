package harbor

import (
	"bytes"
	"embed"
	"io/fs"
)

// documentHome is the server that openapi.yaml names.
const documentHome = "http://127.0.0.1:7788"

//go:embed openapi.yaml
var document []byte

//go:embed openapi.zh.yaml
var titles []byte

//go:embed agent.overlay.yaml
var overlay []byte

//go:embed guides/*.md
var guides embed.FS

//go:embed skills
var skills embed.FS

// Document is the OpenAPI 3.1 description of the service as YAML, its server at http://127.0.0.1:7788.
func (s *Server) Document() []byte { return DocumentAt(documentHome) }

// DocumentAt is the description with another server: base is a URL such as http://127.0.0.1:41234.
func DocumentAt(base string) []byte {
	return bytes.ReplaceAll(document, []byte(documentHome), []byte(base))
}

// Guides holds the guides to the service, one Markdown file each, with front matter (name, title, when, intents, operations).
func Guides() fs.FS {
	inside, err := fs.Sub(guides, "guides")
	if err != nil {
		panic(err) // the folder is named in the line that embeds it
	}
	return inside
}

// Skills holds the reference cards of the service in both of its languages, as they are generated from its description:
// harbor/SKILL.md and harbor/references. They are written anew by: twodoor cards harbor --out internal/harbor/skills, while the
// demo runs.
func Skills() fs.FS {
	inside, err := fs.Sub(skills, "skills")
	if err != nil {
		panic(err) // the folder is named in the line that embeds it
	}
	return inside
}

// Overlay is what agents should know beside the description, as an OpenAPI Overlay.
func Overlay() []byte { return overlay }

// Titles is the description in Chinese, as far as titles go: every operation and every group.
func Titles() []byte { return titles }
