package config

import "encoding/json"

// Config is twodoor.yaml. The tags of a field say its key, what it is for, its default, the values
// or the format that it takes, and the variable that overrides it.
type Config struct {
	Sources     map[string]Source     `key:"sources" about:"What can be called, by name: the first word of all its operations."`
	MCPServers  string                `key:"mcp_servers" about:"A file of MCP servers in the ecosystem's own format."`
	Connections map[string]Connection `key:"connections" about:"Keys for the far sides, by name. Write secrets as ${env:NAME}, ${file:/path} or ${keyring:name}."`
	Operations  map[string]Annotation `key:"operations" about:"Annotations by glob over operation ids; a longer glob beats a shorter."`
	Profiles    map[string]Profile    `key:"profiles" about:"Named cuts of the catalog; default is the one of callers who name none."`
	Server      Server                `key:"server" about:"Where up listens."`
	Auth        Auth                  `key:"auth" about:"Who may call."`
	Store       string                `key:"store" default:"sqlite" format:"store" env:"TWODOOR_STORE" about:"sqlite, or postgres://USER:PASSWORD@HOST/DATABASE, which several instances may share; write a password as ${env:NAME}."`
	Workspace   Workspace             `key:"workspace" about:"Files and programs that agents may use."`
	Journal     Journal               `key:"journal" about:"The record of every call."`
}

// Source is one description of something that can be called. Exactly one of the first five keys
// says of which kind it is.
type Source struct {
	OpenAPI      string            `key:"openapi" about:"An OpenAPI document: file or URL."`
	Protobuf     json.RawMessage   `key:"protobuf" about:"Annotated Protobuf: descriptors, or files with import_paths, or reflection: true; beside them services and export."`
	Command      string            `key:"command" about:"A verbs file."`
	Remote       string            `key:"remote" about:"Another twodoor."`
	MCP          json.RawMessage   `key:"mcp" about:"An MCP server: command and args, or url."`
	Translations map[string]string `key:"translations" about:"The same description in other languages, by language."`
	Overlays     []string          `key:"overlays" about:"OpenAPI Overlay documents, applied in order."`
	Guides       string            `key:"guides" about:"A folder of guides."`
	Target       string            `key:"target" format:"url" about:"Base URL of the API, in place of the description's servers."`
	Variables    map[string]string `key:"variables" about:"Values of the description's server variables."`
	Naming       string            `key:"naming" default:"auto" enum:"auto|path|operation-id" about:"How operations are named; kept in twodoor.lock once chosen."`
	Prefix       string            `key:"prefix" about:"Stands for the source's name in MCP tool names."`
	Refresh      string            `key:"refresh" format:"duration" about:"How old a description read from a URL may grow."`
	Connection   string            `key:"connection" about:"The connection used for all requests, also where the description declares no security."`
	Connections  map[string]string `key:"connections" about:"Connections by security scheme of the description."`
	Wire         string            `key:"wire" enum:"connect|connect-binary|grpc|grpc-web|rest" about:"Protocol of a protobuf source; empty: grpc with reflection, else connect."`
	Isolation    string            `key:"isolation" default:"shared" enum:"shared|session|principal" about:"Who shares an upstream MCP server."`
	Whoami       string            `key:"whoami" about:"The operation that tells whose key is in use."`
}

// Connection is a key for a far side.
type Connection struct {
	Type         string            `key:"type" enum:"bearer|basic|api-key|oauth2|mtls" about:"The way in which the key is presented."`
	Token        string            `key:"token" secret:"true" about:"bearer: the token."`
	User         string            `key:"user" about:"basic: the user."`
	Password     string            `key:"password" secret:"true" about:"basic: the password."`
	Key          string            `key:"key" secret:"true" about:"api-key: the key."`
	In           string            `key:"in" default:"header" enum:"header|query|cookie" about:"api-key: where it goes, where the description does not say."`
	Name         string            `key:"name" about:"api-key: name of the header, parameter or cookie, where the description does not say."`
	TokenURL     string            `key:"token_url" format:"url" about:"oauth2: where tokens are issued, where the description does not say."`
	ClientID     string            `key:"client_id" about:"oauth2, client-credentials: the client."`
	ClientSecret string            `key:"client_secret" secret:"true" about:"oauth2: its secret."`
	Scopes       []string          `key:"scopes" about:"oauth2: what is asked for; empty: what the description declares."`
	Params       map[string]string `key:"params" about:"oauth2: further fields of the token request, like audience."`
	InBody       bool              `key:"in_body" default:"false" about:"oauth2: the client's id and secret go into the body, not into a header."`
	Certificate  string            `key:"certificate" about:"mtls: the certificate in PEM, ${file:/path}."`
	PrivateKey   string            `key:"private_key" secret:"true" about:"mtls: its private key in PEM, ${file:/path}."`
	CA           string            `key:"ca" about:"mtls: the far side's authority in PEM; empty: the system's."`
	Headers      map[string]string `key:"headers" secret:"true" about:"Headers sent along with the key."`
}

