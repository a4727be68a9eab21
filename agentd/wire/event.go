package wire

import "encoding/json"

// Event names a kind of run event; the same names stand in the SSE stream of the JSON API.
type Event string

// The events of a run.
const (
	EventQueued   Event = "queued"   // QueuedData: the run waits for its server or its turn
	EventDelta    Event = "delta"    // DeltaData: a piece of an answer
	EventTool     Event = "tool"     // ToolData: a call changed state
	EventApproval Event = "approval" // ApprovalData: an approval was asked or changed state
	EventReceipt  Event = "receipt"  // ReceiptData: a receipt was written
	EventFinal    Event = "final"    // FinalData: the root run ended well; nothing follows
	EventError    Event = "error"    // ErrorData: the root run failed, was stopped or ran into a limit; nothing follows
)

// RunEvent is one numbered event of a root run. N counts from 1 without gaps within one life of agentd; after a
// restart it goes on at a higher number, so that a reader who sees a gap asks RPCRunEvents and trusts the answer.
// Events of delegated runs come in the root's stream, with their own run id inside Data.
type RunEvent struct {
	Root    string          `json:"root"`    // id of the root run
	Session string          `json:"session"` // id of the session the root run belongs to
	N       int64           `json:"n"`
	Event   Event           `json:"event"`
	Data    json.RawMessage `json:"data"` // one of the …Data types, N included
}

// QueuedData says why a run has not started.
type QueuedData struct {
	N     int64  `json:"n"`
	RunID string `json:"run_id"`
	Why   string `json:"why"` // "server away", or one of the Waits
}

// Why a message waits for another run of its conversation.
const (
	WaitsTurn  = "after another run"           // it is a turn of its own
	WaitsMore  = "together with what follows"  // it becomes one turn with the others that wait
	WaitsStep  = "for the next step"           // it is put into the running turn
	WaitsTaken = "takes the place of the turn" // the running turn is being stopped
)

// DeltaData is a piece of the text that an agent writes. Step and Attempt name the model call: text of a lower
// attempt of the same step is void, for the call was repeated after a restart.
type DeltaData struct {
	N       int64  `json:"n"`
	RunID   string `json:"run_id"`
	Agent   string `json:"agent"`
	Step    int    `json:"step"`
	Attempt int    `json:"attempt"`
	Text    string `json:"text"`
}

// ToolState is where a call stands.
type ToolState string

// The states of a call, as chips show them.
const (
	ToolRequested ToolState = "requested"
	ToolAsked     ToolState = "asked"
	ToolRunning   ToolState = "running"
	ToolDone      ToolState = "done"
	ToolFailed    ToolState = "failed"
	ToolDenied    ToolState = "denied"
	ToolUnknown   ToolState = "unknown" // the process died inside a tool that is not idempotent
	ToolStopped   ToolState = "stopped"
	// ToolAwaitingSecret: the call waits until a person gives a value; ToolData.Secret says which.
	ToolAwaitingSecret ToolState = "awaiting_secret"
)

// ToolData is a call and its state.
type ToolData struct {
	N       int64     `json:"n"`
	RunID   string    `json:"run_id"`
	Agent   string    `json:"agent"`
	CallID  string    `json:"call_id"`
	Tool    string    `json:"tool"`
	Tier    string    `json:"tier"`
	State   ToolState `json:"state"`
	Summary string    `json:"summary"`
	Target  string    `json:"target,omitempty"` // agent_dispatch only: the agent the work went to
	Child   string    `json:"child,omitempty"`  // agent_dispatch only: its run id
	MS      int64     `json:"ms,omitempty"`     // how long the tool ran
	// Secret is what a call in the state awaiting_secret waits for.
	Secret *SecretRequest `json:"secret,omitempty"`
}

// ApprovalData is an approval with its number in the stream.
type ApprovalData struct {
	N int64 `json:"n"`
	Approval
}

// ReceiptData is a receipt with its number in the stream.
type ReceiptData struct {
	N int64 `json:"n"`
	Receipt
}

// Verdict is what the receipts of a run say about its answer.
type Verdict string

// The verdicts, from 10 §3.3 of the design.
const (
	VerdictProven       Verdict = "proven"
	VerdictPartly       Verdict = "partly_proven"
	VerdictNothingRan   Verdict = "nothing_ran"
	VerdictNotProven    Verdict = "not_proven"
	VerdictContradicted Verdict = "contradicted"
)

// Claim is a sentence of an answer that says something was done.
type Claim struct {
	Sentence string  `json:"sentence"`
	Verb     string  `json:"verb"`
	Receipts []int64 `json:"receipts"` // seq of the finished receipts that back it; empty when none does
	Verdict  Verdict `json:"verdict"`  // proven, not_proven or contradicted
}

// Usage counts the tokens of a run and its delegated runs.
type Usage struct {
	Input  int64  `json:"input"`
	Output int64  `json:"output"`
	Model  string `json:"model"`
}

// FinalData is the answer of a root run.
type FinalData struct {
	N        int64   `json:"n"`
	RunID    string  `json:"run_id"`
	Agent    string  `json:"agent"`
	Text     string  `json:"text"` // Markdown
	Verdict  Verdict `json:"verdict"`
	Claims   []Claim `json:"claims"`
	Receipts []int64 `json:"receipts"` // seq of every receipt of this run and the runs it delegated
	Usage    Usage   `json:"usage"`

	// Files are those of the business that go with the answer, and those that it names, as they were there when it ended: clean
	// paths beneath the data folder, at most MaxFiles.
	Files []string `json:"files,omitempty"`

	// Memories are the notes that the agent was reminded of because they fit the message.
	Memories []MemoryUse `json:"memories,omitempty"`

	// Into is the root run that answers this message together with its own, in the same conversation; there is no text then.
	Into string `json:"into,omitempty"`
}

// ErrorData is the end of a run without an answer, in the form of RFC 9457. Text is what was written so far.
type ErrorData struct {
	N      int64  `json:"n"`
	RunID  string `json:"run_id"`
	Type   string `json:"type"` // "stopped", "limit", "model", "refused", "internal"
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Text   string `json:"text,omitempty"`
	// For is the root run whose message took the place of this one, where that is why it was stopped.
	For string `json:"for,omitempty"`
}
