package gate

import (
	"context"
	"encoding/json"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// A Tool is one typed ability. Definition is what the model and the gate see; Run does it.
type Tool interface {
	Definition() tool.Definition
	// Classify says what these arguments would do. It is pure and must not panic; the arguments fit the schema.
	Classify(args json.RawMessage) policy.Class
	// Run does it. The permit is for exactly these arguments and must be redeemed before the first effect. The model reads an
	// error of type *tool.Refused; any other is an internal error.
	Run(ctx context.Context, p Permit, args json.RawMessage) (tool.Result, error)
}

// Measurer is a Tool that can look at the world before asking, without changing it. The gate calls it after
// Classify; the measured class may only be riskier.
type Measurer interface {
	Measure(ctx context.Context, args json.RawMessage) (Measured, error)
}

// Measured is what a Measurer found.
type Measured struct {
	Raise policy.Class // empty Tier: nothing to raise
	Facts []tool.Fact
	// Frozen is what the call will act on, whatever the world looks like later: a list of files with sizes and
	// digests, a recipient. The gate keeps it with the approval and hands it to Run through the permit.
	Frozen json.RawMessage
}

// Stager is a Tool that prepares its change aside, so that a person can see it as a diff before it is made.
type Stager interface {
	// Stage keeps the proposed content under the call id and returns the diff and the hex SHA-256 of the content.
	// It runs for every call, asked or not; Run commits exactly what was staged under the permit's call id.
	Stage(ctx context.Context, callID string, args json.RawMessage) (Staged, error)
	// Discard drops what was staged for a call that was denied, expired or superseded.
	Discard(ctx context.Context, callID string) error
}

// Staged is a prepared change.
type Staged struct {
	Hash    string // hex SHA-256 of the proposed content
	Before  string // hex SHA-256 of the present content, "-" when there is none
	Path    string
	Unified string
	New     bool
	Added   int
	Removed int
}

// Holder is a Measurer that can tell whether what it froze before a decision is still as it was. Without it, the gate measures
// again and compares byte by byte, so anything new counts as a change.
type Holder interface {
	Holds(ctx context.Context, args, frozen json.RawMessage) error
}

// Carrier is a Tool whose calls send more than their arguments say, such as files.
type Carrier interface {
	// Carries gives what would leave besides the arguments, as text. whole says that all of it can be read so; what cannot, a person
	// looks at.
	Carries(ctx context.Context, args json.RawMessage) (text string, whole bool, err error)
}

// Discreet is a Tool whose arguments are what people write to each other. Receipts are kept for ever, so they do not hold that.
type Discreet interface {
	// Receipt gives the arguments as receipts keep them; the hash of the whole stands in a receipt as well. It is pure, and gets
	// arguments that may not fit.
	Receipt(args json.RawMessage) json.RawMessage
}

// MetaOutside in the Meta of a Result says that its text comes from outside the business. The gate marks it, so that no reader
// takes it for an instruction.
const MetaOutside = "outside"
