package telemetry

import (
	"context"
	"encoding/json"
)

// method is one method and its handler; a streaming one sends as it goes.
type method struct {
	service, name string
	handle        func(*Server, json.RawMessage) (any, error)
	stream        func(*Server, context.Context, json.RawMessage, func(any) error) error
}

// methods lists all that is served, in the order of the protos.
var methods = []method{
	{service: "MetricService", name: "ListMetrics", handle: (*Server).listMetrics},
	{service: "MetricService", name: "QueryRange", handle: (*Server).queryRange},
	{service: "FlowService", name: "GetUserFlow", handle: (*Server).getUserFlow},
	{service: "TraceService", name: "GetTrace", handle: (*Server).getTrace},
	{service: "TraceService", name: "SearchTraces", handle: (*Server).searchTraces},
	{service: "LogService", name: "SearchLogs", handle: (*Server).searchLogs},
	{service: "LogService", name: "TailLogs", stream: (*Server).tailLogs},
	{service: "LogService", name: "ListLogs", handle: (*Server).listLogs},
	{service: "LogService", name: "GetLog", handle: (*Server).getLog},
	{service: "LogService", name: "HydrateLog", handle: (*Server).hydrateLog},
	{service: "LogService", name: "ReadLog", handle: (*Server).readLog},
	{service: "LogService", name: "RebuildIndex", handle: (*Server).rebuildIndex},
	{service: "WorkflowService", name: "CreateWorkflow", handle: (*Server).createWorkflow},
	{service: "WorkflowService", name: "GetWorkflow", handle: (*Server).getWorkflow},
	{service: "WorkflowService", name: "ListWorkflows", handle: (*Server).listWorkflows},
	{service: "WorkflowService", name: "DeleteWorkflow", handle: (*Server).deleteWorkflow},
}
