package mcpclient_test

import (
	"testing"

	"github.com/twodoor/twodoor/source/mcpclient"
)

// BenchmarkCall is a warm call of a small tool over each transport. The far side runs in the same
// process over HTTP, and in a child over stdio.
func BenchmarkCall(b *testing.B) {
	f := func(server mcpclient.Server) func(*testing.B) {
		return func(b *testing.B) {
			pool := &mcpclient.Pool{Doer: &plain{}}
			pool.Serve(map[string]mcpclient.Server{"fake": server})
			defer pool.Close()
			invoker := &mcpclient.Invoker{Pool: pool}
			in := of("echo", `{"n":1}`)
			if _, err := invoker.Result(b.Context(), in); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := invoker.Result(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	web, url := newWeb(b, "modern")
	b.Run("http", f(mcpclient.Server{URL: url}))
	web.sse = true
	b.Run("events", f(mcpclient.Server{URL: url}))
	b.Run("stdio", f(local("legacy")))
}
