package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/door/cli/internal/typed"
	"github.com/twodoor/twodoor/internal/shape"
)

// options are the values of the flags that every command has.
type options struct {
	output  string // one of args.Modes
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
}

// set takes in an option of the line.
func (o *options) set(opt *args.Option, text string) error {
	if to := o.toggle(opt.Name); to != nil {
		return setSwitch(to, text)
	}
	if to := o.words(opt.Name); to != nil {
		*to = text
		return nil
	}
	switch opt.Name {
	case "output":
		return o.setOutput(text)
	case "fields":
		return o.setFields(text)
	case "limit":
		return setCount(&o.want.Limit, text)
	case "budget":
		return o.setBudget(text)
	case "timeout":
		return o.setTimeout(text)
	}
	return errors.New("means nothing without an operation")
}

// toggle is where an option that is true or false is kept.
func (o *options) toggle(name string) *bool {
	switch name {
	case "all":
		return &o.want.All
	case "summary":
		return &o.want.Summary
	case "quiet":
		return &o.quiet
	case "dry-run":
		return &o.dryRun
	case "yes":
		return &o.yes
	case "no-input":
		return &o.noInput
	case "trust":
		return &o.trust
	case "help":
		return &o.help
	case "version":
		return &o.version
	}
	return nil
}

// words is where an option that is a text is kept.
func (o *options) words(name string) *string {
	switch name {
	case "jq":
		return &o.want.JQ
	case "page":
		return &o.want.Page
	case "profile":
		return &o.profile
	case "account":
		return &o.account
	case "out":
		return &o.out
	case "config":
		return &o.config
	}
	return nil
}

func (o *options) setOutput(text string) error {
	if !slices.Contains(args.Modes, text) {
		return typed.NotOneOf(text, args.Modes)
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
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a whole number from 1 on", text)
	}
	*to = int(n)
	return nil
}

func setSwitch(to *bool, text string) error {
	yes, ok := typed.Truth(text)
	if !ok {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	*to = yes
	return nil
}

// preset is the output where the line names none: TWODOOR_OUTPUT, else a table on a terminal, else JSON.
func (d *Door) preset() (mode string, asked bool) {
	if mode := d.Env["TWODOOR_OUTPUT"]; slices.Contains(args.Modes, mode) {
		return mode, true
	}
	if d.StdoutTTY {
		return "table", false
	}
	return "json", false
}

// setFields takes fields in braces apart, since the columns of a table are dotted paths.
func (o *options) setFields(text string) (err error) {
	o.want.Fields, err = shape.Fields(append(o.want.Fields, text))
	return err
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
		if !args.IsFlag(argv[i]) {
			early.Words = append(early.Words, argv[i])
			continue
		}
		opt, text, used := args.Leading(argv[i:])
		if opt == nil {
			continue
		}
		i += used - 1
		switch opt.Name {
		case "config", "trust", "profile":
			_ = o.set(opt, text) // told by Run, which reads it again
		}
	}
	early.Config, early.Trust, early.Profile = o.config, o.trust, o.profile
	return early
}
