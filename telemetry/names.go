package telemetry

// Names of the conventions for MCP and generative AI (github.com/open-telemetry/semantic-conventions-genai,
// docs/gen-ai/mcp.md, August 2026, status Development) and of those for HTTP (semantic-conventions 1.41).
const (
	mcpMethod      = "mcp.method.name"
	mcpVersion     = "mcp.protocol.version"
	genAIOperation = "gen_ai.operation.name"
	genAITool      = "gen_ai.tool.name"
	rpcStatus      = "rpc.response.status_code"
	errorType      = "error.type"
	httpMethod     = "http.request.method"
	httpStatus     = "http.response.status_code"
	serverAddress  = "server.address"
	serverPort     = "server.port"
	urlFull        = "url.full"
	serviceName    = "service.name"
	serviceVersion = "service.version"

	callTool    = "tools/call"   // mcpMethod, and how names of spans begin
	executeTool = "execute_tool" // genAIOperation
	toolError   = "tool_error"   // errorType of a result with isError

	serverDuration = "mcp.server.operation.duration"
	clientDuration = "mcp.client.operation.duration"
)

// Ours, where there is no convention.
const (
	callID    = "twodoor.call_id"
	door      = "twodoor.door"
	operation = "twodoor.operation"
	effect    = "twodoor.effect"
	code      = "twodoor.code"
)

// bounds are those of both durations, in seconds.
var bounds = [...]float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}

// Kinds of spans, as OTLP numbers them.
const (
	internal = 1
	server   = 2
	client   = 3
)
