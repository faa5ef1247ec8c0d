package mcpserver

import (
	"context"
	"fmt"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/bell"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// maxWatched bounds the resources that one listen watches.
const maxWatched = 1000

// bells ring when a list is another one.
type bells struct{ tools, resources, prompts bell.Bell }

func (b *bells) ring(lists twodoor.Lists) {
	if lists&twodoor.ListOfOperations != 0 {
		b.tools.Ring()
	}
	if lists&twodoor.ListOfResources != 0 {
		b.resources.Ring()
	}
	if lists&twodoor.ListOfPrompts != 0 {
		b.prompts.Ring()
	}
}

func (b *bells) close() {
	b.tools.Close()
	b.resources.Close()
	b.prompts.Close()
}

// wanted is what a listen asks for, and is granted.
type wanted struct {
	tools, resources, prompts bool
	watched                   []string
}

func (p *params) wanted() (w wanted) {
	is := func(key string) bool { raw, _ := rawjson.Get(p.notifications, key); return string(raw) == "true" }
	w = wanted{tools: is("toolsListChanged"), resources: is("resourcesListChanged"), prompts: is("promptsListChanged")}
	list, _ := rawjson.Get(p.notifications, "resourceSubscriptions")
	for item := range rawjson.Elements(list) {
		if uri, ok := rawjson.String(item); ok && uri != "" {
			w.watched = append(w.watched, uri)
		}
	}
	return w
}

// json is the granted part, as the acknowledgement tells it.
func (w *wanted) json() []byte {
	var o rawjson.Object
	for _, kind := range []struct {
		key string
		on  bool
	}{{"toolsListChanged", w.tools}, {"promptsListChanged", w.prompts}, {"resourcesListChanged", w.resources}} {
		if kind.on {
			o.PutBool(kind.key, true)
		}
	}
	if len(w.watched) > 0 {
		o.PutStrings("resourceSubscriptions", w.watched)
	}
	return o.Bytes()
}

// listen answers subscriptions/listen: acknowledged at once, then a notification for each change
// that was asked for, and a result only when the server takes its leave.
func (d *Door) listen(ctx context.Context, r *request) ([]byte, *fault) {
	if rawjson.KindOf(r.params.notifications) != rawjson.KindObject {
		return nil, &fault{code: codeInvalidParams, message: `params lacks notifications, an object like {"toolsListChanged":true}`}
	}
	if r.send == nil {
		return nil, invalid("a listen is answered by a stream: accept text/event-stream")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := r.params.wanted()
	updates := make(chan string, 1)
	if f := d.watch(ctx, r, &w, updates); f != nil {
		return nil, f
	}
	tools, resources, prompts := d.bells.tools.Listen(), d.bells.resources.Listen(), d.bells.prompts.Listen()
	defer tools.Leave()
	defer resources.Leave()
	defer prompts.Leave()
	r.send(tagged("notifications/subscriptions/acknowledged", r.id, `"notifications":`+string(w.json())+`,`))
	for {
		select {
		case <-ctx.Done():
			return nil, &fault{silent: true}
		case <-heard(tools, w.tools):
			r.send(tagged("notifications/tools/list_changed", r.id, ""))
		case <-heard(resources, w.resources):
			r.send(tagged("notifications/resources/list_changed", r.id, ""))
		case <-heard(prompts, w.prompts):
			r.send(tagged("notifications/prompts/list_changed", r.id, ""))
		case uri := <-updates:
			r.send(tagged("notifications/resources/updated", r.id, `"uri":`+string(rawjson.Quote(uri))+`,`))
		case <-tools.Ending:
			return d.endListen(r.id), nil
		case <-r.ending:
			return d.endListen(r.id), nil
		}
	}
}

// heard is what rings, for those who want to hear it.
func heard(l *bell.Listener, wanted bool) <-chan struct{} {
	if !wanted {
		return nil
	}
	return l.Rung
}

// watch follows the resources that are asked for. One that cannot be had is not granted.
func (d *Door) watch(ctx context.Context, r *request, w *wanted, updates chan<- string) *fault {
	if len(w.watched) > maxWatched {
		return &fault{code: codeInvalidParams, message: fmt.Sprintf("a listen watches at most %d resources", maxWatched)}
	}
	asked := w.watched
	w.watched = nil
	for _, uri := range asked {
		call, f := r.params.call(r.caller, twodoor.OfResource, uri)
		if f != nil {
			return f
		}
		err := d.Engine.Watch(ctx, call, func() {
			select {
			case updates <- uri:
			case <-ctx.Done():
			}
		})
		if err == nil {
			w.watched = append(w.watched, uri)
		}
	}
	return nil
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
