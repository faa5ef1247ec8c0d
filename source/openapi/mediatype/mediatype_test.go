package mediatype

import "testing"

func TestOf(t *testing.T) {
	for media, want := range map[string]Kind{
		"application/json": JSON, "Application/JSON; charset=utf-8": JSON, "application/problem+json": JSON, "text/json": JSON, "*/*": JSON, "application/*": JSON,
		"application/x-www-form-urlencoded": Form, "multipart/form-data": Multipart, "multipart/mixed; boundary=x": Multipart,
		"application/x-ndjson": Lines, "application/json-seq": Lines, "application/stream+json": Lines,
		"application/xml": XML, "text/xml": XML, "image/svg+xml": XML,
		"text/plain": Text, "text/*": Text, "application/yaml": Text, "application/vnd.oai.openapi+yaml": Text, EventStream: Text,
		"application/octet-stream": Binary, "image/png": Binary, "": Binary,
	} {
		if got := Of(media); got != want {
			t.Errorf("%q is of kind %d, want %d", media, got, want)
		}
	}
}
