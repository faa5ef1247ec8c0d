package rawjson

import (
	"fmt"
	"testing"
)

// heavy is 8 MB of records, as an answer may be.
func heavy() []byte {
	var list Array
	for i := 0; list.Len() < 8<<20; i++ {
		list.Add(fmt.Appendf(nil, `{"id":%d,"status":"open","title":"the connection pool of service %d is exhausted","owner":{"id":"p_%d","login":"someone","site_admin":false},`+
			`"labels":["bug","customer-facing"],"body":"After the deploy at 09:30 the pool ran full, \"waiting\" rose to %d, and checkouts failed.","closed_at":null,"created_at":"2026-01-15T09:30:00Z","comments":%d}`, i, i%48, i%7, i%900, i%11))
	}
	return Set([]byte(`{"total_count":0,"items":[]}`), "items", list.Bytes())
}

// BenchmarkHeavy is what each way through an answer of 8 MB takes.
func BenchmarkHeavy(b *testing.B) {
	raw := heavy()
	for name, run := range map[string]func(){
		"Check":    func() { Check(raw) },
		"Weigh":    func() { Weigh(raw) },
		"Members":  func() { Len(raw) },
		"Compact":  func() { Compact(nil, raw) },
		"Elements": func() { items, _ := Get(raw, "items"); Len(items) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				run()
			}
		})
	}
}
