package twodoor

import (
	"encoding/json"
	"time"
)

// Names of the doors, as a Call carries them.
const (
	DoorCLI  = "cli"
	DoorMCP  = "mcp"
	DoorREST = "rest"
	DoorGo   = "go"
)

// Call is one request as a door read it: nothing in it is checked.
type Call struct {
	Of         Of              // what Operation names
	Operation  string          // any spelling that the catalog knows: id, MCP name, alias; the address of a resource; a prompt
	Arguments  json.RawMessage // an object, or a JSON string that holds one; nil: no arguments
	Projection Projection
	Principal  Principal
	Profile    string // empty: the default profile
	Session    string
	Door       string // DoorCLI, …
	Era        string // version of the door's protocol, where it has several
	Client     string // the client's own name and version, not trusted
	Trace      Trace  // the place of the caller; zero: it named none
	Account    string // of the source, where it has several
	Confirm    string // the token of an earlier CodeConfirm, or ConfirmYes
	Mode       Mode
	Timeout    time.Duration  // 0: the operation's or the engine's bound
	Parent     string         // id of the call that makes this one
	Progress   func(Progress) // may be nil; called while Do runs, by any goroutine
	Log        func(Note)     // likewise

	Declared   json.RawMessage // what the caller can be asked, as MCP client capabilities; nil: nothing
	Asker      Asker           // asks it while the call runs; nil: it is told by Result.Asked, and calls again
	State      string          // Asked.State of the round before
	Answers    Answers         // to the questions of that round
	Completing *Completing     // with OfResource and OfPrompt: values are proposed, nothing is read

	found  *Operation // nil: not yet, or there is none
	prompt *Prompt    // with OfPrompt: what was found
	held   held       // of State
	notes  []string   // what the steps have to say beside the answer
	depth  int        // how many calls stand above this one
	plain  bool       // the engine makes it for itself: it may be exported to no door, and nothing is put into its answer or left out of it
}

// ConfirmYes is the Confirm of a caller who already asked a person (the CLI's --yes).
const ConfirmYes = "yes"

// Mode says how far a call goes.
type Mode uint8

// The modes of a call.
const (
	Run    Mode = iota // carry it out
	DryRun             // stop before the far side, and show what would be sent
)
