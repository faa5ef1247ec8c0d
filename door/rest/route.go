package rest

import (
	"net/http"
	"strings"

	"github.com/twodoor/twodoor"
)

// route is one line of the table. Patterns are those of [http.ServeMux], below the root and /api.
type route struct {
	pattern string
	serve   func(http.ResponseWriter, *http.Request, asker)
}

func (d *Door) routes() []route {
	return append(append(d.bridgeRoutes(), d.ownRoutes()...), d.missingRoutes()...)
}

// bridgeRoutes are those that existing bridges and orchestrators know.
func (d *Door) bridgeRoutes() []route {
	return []route{
		{"POST /mcp/execute", d.execute},
		{"POST /custom/execute", d.execute},
		{"POST /virtual/execute", d.execute},
		{"POST /tools/mcp/{server}/{tool}", d.tool},
		{"POST /tools/custom/{tool}", d.tool},
		{"POST /tools/virtual/{tool}", d.tool},
		{"POST /s/{session}/tools/mcp/{server}/{tool}", d.tool},
		{"POST /s/{session}/tools/custom/{tool}", d.tool},
		{"POST /s/{session}/tools/virtual/{tool}", d.tool},
		{"GET /tools", d.listTools},
		{"GET /tools/detail", d.toolDetail},
		{"GET /spec", d.spec},
		{"GET /mcp-config", d.readConfig},
		{"POST /mcp-config", d.saveConfig},
		{"POST /mcp-config/discover", d.discover},
		{"GET /mcp-config/status", d.configStatus},
	}
}

// ownRoutes are ours: sessions, the API below /v1, and its description.
func (d *Door) ownRoutes() []route {
	return []route{
		{"POST /sessions", d.mint},
		{"GET /sessions", d.listSessions},
		{"GET /sessions/{id}", d.readSession},
		{"DELETE /sessions/{id}", d.endSession},
		{"GET /v1/operations", d.listOperations},
		{"GET /v1/operations/{id}", d.readOperation},
		{"POST /v1/call/{id}", d.call},
		{"GET /v1/calls", d.listCalls},
		{"GET /v1/calls/{id}", d.readCall},
		{"GET /v1/events", d.events},
		{"GET /openapi.json", d.document},
	}
}

// missingRoutes are those whose work is not done yet. They say so.
func (d *Door) missingRoutes() []route {
	workspace := absent("the workspace is not part of this version", "use the agent's own file and shell tools")
	login := absent("sign-in at upstreams is not part of this version", "name a key for the upstream under connections: in twodoor.yaml")
	return []route{
		{"/documents", workspace}, {"/documents/{path...}", workspace},
		{"/glob", workspace}, {"/search", workspace}, {"/search/process-file", workspace},
		{"/execute", workspace}, {"/upload", workspace},
		{"/oauth/start", login}, {"/oauth/callback", login}, {"/oauth/status", login}, {"/oauth/logout", login},
	}
}

func absent(what, hint string) func(http.ResponseWriter, *http.Request, asker) {
	return func(w http.ResponseWriter, r *http.Request, _ asker) {
		refuse(w, r, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: what, Hint: hint})
	}
}

func (d *Door) build() {
	d.mux = http.NewServeMux()
	for _, one := range d.routes() {
		d.mux.HandleFunc(one.pattern, d.known(one.serve))
	}
	d.mux.HandleFunc("/", d.known(func(w http.ResponseWriter, r *http.Request, _ asker) {
		refuse(w, r, &twodoor.Error{Code: twodoor.CodeUnknown, Message: "there is no route " + r.Method + " " + r.URL.Path, Hint: "the routes are described at /api/openapi.json"})
	}))
}

// known lets through whom the door knows.
func (d *Door) known(serve func(http.ResponseWriter, *http.Request, asker)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := d.who(r)
		if err != nil {
			refuse(w, r, err)
			return
		}
		serve(w, r, who)
	}
}

// below is a request without the /api in front of its path.
func below(r *http.Request) *http.Request {
	rest, ok := strings.CutPrefix(r.URL.Path, "/api")
	if !ok || rest != "" && rest[0] != '/' {
		return r
	}
	out, url := *r, *r.URL
	url.Path = orElse(rest, "/")
	url.RawPath = strings.TrimPrefix(url.RawPath, "/api")
	out.URL = &url
	return &out
}

// ownAPI reports whether a request is for the routes that tell faults as problem details.
func ownAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/v1/") }

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
