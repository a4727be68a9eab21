package tool

import (
	"encoding/json"
	"time"
)

// Definition is what the model and the gate see of a tool.
type Definition struct {
	Name       string          // stands in receipts and rules: never rename
	Doc        string          // for the model: what it does and when to use it
	Args       json.RawMessage // JSON Schema of the arguments, made by SchemaOf; unknown fields are refused
	Outward    bool            // some calls reach people outside the business: the owner may unlock it
	Programs   bool            // it starts programs, which need memory of their own
	Idempotent bool            // a second run with the same call id does nothing new
	Timeout    time.Duration   // of one run; the gate enforces it
}

// Result is what a tool gives back. Text goes to the model, the rest to people and receipts.
type Result struct {
	Text    string         `json:"text"`    // for the model; the gate cuts and tags it
	Summary string         `json:"summary"` // one sentence for the chip: "Deleted 14 files, 3.2 MB"
	Facts   []Fact         `json:"facts,omitempty"`
	Effects []Effect       `json:"effects,omitempty"` // what changed, for the receipt and the answer check
	Meta    map[string]any `json:"meta,omitempty"`    // further fields of the receipt; never contents
	// Child is the id of the run that a delegation started.
	Child string `json:"child,omitempty"`
}

// Fact is a number that was measured.
type Fact struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Text  string `json:"text"`
}

// Effect is one thing that a finished call changed. Kind is a class of the answer check's lexicon: sent, deleted,
// written, ran, delegated; of attached it says nothing. Target is what it was done to: a path, an address, an agent.
type Effect struct {
	Kind   string `json:"kind"`
	Target string `json:"target"`
	Count  int    `json:"count"`
}

// Refused is an error that the model should read as a value: the call was valid, but could not be done. Anything
// else a tool returns is an internal error and reaches the model only as "failed".
type Refused struct{ Text string }

func (r *Refused) Error() string { return r.Text }

// Unknown is an error after which nobody knows whether the call did what it was to do.
type Unknown struct{ Err error }

func (u *Unknown) Error() string { return "nobody knows the outcome: " + u.Err.Error() }

// Unwrap gives what went wrong.
func (u *Unknown) Unwrap() error { return u.Err }
