package telemetry

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

var update = flag.Bool("update", false, "compile the protos anew")

var files = []string{"flows", "logs", "metrics", "traces", "workflows"}

// TestDescriptors holds telemetry.binpb to the protos beside it.
func TestDescriptors(t *testing.T) {
	var names []string
	for _, name := range files {
		names = append(names, "harbor/telemetry/v1/"+name+".proto")
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(protocompile.CompositeResolver{&protocompile.SourceResolver{ImportPaths: []string{"proto", "../../../proto"}}, bundled(t)}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	linked, err := compiler.Compile(t.Context(), names...)
	if err != nil {
		t.Fatal(err)
	}
	want, seen := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	var add func(f protoreflect.FileDescriptor, own bool)
	add = func(f protoreflect.FileDescriptor, own bool) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor, false)
		}
		file := protodesc.ToFileDescriptorProto(f)
		if with, ok := f.(interface {
			FileDescriptorProto() *descriptorpb.FileDescriptorProto
		}); ok {
			file = proto.Clone(with.FileDescriptorProto()).(*descriptorpb.FileDescriptorProto)
		}
		if !own {
			file.SourceCodeInfo = nil
		}
		want.File = append(want.File, file)
	}
	for _, f := range linked {
		add(f, true)
	}
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("telemetry.binpb", raw, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(raw, Descriptors()) {
		t.Error("telemetry.binpb is not what the protos give: go test ./internal/harbor/telemetry -update")
	}
}

// bundled finds the imports that do not lie here among those that source/protobuf carries.
func bundled(t *testing.T) protocompile.Resolver {
	raw, err := os.ReadFile("../../../source/protobuf/descriptors/bundled/bundled.binpb")
	if err != nil {
		t.Fatal(err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(raw, set); err != nil {
		t.Fatal(err)
	}
	return protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		for _, file := range set.File {
			if file.GetName() == path {
				return protocompile.SearchResult{Proto: file}, nil
			}
		}
		return protocompile.SearchResult{}, os.ErrNotExist
	})
}

func post(t *testing.T, url, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+"/"+Package+"."+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// TestMethods calls every method over the wire, as any client would.
func TestMethods(t *testing.T) {
	clock := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	handler, err := New(func() time.Time { return clock }, time.Second).Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	trace := traceID("svc_checkout", 3)
	for _, each := range []struct {
		path, body string
		status     int
		says       string
	}{
		{"MetricService/ListMetrics", `{}`, 200, "error_rate"},
		{"MetricService/QueryRange", `{"metric":"error_rate","serviceIds":["svc_checkout"],"step":"3600s"}`, 200, `"percent"`},
		{"MetricService/QueryRange", `{"metric":"error_rate","serviceIds":["svc_checkout"],"step":"1s"}`, 400, "at least 60s"},
		{"MetricService/QueryRange", `{"metric":"none"}`, 404, "ListMetrics"},
		{"FlowService/GetUserFlow", `{"journey":"JOURNEY_PURCHASE"}`, 200, "checkout"},
		{"FlowService/GetUserFlow", `{}`, 400, "JOURNEY_RETURN"},
		{"TraceService/SearchTraces", `{"serviceId":"svc_checkout","failed":true,"pageSize":2}`, 200, "nextPageToken"},
		{"TraceService/GetTrace", `{"traceId":"` + trace + `"}`, 200, "children"},
		{"LogService/SearchLogs", `{"serviceIds":["svc_checkout"],"atLeast":"LEVEL_ERROR","pageSize":3}`, 200, "pool exhausted"},
		{"LogService/ListLogs", `{"serviceId":"svc_cart"}`, 200, "log_cart_6"},
		{"LogService/ReadLog", `{"logId":"log_cart_6"}`, 400, "cold storage"},
		{"LogService/HydrateLog", `{"logId":"log_cart_6"}`, 200, "LOG_STATE_WARMING"},
		{"LogService/GetLog", `{"logId":"log_cart_9"}`, 404, "seven days"},
		{"LogService/RebuildIndex", `{}`, 200, "{}"},
		{"WorkflowService/CreateWorkflow", `{"definition":{"name":"a"}}`, 400, "at least one flow"},
		{"WorkflowService/CreateWorkflow", `{"definition":{"name":"a","flows":[{"name":"f","states":[{"id":"s","transitions":[{"to":"t","rule":{"crash":{}}}]}]}]}}`, 400, `no state of the flow`},
		{"WorkflowService/CreateWorkflow", `{"definition":{"name":"a","flows":[{"name":"f","states":[{"id":"s"}]}]}}`, 200, "wf_1"},
		{"WorkflowService/CreateWorkflow", `{"definition":{"name":"a","flows":[{"name":"f"}]}}`, 409, "already"},
		{"WorkflowService/ListWorkflows", `{}`, 200, `"flows":1`},
		{"WorkflowService/GetWorkflow", `{"workflowId":"wf_1"}`, 200, `"definition"`},
		{"WorkflowService/DeleteWorkflow", `{"workflowId":"wf_1"}`, 200, "{}"},
	} {
		status, text := post(t, server.URL, each.path, each.body)
		if status != each.status || !strings.Contains(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(each.says, " ", "")) {
			t.Errorf("%s %s: %d %.300s", each.path, each.body, status, text)
		}
	}
	clock = clock.Add(2 * time.Second)
	if status, text := post(t, server.URL, "LogService/ReadLog", `{"logId":"log_cart_6","pageSize":1}`); status != 200 {
		t.Errorf("a log that was hydrated is not read: %d %s", status, text)
	}
}
