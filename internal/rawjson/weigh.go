package rawjson

// Weigh estimates how many tokens a text costs a model: about bytes ÷ 4, by
// class of content. It takes the text apart as tokenizers do, into words, digits
// in threes, punctuation, white space and other scripts, and adds up what each
// costs on average in o200k: for the tools, answers and prose of real APIs it is
// within some percent of that (see bench/tokens). Of a text above 256 KiB it
// weighs 64 samples. It allocates nothing.
func Weigh(raw []byte) int {
	const samples, size = 64, 4 << 10
	if len(raw) <= samples*size {
		return (weigh(raw) + unit - 1) / unit
	}
	sum := 0
	for i := range samples {
		at := (len(raw) - size) / (samples - 1) * i
		sum += weigh(raw[at : at+size])
	}
	return int(float64(sum) / (samples * size * unit) * float64(len(raw)))
}

const unit = 24 // of a token

// weigh is the weight in units.
func weigh(raw []byte) (sum int) {
	before := uint8(foreign)
	for at := 0; at < len(raw); {
		from, class := at, classes[raw[at]]
		at = skipClass(raw, at+1, class)
		if class == upper {
			at = skipClass(raw, at, lower)
		}
		size := at - from
		switch class {
		case lower, upper:
			sum += 25 + 3*max(0, size-5)/2
		case digit:
			sum += 28 * ((size + 2) / 3)
			if before != lower && before != upper { // a sign before a word is a part of it, before digits it is not
				sum += 10
			}
		case punctuation:
			sum += 10 + 4*size
		case blank: // one belongs to the word after it
			if size > 1 {
				sum += 16
			}
		case newline:
			sum += 30
		case foreign:
			sum += 6 * size
		}
		before = class
	}
	return sum
}

func skipClass(raw []byte, at int, class uint8) int {
	for at < len(raw) && classes[raw[at]] == class {
		at++
	}
	return at
}

// The classes of bytes that Weigh tells apart.
const (
	punctuation = iota
	lower
	upper
	digit
	blank
	newline
	foreign // part of a character beyond ASCII
)

var classes = func() (classes [256]uint8) {
	for c := range classes {
		switch {
		case 'a' <= c && c <= 'z':
			classes[c] = lower
		case 'A' <= c && c <= 'Z':
			classes[c] = upper
		case '0' <= c && c <= '9':
			classes[c] = digit
		case c == ' ':
			classes[c] = blank
		case c < ' ':
			classes[c] = newline
		case c >= 0x80:
			classes[c] = foreign
		}
	}
	return classes
}()
