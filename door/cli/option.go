package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
)

// options are the values of the flags that every command has.
type options struct {
	output  string // one of modes
	asked   bool   // somebody chose the output, on the line or by TWODOOR_OUTPUT
	onLine  bool   // on the line
	want    twodoor.Projection
	profile string
	account string
	timeout time.Duration
	quiet   bool
	dryRun  bool
	yes     bool
	noInput bool
	out     string
	config  string
	trust   bool
	help    bool
	version bool
	data    *string
	sets    []string
	files   []string
}

// option is a flag that every command has.
type option struct {
	name  string
	takes string // what its value is; empty: it is a switch
	rank  rank
	usage string
	set   func(o *options, text string) error
}

// rank says what happens where an operation has a field of an option's name.
type rank uint8

const (
	keeps  rank = iota // the option keeps its meaning, the field is --field-NAME
	yields             // the field takes the flag, the option is --want-NAME
)

// table lists the options in the order in which help tells them. It never changes.
var table = []option{
	{"output", strings.Join(modes, "|"), yields, "how the answer is written", (*options).setOutput},
	{"fields", "a,b.c", yields, "keep these of each record", func(o *options, text string) error {
		o.want.Fields = append(o.want.Fields, splitWords(text)...)
		return nil
	}},
	{"jq", "PROGRAM", yields, "a jq program over the answer", func(o *options, text string) error { o.want.JQ = text; return nil }},
	{"limit", "N", yields, "records at most", func(o *options, text string) error { return setCount(&o.want.Limit, text) }},
	{"page", "PAGE", yields, "page number, offset or cursor", func(o *options, text string) error { o.want.Page = text; return nil }},
	{"all", "", yields, "follow all pages", func(o *options, text string) error { return setSwitch(&o.want.All, text) }},
	{"summary", "", yields, "count, bounds and percentiles of a series", func(o *options, text string) error { return setSwitch(&o.want.Summary, text) }},
	{"budget", "TOKENS", yields, "cut the answer to about this size", (*options).setBudget},
	{"profile", "NAME", yields, "the profile to call under", func(o *options, text string) error { o.profile = text; return nil }},
	{"account", "NAME", yields, "which account of the source", func(o *options, text string) error { o.account = text; return nil }},
	{"timeout", "30s", yields, "how long it may take", (*options).setTimeout},
	{"quiet", "", yields, "nothing on stderr but faults", func(o *options, text string) error { return setSwitch(&o.quiet, text) }},
	{"data", "@FILE|-", keeps, "the arguments as JSON or YAML", func(o *options, text string) error {
		if o.data != nil && *o.data != text {
			return fmt.Errorf("is given twice: %s and %s", *o.data, text)
		}
		o.data = &text
		return nil
	}},
	{"set", "a.b=text|a.b:=JSON", keeps, "one nested argument", func(o *options, text string) error { o.sets = append(o.sets, text); return nil }},
	{"field-file", "NAME=@FILE", keeps, "one argument from a file, untouched", func(o *options, text string) error { o.files = append(o.files, text); return nil }},
	{"out", "FILE", keeps, "write the answer to a file", func(o *options, text string) error { o.out = text; return nil }},
	{"dry-run", "", keeps, "show the request, send nothing", func(o *options, text string) error { return setSwitch(&o.dryRun, text) }},
	{"yes", "", keeps, "the yes to an operation that destroys", func(o *options, text string) error { return setSwitch(&o.yes, text) }},
	{"no-input", "", keeps, "never ask", func(o *options, text string) error { return setSwitch(&o.noInput, text) }},
	{"config", "FILE", keeps, "the configuration to use", func(o *options, text string) error { o.config = text; return nil }},
	{"trust", "", keeps, "trust the configuration that is found", func(o *options, text string) error { return setSwitch(&o.trust, text) }},
	{"help", "", keeps, "what the command does and takes", func(o *options, text string) error { return setSwitch(&o.help, text) }},
	{"version", "", keeps, "the version of the program", func(o *options, text string) error { return setSwitch(&o.version, text) }},
}

