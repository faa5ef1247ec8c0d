package rest

import (
	_ "embed"
	"net/http"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// openapi describes every route of the table in route.go that does something.
//
//go:embed openapi.json
var openapi []byte

// document answers GET /openapi.json: the description, with this server's address and version.
func (d *Door) document(w http.ResponseWriter, r *http.Request, _ asker) {
	var server rawjson.Object
	server.PutString("url", d.baseOf(r))
	doc := rawjson.SetPath(openapi, append(append([]byte{'['}, server.Bytes()...), ']'), "servers")
	doc = rawjson.SetPath(doc, rawjson.Quote(orElse(d.Version, "0")), "info", "version")
	newList(doc).serve(w, r)
}
