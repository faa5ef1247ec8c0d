package mcpserver

import (
	"context"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// listen answers subscriptions/listen: acknowledged at once, then a notification for each change
// that was asked for, and a result only when the server takes its leave.
func (d *Door) listen(ctx context.Context, r *request) ([]byte, *fault) {
	if rawjson.KindOf(r.params.notifications) != rawjson.KindObject {
		return nil, &fault{code: codeInvalidParams, message: `params lacks notifications, an object like {"toolsListChanged":true}`}
	}
	if r.send == nil {
		return nil, invalid("a listen is answered by a stream: accept text/event-stream")
	}
	listener := d.bell.Listen()
	defer listener.Leave()
	changed := listener.Rung
	wanted, _ := rawjson.Get(r.params.notifications, "toolsListChanged")
	honoured := "{}"
	if string(wanted) == "true" {
		honoured = `{"toolsListChanged":true}`
	} else {
		changed = nil
	}
	r.send(tagged("notifications/subscriptions/acknowledged", r.id, `"notifications":`+honoured+`,`))
	for {
		select {
		case <-ctx.Done():
			return nil, &fault{silent: true}
		case <-changed:
			r.send(tagged("notifications/tools/list_changed", r.id, ""))
		case <-listener.Ending:
			return d.endListen(r.id), nil
		case <-r.ending:
			return d.endListen(r.id), nil
		}
	}
}

// tagged is a notification that names its subscription.
func tagged(method string, id []byte, params string) []byte {
	out := append([]byte(nil), `{"jsonrpc":"2.0","method":"`+method+`","params":{`+params+`"_meta":{"`+metaSubscription+`":`...)
	return append(append(out, id...), `}}}`...)
}

func (d *Door) endListen(id []byte) []byte {
	out := openReply(id, 256)
	out = append(out, `{"resultType":"complete","_meta":{"`+metaSubscription+`":`...)
	out = append(append(out, id...), `,"`+metaServer+`":`...)
	return append(append(out, d.serverInfo()...), `}}}`...)
}
