package rawjson

import (
	"strings"
	"testing"
)

func TestWeigh(t *testing.T) {
	cases := []struct {
		name, text  string
		least, most int
	}{
		{"nothing", "", 0, 0},
		{"prose", strings.Repeat("the default is ten at most ", 10), 50, 70},
		{"tool JSON", `{"type":"object","properties":{"limit":{"type":"integer","description":"How many to return, at most 100"}},"required":["limit"]}`, 28, 42},
		{"Chinese", "查询故障列表并返回最近一百条", 9, 14},
		{"digits", "1234567890123456", 6, 8},
	}
	for _, c := range cases {
		if got := Weigh([]byte(c.text)); got < c.least || got > c.most {
			t.Errorf("%s: %d tokens, want %d to %d", c.name, got, c.least, c.most)
		}
	}
	text := []byte(cases[2].text)
	if n := testing.AllocsPerRun(10, func() { Weigh(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