// Annotation is the vocabulary of contracts §5 for the operations of one glob, kept as JSON.
type Annotation struct {
	Name        json.RawMessage `key:"name"`
	Title       json.RawMessage `key:"title"`
	Description json.RawMessage `key:"description"`
	Export      string          `key:"export" enum:"none|cli|mcp|all"`
	Effect      string          `key:"effect" enum:"reads|writes|destroys"`
	Idempotent  json.RawMessage `key:"idempotent"`
	OpenWorld   json.RawMessage `key:"open_world"`
	Permission  json.RawMessage `key:"permission"`
	Aliases     json.RawMessage `key:"aliases"`
	Deprecated  json.RawMessage `key:"deprecated"`
	Positional  json.RawMessage `key:"positional"`
	Time        json.RawMessage `key:"time"`
	Hide        json.RawMessage `key:"hide"`
	Fix         json.RawMessage `key:"fix"`
	Default     json.RawMessage `key:"default"`
	Rename      json.RawMessage `key:"rename"`
	Describe    json.RawMessage `key:"describe"`
	Only        json.RawMessage `key:"only"`
	Answer      json.RawMessage `key:"answer"`
	Page        json.RawMessage `key:"page"`
	Before      json.RawMessage `key:"before"`
	Next        json.RawMessage `key:"next"`
	Guide       json.RawMessage `key:"guide"`
	Examples    json.RawMessage `key:"examples"`
	View        json.RawMessage `key:"view"`
	Stream      json.RawMessage `key:"stream"`
	Timeout     string          `key:"timeout" format:"duration"`

	JSON json.RawMessage // all of it, as written
}

// Profile is a named cut of the catalog.
type Profile struct {
	Include       []string `key:"include" about:"Globs over operation ids; empty: all."`
	Exclude       []string `key:"exclude" about:"Globs over operation ids."`
	Effects       []string `key:"effects" enum:"reads|writes|destroys" about:"Effects that may be called; empty: all."`
	Expose        string   `key:"expose" default:"auto" enum:"auto|full|search|code" about:"How operations are listed over MCP."`
	ListBudget    int      `key:"list_budget" default:"5000" about:"Estimated tokens of a full list under auto."`
	AnswerBudget  int      `key:"answer_budget" default:"4000" about:"Estimated tokens of an answer over MCP and REST."`
	AnswerFormat  string   `key:"answer_format" default:"json" enum:"json|toon" about:"How answers are written over MCP: toon only where it spares a fifth."`
	Pins          []string `key:"pins" about:"Globs over operation ids that are always listed."`
	Confirm       string   `key:"confirm" default:"never" enum:"never|ask" about:"Whether what destroys needs a yes."`
	Shape         string   `key:"shape" default:"all" enum:"all|upstream" about:"Whether answers of upstream MCP servers are shaped too."`
	OutputSchemas bool     `key:"output_schemas" default:"false" about:"List output schemas and send structuredContent."`
	Changes       string   `key:"changes" default:"show" enum:"show|hold" about:"Whether changed upstream tools wait for approval."`
}

// Server is where up listens.
type Server struct {
	Listen    []string `key:"listen" default:"127.0.0.1:7777" env:"TWODOOR_LISTEN" about:"Addresses, host:port."`
	Token     string   `key:"token" secret:"true" env:"TWODOOR_TOKEN" about:"The operator token; empty: made at first start, kept in the state folder."`
	PublicURL string   `key:"public_url" format:"url" env:"TWODOOR_PUBLIC_URL" about:"The address that clients use, where it is not the one listened at."`
	Origins   []string `key:"origins" env:"TWODOOR_ORIGINS" about:"Web pages that may call: scheme://host[:port]."`
}

// Auth is who may call.
type Auth struct {
	Mode string `key:"mode" default:"token" enum:"token|none|builtin|external" env:"TWODOOR_AUTH_MODE" about:"none is for loopback addresses only."`
}

// Workspace is where agents may work.
type Workspace struct {
	Root    string  `key:"root" about:"The folder."`
	Execute Execute `key:"execute" about:"Running programs."`
}

// Execute says whether programs may be run.
type Execute struct {
	Enabled bool `key:"enabled" default:"false"`
}

// Journal is how calls are recorded.
type Journal struct {
	Keep      string `key:"keep" default:"30d" format:"age" about:"How long."`
	MaxBytes  string `key:"max_bytes" default:"1GiB" format:"size" about:"How much."`
	Arguments string `key:"arguments" default:"redacted" enum:"redacted|digest|none" about:"What is kept of arguments."`
	Required  bool   `key:"required" default:"false" about:"Refuse calls that cannot be recorded."`
}
