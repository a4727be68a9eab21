package wire

import (
	"encoding/json"
	"time"
)

// RPCRequest asks a server something; the answer comes as an RPCReply with the same ID. Requests are ephemeral: a
// request that changes something carries its own id (RunID, frame id), so that a repeat is harmless.
type RPCRequest struct {
	ID       string          `json:"id"`
	Method   Method          `json:"method"`
	Params   json.RawMessage `json:"params,omitempty"`
	Deadline time.Time       `json:"deadline"` // after this nobody waits for the answer
}

// RPCReply answers an RPCRequest: either Result or Error is set. Box goes with some results, see Boxed.
type RPCReply struct {
	ID     string          `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *RPCError       `json:"error,omitempty"`
	Box    []byte          `json:"box,omitempty"`
}

// Boxed is a result with bytes beside it that do not pass redaction: they are sealed to the browser that asked, or a
// picture that the server has drawn itself. A result that is read with them implements TakeBox.
type Boxed struct {
	Result any
	Box    []byte
}

// RPCError is a refusal that may be shown to the person who asked.
type RPCError struct {
	Code string `json:"code"` // bad_request, not_found, conflict, unavailable, signature_required, internal
	Text string `json:"text"`
}

// Error gives the text for logs.
func (e *RPCError) Error() string { return e.Code + ": " + e.Text }

// Method names what an RPCRequest asks for.
type Method string

// The methods that agentd answers. Params → result.
const (
	MethodEcho         Method = "echo"          // any JSON → the same, at once, kept nowhere
	MethodChatPost     Method = "chat.post"     // ChatMessage → ChatAck, after the message is durable
	MethodRunCancel    Method = "run.cancel"    // RunCancel → ChatAck, after the run has stopped
	MethodRunEvents    Method = "run.events"    // EventsParams → EventsResult
	MethodRunGet       Method = "run.get"       // RunParams → Run
	MethodRunReceipts  Method = "run.receipts"  // RunParams → ReceiptsResult
	MethodRunsList     Method = "runs.list"     // ListParams → RunsResult: the activity feed, newest first
	MethodSessionsList Method = "sessions.list" // ListParams → SessionsResult: conversations, newest first
	MethodSessionGet   Method = "session.get"   // SessionParams → Session
	MethodApprovalGet  Method = "approval.get"  // ApprovalParams → Approval: also after it was decided
	MethodAgentsList   Method = "agents.list"   // nothing → AgentsResult

	MethodApprovalsSaid Method = "approvals.said" // ApprovalsSaidParams → ApprovalsSaid

	MethodReceiptsHashes Method = "receipts.hashes" // HashesParams → HashesResult; since version 2

	MethodApproverEnrol  Method = "approver.enrol"  // Enrolment → Enrolled
	MethodApproverRevoke Method = "approver.revoke" // Revocation → ApproverState
)

// ChatAck says that a message or a cancellation is durable on the server.
type ChatAck struct {
	RunID string   `json:"run_id"`
	State RunState `json:"state"`
	// SessionID is the conversation that a message went to, where that is another than it names: that one was over. An older
	// server does not say.
	SessionID string `json:"session_id,omitempty"`
}

// RunState is where a run stands.
type RunState string

// The states of a run.
const (
	RunQueued  RunState = "queued"
	RunRunning RunState = "running"
	RunParked  RunState = "parked" // waits for an approval, its own or that of a run it delegated
	RunDone    RunState = "done"
	RunFailed  RunState = "failed"
	RunStopped RunState = "stopped"
)

// Open says whether a run in this state will still do something.
func (s RunState) Open() bool { return s == RunQueued || s == RunRunning || s == RunParked }

// RunParams names a run.
type RunParams struct {
	RunID string `json:"run_id"`
}

// EventsParams asks for the events of a root run with N above From.
type EventsParams struct {
	RunID string `json:"run_id"` // a root run
	From  int64  `json:"from"`   // 0: all
}

// EventsResult holds the events in the order of N. Items is authoritative: holes between them are not losses.
type EventsResult struct {
	Items []RunEvent `json:"items"`
	Last  int64      `json:"last"` // highest N so far
	State RunState   `json:"state"`
}

// Run is everything a page shows of one root run: its own steps and those of the runs it delegated.
type Run struct {
	RunInfo
	Steps  []Step      `json:"steps"` // of the whole tree, by time
	Final  *FinalData  `json:"final"` // nil while open or when it failed
	Error  *ErrorData  `json:"error"`
	Usage  Usage       `json:"usage"`
	Used   []RunUse    `json:"used,omitempty"` // what the meter counted for the whole tree; nil: it could not be asked, or never was
	Claims []Claim     `json:"claims"`
	Tree   []RunInfo   `json:"tree"` // delegated runs and sub-agents, parents first; sub-agents have a record of their own
	Calls  []CallInfo  `json:"calls"`
	Asked  []*Approval `json:"asked"` // every approval of the tree, arguments included
}

// RunInfo is one run in a list.
type RunInfo struct {
	ID        string    `json:"id"`
	RootID    string    `json:"root_id"`
	ParentID  string    `json:"parent_id"`
	SessionID string    `json:"session_id"`
	Agent     string    `json:"agent"`
	State     RunState  `json:"state"`
	Task      string    `json:"task"` // the message or task it answers, cut to 200 characters
	Channel   string    `json:"channel"`
	Depth     int       `json:"depth"`
	Verdict   Verdict   `json:"verdict"`
	Worst     string    `json:"worst"` // highest tier of its calls, empty without calls
	Calls     int       `json:"calls"`
	Did       []string  `json:"did,omitempty"`      // what its calls changed or sent, five lines at most; of a root run: its tree's
	DidMore   int       `json:"did_more,omitempty"` // how many more there are
	CreatedAt time.Time `json:"created_at"`
	StartedAt time.Time `json:"started_at"` // zero while queued
	EndedAt   time.Time `json:"ended_at"`   // zero while open

	// Since version 6. Level is how high it may stand now, with all that stand above it; 0: an older server.
	Level  int    `json:"level,omitempty"`
	Tokens int64  `json:"tokens,omitempty"` // read and written by the model for this run alone
	Sub    *SubOf `json:"sub,omitempty"`    // of a sub-agent; nil: it is none
}

// Step is one model call of a run.
type Step struct {
	RunID string    `json:"run_id"`
	Agent string    `json:"agent"`
	N     int       `json:"n"`
	Text  string    `json:"text"`
	Calls []string  `json:"calls"` // call ids
	Time  time.Time `json:"time"`
}

// CallInfo is one call as pages show it.
type CallInfo struct {
	ID         string          `json:"id"`
	RunID      string          `json:"run_id"`
	Agent      string          `json:"agent"`
	Tool       string          `json:"tool"`
	Action     string          `json:"action"`
	Tier       string          `json:"tier"`
	State      ToolState       `json:"state"`
	Summary    string          `json:"summary"`
	Args       json.RawMessage `json:"args"`
	Result     string          `json:"result"` // cut to 2,000 characters
	Target     string          `json:"target,omitempty"`
	Child      string          `json:"child,omitempty"`
	ApprovalID string          `json:"approval_id,omitempty"`
	StartedAt  time.Time       `json:"started_at"`
	EndedAt    time.Time       `json:"ended_at"`
}

// ListParams asks for one page of a list, newest first.
type ListParams struct {
	Q       string `json:"q,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Tier    string `json:"tier,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Session string `json:"session,omitempty"`
	// Archived lists conversations that were archived, instead of those that were not.
	Archived bool   `json:"archived,omitempty"`
	After    string `json:"after,omitempty"` // cursor from the page before
	Limit    int    `json:"limit"`           // 1 to 200; 0 means 50
}

