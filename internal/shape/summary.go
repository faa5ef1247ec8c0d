package shape

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// summarize puts figures in the place of every series: a list of numbers, of
// points ([time, value], the value also as text), or of flat objects with
// numeric fields. Fields that are ids are left out. A series that is lighter
// than its figures stays.
func summarize(raw []byte) []byte { return summarizeAt(raw, 0) }

func summarizeAt(value []byte, depth int) []byte {
	kind := rawjson.KindOf(value)
	if kind != rawjson.KindObject && kind != rawjson.KindArray || depth > rawjson.MaxDepth {
		return value
	}
	if kind == rawjson.KindArray {
		if figures := figuresOf(value); figures != nil {
			if len(figures) < len(value) {
				return figures
			}
			return value
		}
	}
	return rawjson.Rewrite(value, func(_ []byte, _ int, v []byte) []byte { return summarizeAt(v, depth+1) })
}

// figuresOf returns the figures of a series, nil for another list.
func figuresOf(list []byte) []byte {
	var numbers column
	var columns table
	elements := 0
	for v := range rawjson.Elements(list) {
		elements++
		var ok bool
		switch rawjson.KindOf(v) {
		case rawjson.KindNumber:
			numbers.add(v)
			ok = true
		case rawjson.KindNull:
			ok = true
		case rawjson.KindArray:
			ok = columns.addPoint(v)
		case rawjson.KindObject:
			ok = columns.addObject(v)
		}
		if !ok {
			return nil
		}
	}
	switch {
	case len(numbers.values) > 0 && len(columns.names) == 0:
		return numbers.figures()
	case len(columns.names) > 0 && len(numbers.values) == 0:
		return columns.figures(elements)
	}
	return nil
}

// table holds the numeric columns of a series of points or objects.
type table struct {
	names   []string
	columns map[string]*column
}

func (t *table) add(name string, number []byte) {
	if t.columns == nil {
		t.columns = make(map[string]*column)
	}
	c := t.columns[name]
	if c == nil {
		c = &column{}
		t.columns[name] = c
		t.names = append(t.names, name)
	}
	c.add(number)
}

// addPoint takes a list of two to eight numbers, also written as text.
func (t *table) addPoint(point []byte) bool {
	if n := rawjson.Len(point); n < 2 || n > 8 {
		return false
	}
	i := 0
	for v := range rawjson.Elements(point) {
		number, ok := numberIn(v)
		if !ok {
			return false
		}
		if number != nil {
			t.add(strconv.Itoa(i), number)
		}
		i++
	}
	return true
}

// numberIn reads a number, also one in a string; null is no number but fits.
func numberIn(v []byte) (number []byte, ok bool) {
	switch rawjson.KindOf(v) {
	case rawjson.KindNumber:
		return v, true
	case rawjson.KindNull:
		return nil, true
	case rawjson.KindString:
		text, _ := rawjson.String(v)
		inner := []byte(text)
		return inner, rawjson.KindOf(inner) == rawjson.KindNumber && rawjson.Check(inner) == nil
	}
	return nil, false
}

// addObject takes a flat object, objects in it included, lists not.
func (t *table) addObject(object []byte) bool {
	for key, v := range rawjson.Members(object) {
		switch rawjson.KindOf(v) {
		case rawjson.KindNumber:
			if !isID(key) {
				t.add(key, v)
			}
		case rawjson.KindArray:
			return false
		}
	}
	return true
}

func isID(key string) bool {
	return strings.EqualFold(key, "id") || strings.HasSuffix(key, "_id") || strings.HasSuffix(key, "Id") || strings.HasSuffix(key, "ID")
}

func (t *table) figures(elements int) []byte {
	var out, fields rawjson.Object
	out.PutInt("count", int64(elements))
	for _, name := range t.names {
		fields.Put(name, t.columns[name].figures())
	}
	out.Put("fields", fields.Bytes())
	return out.Bytes()
}

// column is one series of numbers, as texts.
type column struct{ values [][]byte }

func (c *column) add(number []byte) { c.values = append(c.values, number) }

func (c *column) figures() []byte {
	sorted := slices.Clone(c.values)
	slices.SortStableFunc(sorted, rawjson.CompareNumbers)
	n := len(sorted)
	var o rawjson.Object
	o.PutInt("count", int64(n))
	o.Put("min", sorted[0])
	o.Put("max", sorted[n-1])
	o.Put("mean", c.mean())
	for _, p := range []int{50, 90, 99} {
		o.Put("p"+strconv.Itoa(p), sorted[(n*p+99)/100-1])
	}
	o.Put("first", c.values[0])
	o.Put("last", c.values[n-1])
	o.Put("largest_change", c.largestChange())
	return o.Bytes()
}

// precision is enough for sums of 64-bit integers without loss.
const precision = 256

func float(number []byte) *big.Float {
	f, _, err := big.ParseFloat(string(number), 10, precision, big.ToNearestEven)
	if err != nil && f == nil {
		return new(big.Float).SetPrec(precision)
	}
	return f
}

func (c *column) mean() []byte {
	sum := new(big.Float).SetPrec(precision)
	for _, v := range c.values {
		f := float(v)
		if f.IsInf() || sum.IsInf() {
			return []byte("null")
		}
		sum.Add(sum, f)
	}
	return plain(sum.Quo(sum, new(big.Float).SetInt64(int64(len(c.values)))))
}

// plain writes a number with all digits of its integer part and six after.
func plain(f *big.Float) []byte {
	if f.IsInf() {
		return []byte("null")
	}
	if f.MantExp(nil) > 200 || f.Sign() != 0 && f.MantExp(nil) < -20 {
		return f.Append(nil, 'e', 6)
	}
	text := f.Text('f', 6)
	return []byte(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}

// largestChange is the biggest step between neighbours: from, to, and the index
// of to; nil for fewer than two.
func (c *column) largestChange() []byte {
	var largest *big.Float
	at := 0
	for i := 1; i < len(c.values); i++ {
		before, now := float(c.values[i-1]), float(c.values[i])
		if before.IsInf() || now.IsInf() {
			continue
		}
		change := new(big.Float).SetPrec(precision).Sub(now, before)
		if change.Abs(change); largest == nil || change.Cmp(largest) > 0 {
			largest, at = change, i
		}
	}
	if largest == nil {
		return nil
	}
	var o rawjson.Object
	o.Put("from", c.values[at-1])
	o.Put("to", c.values[at])
	o.PutInt("at", int64(at))
	return o.Bytes()
}
