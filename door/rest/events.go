package rest

import (
	"net/http"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// events streams what happens: an event "catalog" at once and after each change, with the ETag that
// /v1/operations has then.
func (d *Door) events(w http.ResponseWriter, r *http.Request, who asker) {
	listener := d.bell.Listen()
	defer listener.Leave()
	s := openStream(w)
	defer s.close()
	for {
		s.send("catalog", d.catalogEvent(who))
		select {
		case <-listener.Rung:
		case <-listener.Ending:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (d *Door) catalogEvent(who asker) []byte {
	var out rawjson.Object
	out.PutInt("operations", int64(d.Engine.Catalog().Len()))
	if list, err := d.operations(who, operationQuery{brief: true}); err == nil {
		out.PutString("etag", list.etag)
	}
	return out.Bytes()
}