// RunsResult is one page of runs. Root runs only, unless the filter names an agent.
type RunsResult struct {
	Items []RunInfo `json:"items"`
	Next  string    `json:"next"` // empty at the end
}

// ReceiptsResult is the log of one root run and the runs it delegated.
type ReceiptsResult struct {
	Items    []Receipt `json:"items"`
	Verified bool      `json:"verified"` // the chain up to the last of them holds
	Problem  string    `json:"problem,omitempty"`
}

// SessionInfo is one conversation in a list.
type SessionInfo struct {
	ID        string    `json:"id"`
	Agent     string    `json:"agent"` // who one talks to
	Title     string    `json:"title"`
	LastLine  string    `json:"last_line"`
	State     RunState  `json:"state"`   // of its newest run
	Verdict   Verdict   `json:"verdict"` // of its newest finished run
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Runs      int       `json:"runs"`
	Archived  bool      `json:"archived,omitempty"`
}

// SessionsResult is one page of conversations.
type SessionsResult struct {
	Items []SessionInfo `json:"items"`
	Next  string        `json:"next"`
}

// SessionParams asks for the turns of one conversation, oldest first, ending before Before.
type SessionParams struct {
	SessionID string `json:"session_id"`
	Before    string `json:"before,omitempty"` // a root run id; empty: the newest
	Limit     int    `json:"limit"`            // turns; 0 means 20
}

