package legacy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// misfitTool stands in a batch for a request that no session takes: the SDK would turn the whole batch
// away in plain text. It is a tool call whose arguments are the error that it is answered with.
const misfitTool = "\x00misfit"

// refuseOfBatch puts an answerable request in the place of each one of a batch that no session takes,
// and drops such notifications. It answers itself where nothing is left.
func refuseOfBatch(w http.ResponseWriter, r *http.Request, body []byte) (done bool) {
	if rawjson.Check(body) != nil {
		return false
	}
	var kept rawjson.Array
	for part := range rawjson.Elements(body) {
		message, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			return false
		}
		request, ok := message.(*jsonrpc.Request)
		fault := error(nil)
		if ok {
			fault = misfit(request)
		}
		switch {
		case fault == nil:
			kept.Add(part)
		case request.IsCall():
			id, _ := rawjson.Get(part, "id")
			kept.Add(standIn(id, fault))
		}
	}
	if kept.Empty() {
		w.WriteHeader(http.StatusAccepted)
		return true
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(kept.Bytes())), int64(kept.Len())
	return false
}

func standIn(id []byte, fault error) []byte {
	told, _ := errors.AsType[*jsonrpc.Error](fault)
	var arguments, params, request rawjson.Object
	arguments.PutInt("code", told.Code)
	arguments.PutString("message", told.Message)
	params.PutString("name", misfitTool)
	params.Put("arguments", arguments.Bytes())
	request.PutString("jsonrpc", "2.0")
	request.Put("id", id)
	request.PutString("method", "tools/call")
	request.Put("params", params.Bytes())
	return request.Bytes()
}

// misfitOf is the error that a stand-in carries.
func misfitOf(p *mcp.CallToolParamsRaw) error {
	code, _ := rawjson.Get(p.Arguments, "code")
	message, _ := rawjson.Get(p.Arguments, "message")
	fault := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}
	if n, err := strconv.ParseInt(string(code), 10, 64); err == nil {
		fault.Code = n
	}
	fault.Message, _ = rawjson.String(message)
	return misfitError{fault}
}

// misfitError keeps its words: those of an error that is a method not found the SDK replaces by its
// own, which name the stand-in's method.
type misfitError struct{ fault *jsonrpc.Error }

func (e misfitError) Error() string { return e.fault.Message }

// As gives the code.
func (e misfitError) As(target any) bool {
	fault, ok := target.(**jsonrpc.Error)
	if ok {
		*fault = e.fault
	}
	return ok
}