const wantPrefix = "want-"

// optionOf is the option that a flag's name means wherever no field takes it. The name with "want-"
// before it always means the option.
func optionOf(name string) *option {
	long, wanted := strings.CutPrefix(name, wantPrefix)
	for i := range table {
		if o := &table[i]; o.name == name || wanted && o.rank == yields && o.name == long {
			return o
		}
	}
	return nil
}

// shortOption is the option of a one-letter flag.
func shortOption(letter string) *option {
	switch letter {
	case "o":
		return optionOf("output")
	case "h":
		return optionOf("help")
	}
	return nil
}

// modes are the ways of writing an answer.
var modes = []string{"table", "json", "jsonl", "yaml", "csv", "tsv", "toon", "md", "raw"}

func (o *options) setOutput(text string) error {
	if !slices.Contains(modes, text) {
		return notOneOf(text, modes)
	}
	o.output, o.asked, o.onLine = text, true, true
	return nil
}

func (o *options) setBudget(text string) error {
	if text == "-1" || text == "none" {
		o.want.Budget = -1
		return nil
	}
	return setCount(&o.want.Budget, text)
}

func (o *options) setTimeout(text string) error {
	if _, err := strconv.ParseUint(text, 10, 32); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no duration: write it like 30s or 2m", text)
	}
	o.timeout = d
	return nil
}

func setCount(to *int, text string) error {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return fmt.Errorf("%q is not a whole number", text)
	}
	*to = int(n)
	return nil
}

func setSwitch(to *bool, text string) error {
	yes, ok := truth(text)
	if !ok {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	*to = yes
	return nil
}

// truth reads a boolean as people write it.
func truth(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

// preset is the output where the line names none: TWODOOR_OUTPUT, else a table on a terminal, else JSON.
func (d *Door) preset() (mode string, asked bool) {
	if mode := d.Env["TWODOOR_OUTPUT"]; slices.Contains(modes, mode) {
		return mode, true
	}
	if d.StdoutTTY {
		return "table", false
	}
	return "json", false
}

// splitWords takes a comma list apart; blanks around its words and empty words are dropped.
func splitWords(text string) []string {
	var words []string
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// Early is what a program must know of a command line before it can build the door.
type Early struct {
	Config  string
	Profile string
	Trust   bool
	Words   []string // the leading words that are no flags
}

// Peek reads what stands on a command line for the program as a whole. It decides nothing: a line
// that does not fit is told by Run.
func Peek(argv []string) Early {
	var early Early
	var o options
	for i := 0; i < len(argv) && argv[i] != "--"; i++ {
		if !isFlag(argv[i]) {
			early.Words = append(early.Words, argv[i])
			continue
		}
		opt, text, used := leading(argv[i:])
		if opt == nil {
			continue
		}
		i += used - 1
		switch opt.name {
		case "config", "trust", "profile":
			_ = opt.set(&o, text) // told by Run, which reads it again
		}
	}
	early.Config, early.Trust, early.Profile = o.config, o.trust, o.profile
	return early
}

// leading reads the option at the front of a line: its text, and how many arguments it takes up.
func leading(argv []string) (opt *option, text string, used int) {
	name, text, given := strings.Cut(strings.TrimLeft(argv[0], "-"), "=")
	if strings.HasPrefix(argv[0], "--") {
		opt = optionOf(kebab(name))
	} else if opt = shortOption(name[:min(1, len(name))]); opt != nil && len(name) > 1 {
		text, given = strings.TrimPrefix(argv[0][2:], "="), true
	}
	switch {
	case opt == nil || given:
		return opt, text, 1
	case opt.takes == "":
		return opt, "true", 1
	case len(argv) > 1:
		return opt, argv[1], 2
	}
	return opt, "", 1
}

// isFlag reports whether an argument is a flag: not a lone dash, and not a negative number or time.
func isFlag(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	return !(arg[1] >= '0' && arg[1] <= '9') && !(arg[1] == '.' && len(arg) > 2)
}
