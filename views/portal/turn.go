package portal

import (
	"time"

	"gatehouse/views/inbox"
	"gatehouse/views/ui"
)

// TurnProps is one message of a person and everything that came of it.
type TurnProps struct {
	Run    string // id of the root run
	Text   string // what the person wrote
	At     time.Time
	Via    string // channel, "" for the portal itself
	Answer AnswerProps
}

// The states of an answer.
const (
	StateQueued  = "queued"
	StateRunning = "running"
	StateParked  = "parked"
	StateDone    = "done"
	StateFailed  = "failed"
	StateStopped = "stopped"
)

// AnswerProps is the bubble in which a root run is answered.
type AnswerProps struct {
	Run      string
	Agent    ui.Agent
	State    string
	Why      string // queued only: what it waits for
	Away     bool   // the server cannot be reached; the run goes on when it is back
	Asks     int    // approvals that wait
	Work     WorkProps
	Note     *NoteProps // how it ended, when not with an answer
	Evidence EvidenceProps
}

// Open says whether the run will still do something.
func (a AnswerProps) Open() bool {
	return a.State == StateQueued || a.State == StateRunning || a.State == StateParked
}

// NoteProps says why there is no final answer.
type NoteProps struct {
	Kind   string // stopped, limit, model, internal
	Detail string
}

// WorkProps is what one run did, in order.
type WorkProps struct {
	ID    string // DOM id of the list
	Items []ItemProps
}

// ItemProps is one thing in the work of a run: either text or a call.
type ItemProps struct {
	Text *TextProps
	Call *CallProps
}

// TextProps is a piece of writing of an agent. HTML here has passed app/web/markdown.
type TextProps struct {
	ID   string
	Done []string // finished blocks, never changed again
	Tail string   // the open block
	Cut  bool     // longer than a page shows
}

// The states of a call.
const (
	CallRequested = "requested"
	CallAsked     = "asked"
	CallRunning   = "running"
	CallDone      = "done"
	CallFailed    = "failed"
	CallDenied    = "denied"
	CallUnknown   = "unknown"
	CallStopped   = "stopped"
)

// CallProps is one use of a tool.
type CallProps struct {
	ID      string // DOM id
	Tool    string
	Tier    string // "" until classified
	State   string
	Summary string
	Took    time.Duration // 0 while it runs
	Asks    []inbox.CardProps
	Hand    *HandProps
}

// HandProps is work that was handed to another agent.
type HandProps struct {
	From, To ui.Agent
	Work     WorkProps
}

// EvidenceProps is the panel below an answer: what the receipts say about it.
type EvidenceProps struct {
	Run      string
	Verdict  string // "" while open
	Claims   []ClaimProps
	Receipts []ReceiptProps
	Count    int  // of receipts, when they are not here
	Lazy     bool // receipts are fetched when the panel is opened
	Tokens   int64
	Model    string
}

// ClaimProps is a sentence of the answer that says something was done.
type ClaimProps struct {
	Sentence string
	Verdict  string // proven, not_proven, contradicted
	Receipts []int64
}

// ReceiptProps is one record of the log.
type ReceiptProps struct {
	ID   string // DOM id
	Seq  int64
	Type string // call.started
	Tool string
	Tier string
	Call string // DOM id of the call; "" when the record is about none
	Says string // one line from the body
	At   time.Time
	Hash string
	Prev string
	Body string // JSON, for those who look closer
}

// Alarming says whether a verdict speaks against the answer.
func Alarming(verdict string) bool { return verdict == "not_proven" || verdict == "contradicted" }
