package rawjson

import (
	"math/big"
	"testing"
)

func TestCompareNumbers(t *testing.T) {
	ordered := []string{
		"-1e999999999999", "-123456789012345678901234567890", "-1000", "-10.5", "-1", "-0.1", "-1e-400",
		"0", "1e-400", "0.001", "0.1", "0.10001", "1", "1.5", "9", "10", "99.99e1", "1e3", "1152921504606846975",
		"1152921504606846976", "1152921504606846976.5", "1e20", "123456789012345678901234567890", "1e400", "1e99999999999999999999",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := CompareNumbers([]byte(a), []byte(b)); got != compareInts(int64(i), int64(j)) {
				t.Errorf("CompareNumbers(%s, %s) = %d", a, b, got)
			}
		}
	}
	for _, same := range [][2]string{{"0", "-0.00e5"}, {"1", "1.000"}, {"100", "1e2"}, {"0.5", "5E-1"}, {"12.50", "1250e-2"}} {
		if CompareNumbers([]byte(same[0]), []byte(same[1])) != 0 {
			t.Errorf("%s and %s differ", same[0], same[1])
		}
	}
}

func TestIsInteger(t *testing.T) {
	cases := map[string]bool{"1": true, "-1": true, "1.0": true, "1e2": true, "1.5e1": true, "1.5": false, "1e-1": false, "0.0": true,
		"10e-1": true, "123456789012345678901234567890": true}
	for text, want := range cases {
		if got := IsInteger([]byte(text)); got != want {
			t.Errorf("IsInteger(%s) = %v", text, got)
		}
	}
}

func FuzzCompareNumbers(f *testing.F) {
	f.Add("1.50", "15e-1")
	f.Add("-0", "0.0")
	f.Fuzz(func(t *testing.T, a, b string) {
		if Check([]byte(a)) != nil || Check([]byte(b)) != nil || KindOf([]byte(a)) != KindNumber || KindOf([]byte(b)) != KindNumber {
			return
		}
		a, b = string(Trim([]byte(a))), string(Trim([]byte(b)))
		if x := newDecimal([]byte(a)); x.exp < -400 || x.exp > 400 {
			return
		}
		if x := newDecimal([]byte(b)); x.exp < -400 || x.exp > 400 {
			return
		}
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got := CompareNumbers([]byte(a), []byte(b)); got != x.Cmp(y) {
			t.Fatalf("CompareNumbers(%s, %s) = %d, want %d", a, b, got, x.Cmp(y))
		}
		if got := IsInteger([]byte(a)); got != x.IsInt() {
			t.Fatalf("IsInteger(%s) = %v", a, got)
		}
	})
}

func TestEqual(t *testing.T) {
	same := [][2]string{{`{"a":1,"b":[1.0,"\u0061"]}`, ` {"b":[1,"a"],"a":1.00} `}, {`null`, ` null`}, {`{}`, `{ }`}, {`[]`, `[ ]`}}
	for _, c := range same {
		if !Equal([]byte(c[0]), []byte(c[1])) {
			t.Errorf("%s and %s differ", c[0], c[1])
		}
		if a, b := AppendCanonical(nil, []byte(c[0])), AppendCanonical(nil, []byte(c[1])); string(a) != string(b) {
			t.Errorf("canonical: %s and %s", a, b)
		}
	}
	other := [][2]string{{`{"a":1}`, `{"a":1,"b":1}`}, {`{"a":1,"b":1}`, `{"a":1,"c":1}`}, {`[1]`, `[1,1]`}, {`1`, `"1"`}, {`true`, `false`}, {`[1,2]`, `[2,1]`}}
	for _, c := range other {
		if Equal([]byte(c[0]), []byte(c[1])) {
			t.Errorf("%s and %s are the same", c[0], c[1])
		}
		if a, b := AppendCanonical(nil, []byte(c[0])), AppendCanonical(nil, []byte(c[1])); string(a) == string(b) {
			t.Errorf("canonical: both %s", a)
		}
	}
}

func TestRewrite(t *testing.T) {
	drop := func(_ []byte, _ int, v []byte) []byte {
		switch string(v) {
		case "0":
			return nil
		case "1":
			return []byte(`"one"`)
		}
		return v
	}
	cases := []struct{ raw, want string }{
		{` { "a" : 2 , "b" : 1 , "c" : 0, "d":3 } `, `{ "a" : 2,"b":"one","d":3}`},
		{`[0, 1, 2]`, `["one",2]`},
		{`[2, 1]`, `[2,"one"]`},
		{`{"a":0}`, `{}`},
		{`[0,0]`, `[]`},
		{` [ 2 , 3 ] `, ` [ 2 , 3 ] `},
		{`{}`, `{}`},
		{`7`, `7`},
	}
	for _, c := range cases {
		if got := Rewrite([]byte(c.raw), drop); string(got) != c.want {
			t.Errorf("Rewrite(%s) = %s, want %s", c.raw, got, c.want)
		}
	}
	raw := []byte(`{"a":[1,2],"b":{}}`)
	keep := func(_ []byte, _ int, v []byte) []byte { return v }
	if n := testing.AllocsPerRun(100, func() { Rewrite(raw, keep) }); n > 0 {
		t.Errorf("%v allocations where nothing changes", n)
	}
}

func TestSetPath(t *testing.T) {
	cases := []struct {
		raw  string
		path []string
		want string
	}{
		{`{"a":{"b":1,"c":2}}`, []string{"a", "b"}, `{"a":{"b":9,"c":2}}`},
		{`{}`, []string{"a", "b"}, `{"a":{"b":9}}`},
		{`{}`, nil, `9`},
	}
	for _, c := range cases {
		if got := SetPath([]byte(c.raw), []byte("9"), c.path...); string(got) != c.want {
			t.Errorf("SetPath(%s, %q) = %s, want %s", c.raw, c.path, got, c.want)
		}
	}
}
