package args

import "strings"

// Option is a flag that every command has.
type Option struct {
	Name   string
	Takes  string // what its value is; empty: it is a switch
	Yields bool   // a field of this name takes the flag, and the option is --want-NAME; else the field is --field-NAME
	Usage  string
}

// Modes are the ways of writing an answer, the values of --output.
var Modes = []string{"table", "json", "jsonl", "yaml", "csv", "tsv", "toon", "md", "raw"}

// Names of the options that a line reads itself; all others are set by its owner.
const (
	data      = "data"
	set       = "set"
	fieldFile = "field-file"
)

// table lists the options in the order in which help tells them. It never changes.
var table = []Option{
	{Name: "output", Takes: strings.Join(Modes, "|"), Yields: true, Usage: "how the answer is written"},
	{Name: "fields", Takes: "a,b.c", Yields: true, Usage: "keep these of each record"},
	{Name: "jq", Takes: "PROGRAM", Yields: true, Usage: "a jq program over the answer"},
	{Name: "limit", Takes: "N", Yields: true, Usage: "records at most"},
	{Name: "page", Takes: "PAGE", Yields: true, Usage: "page number, offset or cursor"},
	{Name: "all", Yields: true, Usage: "follow all pages"},
	{Name: "summary", Yields: true, Usage: "count, bounds and percentiles of a series"},
	{Name: "budget", Takes: "TOKENS", Yields: true, Usage: "cut the answer to about this size"},
	{Name: "profile", Takes: "NAME", Yields: true, Usage: "the profile to call under"},
	{Name: "account", Takes: "NAME", Yields: true, Usage: "which account of the source"},
	{Name: "timeout", Takes: "30s", Yields: true, Usage: "how long it may take"},
	{Name: "quiet", Yields: true, Usage: "nothing on stderr but faults"},
	{Name: "data", Takes: "@FILE|-", Usage: "the arguments as JSON or YAML"},
	{Name: "set", Takes: "a.b=text|a.b:=JSON", Usage: "one nested argument"},
	{Name: "field-file", Takes: "NAME=@FILE", Usage: "one argument from a file, untouched"},
	{Name: "out", Takes: "FILE", Usage: "write the answer to a file"},
	{Name: "dry-run", Usage: "show the request, send nothing"},
	{Name: "yes", Usage: "the yes to an operation that destroys"},
	{Name: "no-input", Usage: "never ask"},
	{Name: "config", Takes: "FILE", Usage: "the configuration to use"},
	{Name: "trust", Usage: "trust the configuration that is found"},
	{Name: "help", Usage: "what the command does and takes"},
	{Name: "version", Usage: "the version of the program"},
}

// Options lists the options in the order in which help tells them.
func Options() []Option { return table }

// WantPrefix before the name of an option that yields always means the option.
const WantPrefix = "want-"

// OptionNamed is the option that a flag's name means wherever no field takes it, or nil.
func OptionNamed(name string) *Option {
	long, wanted := strings.CutPrefix(name, WantPrefix)
	for i := range table {
		if o := &table[i]; o.Name == name || wanted && o.Yields && o.Name == long {
			return o
		}
	}
	return nil
}

// ShortOption is the option of a one-letter flag, or nil.
func ShortOption(letter string) *Option {
	switch letter {
	case "o":
		return OptionNamed("output")
	case "h":
		return OptionNamed("help")
	}
	return nil
}

// Leading reads the option at the front of a line: its text, and how many arguments it takes up. It
// is nil where the flag is no option.
func Leading(argv []string) (opt *Option, text string, used int) {
	name, text, given := strings.Cut(strings.TrimLeft(argv[0], "-"), "=")
	if strings.HasPrefix(argv[0], "--") {
		opt = OptionNamed(Kebab(name))
	} else if opt = ShortOption(name[:min(1, len(name))]); opt != nil && len(name) > 1 {
		text, given = strings.TrimPrefix(argv[0][2:], "="), true
	}
	switch {
	case opt == nil || given:
		return opt, text, 1
	case opt.Takes == "":
		return opt, "true", 1
	case len(argv) > 1:
		return opt, argv[1], 2
	}
	return opt, "", 1
}

// IsFlag reports whether an argument is a flag: not a lone dash, and not a negative number or time.
func IsFlag(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	return !(arg[1] >= '0' && arg[1] <= '9') && !(arg[1] == '.' && len(arg) > 2)
}
