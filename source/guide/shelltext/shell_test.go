package shelltext

import (
	"strings"
	"testing"
)

func callsOf(t testing.TB, text string) []Call {
	t.Helper()
	r := &Reader{Program: "td", Files: map[string]string{}, Place: func(line, col int) (int, int, int) { return line, col, -1 }}
	if err := r.Read(text); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return r.Calls
}

func words(c Call) string {
	var list []string
	for _, w := range c.Words[1:] {
		text := w.Text
		if w.Hole {
			text += "?"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func TestShell(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"td a b <incident-id> --x <y|z>", "a b <incident-id>? --x <y|z>?"},
		{"td a b \\\n  --x 1", "a b --x 1"},
		{`td a "$ID" ${X} pre-$Y 'it is'`, "a $ID? $X? pre-$Y? it is"},
		{"x=$(td a b) && td c || td d; td e", "a b; c; d; e"},
		{"for i in $(td a); do td b \"$i\"; done", "a; b $i?"},
		{"if td a; then td b; fi", "a; b"},
		{"td a $(td b <id>)", "b <id>?; a $()?"},
		{"sudo FOO=1 td a; env X=1 td b; /usr/bin/td c", "a; b; c"},
		{"td a | xargs -n1 td b", "a; b"},
		{"diff <(td a) <(td b)", "a; b"},
		{"echo td a; nottd b; # td c", ""},
		{"td a ... --b …", "a ...? --b …?"},
		{"td a 'x < y' \"<z>\"", "a x < y <z>?"},
		{"f() { td a; }; ( td b )", "a; b"},
		{"td a > out.json 2>&1", "a"},
		{"td a &", "a"},
	} {
		var got []string
		for _, one := range callsOf(t, c.text) {
			got = append(got, words(one))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, text, c.want)
		}
	}
}

func TestShellInputs(t *testing.T) {
	for _, c := range []struct{ text, stdin string }{
		{"td a --data - <<'EOF'\n{\"a\": \"<x>\"}\nEOF\n", "{\"a\": \"<x>\"}\n"},
		{"td a --data - <<-EOF\n\t{\"a\": $N, \"b\": \"$X\"}\n\tEOF\n", "{\"a\": \"<value>\", \"b\": \"<value>\"}\n"},
		{"cat <<EOF | td a --data -\nx: 1\nEOF\n", "x: 1\n"},
		{"echo '{}' | td a --data -", "{}"},
		{"td a --data - <<< '{\"a\":1}'", "{\"a\":1}"},
		{"cat > f.json <<'EOF'\n[1]\nEOF\ntd a --data - < f.json", "[1]\n"},
		{"cat > f.json <<'EOF'\n[1]\nEOF\ncat f.json | td a", "[1]\n"},
	} {
		calls := callsOf(t, c.text)
		if len(calls) != 1 || calls[0].Stdin == nil || *calls[0].Stdin != c.stdin {
			t.Errorf("%s: %+v", c.text, calls)
		}
	}
	if calls := callsOf(t, "curl x | td a --data -"); !calls[0].Piped || calls[0].Stdin != nil {
		t.Errorf("%+v", calls)
	}
}

func TestShellFilters(t *testing.T) {
	for text, want := range map[string]string{
		"td a | jq -r '.x'":                    ".x",
		"td a | jq .x | jq --arg k v '.y'":     ".x; .y",
		"td a | head -3 | jq .x":               "",
		"td a | jq -s 'length'":                "",
		"td a | jq \".x[] | select(.id==$I)\"": "",
	} {
		var got []string
		for _, f := range callsOf(t, text)[0].Filters {
			got = append(got, f.Text)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestParts(t *testing.T) {
	parts := Parts(strings.Split("$ td a\n{\"x\": 'it}\n$ td b \\\n> --c\nout\n$ td d <<EOF\nbody\nEOF\nout", "\n"))
	var got []string
	for _, p := range parts {
		got = append(got, p.Text)
	}
	if len(got) != 3 || got[0] != "td a" || got[1] != "td b \\\n--c" || got[2] != "td d <<EOF\nbody\nEOF" {
		t.Errorf("%q", got)
	}
}

// FuzzShell: no text makes the reader panic.
func FuzzShell(f *testing.F) {
	for _, text := range []string{"td a <b c", "td <<EOF\n", "```sh\ntd a\n", "$ td a \\", "td a \"$(td b", "~~~\n<x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := &Reader{Program: "td", Files: map[string]string{}, Place: func(line, col int) (int, int, int) { return line, col, -1 }}
		_ = r.Read(text)
		Parts(strings.Split(text, "\n"))
	})
}