// Session is a conversation with a slice of its turns.
type Session struct {
	SessionInfo
	Turns []Turn `json:"turns"`
	More  bool   `json:"more"` // older turns exist
}

// Turn is one message of a person and everything that came of it.
type Turn struct {
	Run   Run       `json:"run"`
	Text  string    `json:"text"`            // what the person wrote
	Files []string  `json:"files,omitempty"` // that went with it: paths beneath the data folder
	From  Origin    `json:"from"`
	Time  time.Time `json:"time"`
	Last  int64     `json:"last"` // highest event number so far: where a stream goes on
}

// ApprovalParams names an approval.
type ApprovalParams struct {
	ID string `json:"id"`
}

// ApprovalsSaidParams names approvals, at most MaxSaid.
type ApprovalsSaidParams struct {
	IDs []string `json:"ids"`
}

// MaxSaid is how many approvals one ApprovalsSaidParams may name.
const MaxSaid = 200

// ApprovalsSaid holds the sentence of those approvals whose conversation was not deleted.
type ApprovalsSaid struct {
	Says map[string]string `json:"says"` // by id
}

// AgentsResult is the team as the server runs it.
type AgentsResult struct {
	Items         []AgentInfo `json:"items"`
	DefaultLevel  int         `json:"default_level"`
	ConfigVersion int64       `json:"config_version"`
	Model         string      `json:"model"`
	Rehearsal     bool        `json:"rehearsal"`
}

// AgentInfo is one agent with its effective powers.
type AgentInfo struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Role        string     `json:"role"`
	Emoji       string     `json:"emoji"`
	Description string     `json:"description"`
	Level       int        `json:"level"`     // effective
	Inherited   bool       `json:"inherited"` // the level is the server's default
	Off         bool       `json:"off"`
	Tools       []ToolInfo `json:"tools"`
	Starters    []string   `json:"starters"` // messages to begin with
	Calls7d     int        `json:"calls_7d"`
	LastActive  time.Time  `json:"last_active"`      // zero: never
	Broken      string     `json:"broken,omitempty"` // why it cannot work: its files cannot be read

	Paused *AgentPause `json:"paused,omitempty"` // the budget that keeps it from working; nil: none does
}

// ToolInfo is one tool as an agent sees it.
type ToolInfo struct {
	Name     string `json:"name"`
	Doc      string `json:"doc"`
	Outward  bool   `json:"outward"`  // some of its calls reach people outside
	Unlocked bool   `json:"unlocked"` // outward calls need no approval
	Visible  bool   `json:"visible"`
	Why      string `json:"why"` // it is not visible, in words

	// Since version 6. Layer names what removed it: installed, profile, model, allow, global, deny, sandbox, owner or machine.
	Layer     string `json:"layer,omitempty"`
	OwnerOnly bool   `json:"owner_only,omitempty"` // seen only in runs that begin with what the owner wrote
}
