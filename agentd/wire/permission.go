package wire

import (
	"encoding/json"
	"time"
)

// The methods about permissions. Params → result.
const (
	MethodPermissionsGet      Method = "permissions.get"      // PermissionsGet → Permissions
	MethodPermissionsSimulate Method = "permissions.simulate" // PermissionsTry → PermissionsPreview; changes nothing
	MethodPermissionsSet      Method = "permissions.set"      // PermissionsSet → Permissions, after they are in force
	MethodWindowsList         Method = "windows.list"         // nothing → WindowsResult
	MethodWindowClose         Method = "windows.close"        // WindowClose → WindowsResult, after it is closed
	MethodLimitsGet           Method = "limits.get"           // nothing → LimitsResult
	MethodGuardianGet         Method = "guardian.get"         // nothing → GuardianState
	MethodInsideList          Method = "inside.list"          // nothing → InsideResult
)

// ChangeRule is the change of power that lets through more by other rules; body: PermissionsBody.
const ChangeRule ChangeKind = "rule"

// InsideResult is who counts as inside the business now.
type InsideResult struct {
	Items []string `json:"items"` // addresses, as they are compared
}

// RuleScope is the scope of an AllowRule decision: the rule that the person saw.
type RuleScope struct {
	Rule string `json:"rule"` // hex SHA-256 of RuleProposal.Text
}

// RuleProposal is the rule that AllowRule would add to the permissions, as the person sees it before.
type RuleProposal struct {
	ID   string `json:"id"`
	Text string `json:"text"` // the rule alone, YAML
	Diff string `json:"diff"` // of permissions.yaml
	Base int64  `json:"base"` // version of the permissions that it is a diff of
}

// Judgement is what the guardian said of a call before a person was asked.
type Judgement struct {
	Verdict string `json:"verdict"` // allow or escalate; what is blocked is never asked
	Reason  string `json:"reason"`
	Model   string `json:"model"`
	MS      int64  `json:"ms"`
	Failed  bool   `json:"failed,omitempty"` // it gave no answer that could be read in time; that counts as escalate
}

// TaintSource is where content from outside came from.
type TaintSource struct {
	Source string `json:"source"`
	ID     string `json:"id"`
}

// PermissionsGet says how much is asked for: the newest versions, as pages show them, or all of them with their texts.
type PermissionsGet struct {
	All bool `json:"all,omitempty"`
}

// Permissions are the owner's rules in force, and where they come from.
type Permissions struct {
	Version  int64               `json:"version"`
	Text     string              `json:"text"` // permissions.yaml
	Versions []PermissionVersion `json:"versions"`
	Problem  string              `json:"problem,omitempty"` // why the file on the server is not in force
}

// PermissionVersion is one version in the list of all, the newest first.
type PermissionVersion struct {
	Version int64     `json:"version"`
	By      Origin    `json:"by"` // channel "server" for one that was edited on the machine
	Reason  string    `json:"reason"`
	At      time.Time `json:"at"`
	Text    string    `json:"text,omitempty"` // of the newest twenty
}

// PermissionsTry asks what other rules would have changed.
type PermissionsTry struct {
	Text string `json:"text"`
	Days int    `json:"days"` // of past calls; 0 means 7, 31 is the most
}

// PermissionsPreview is what other rules would have changed.
type PermissionsPreview struct {
	Problems []PermissionProblem `json:"problems"` // when there are some, nothing was simulated
	Checked  int                 `json:"checked"`  // calls
	Changed  []PermissionChanged `json:"changed"`  // newest first, 500 at most
	Looser   int                 `json:"looser"`   // how many of all changed are let through further than before
	Loosens  bool                `json:"loosens"`  // it lets through more: it takes the owner's signature
	Diff     string              `json:"diff"`
}

// PermissionProblem is one thing that is wrong with a text.
type PermissionProblem struct {
	Line int    `json:"line"` // 0: no line is to blame
	Text string `json:"text"`
}

// PermissionChanged is a past call that would have been decided otherwise.
type PermissionChanged struct {
	CallID  string    `json:"call_id"`
	RunID   string    `json:"run_id"`
	Time    time.Time `json:"time"`
	Agent   string    `json:"agent"`
	Tool    string    `json:"tool"`
	Action  string    `json:"action"`
	Tier    string    `json:"tier"`
	Summary string    `json:"summary"`
	Before  string    `json:"before"` // allow, ask or deny
	After   string    `json:"after"`
	Why     string    `json:"why"`
	Rule    string    `json:"rule,omitempty"`
}

// PermissionsSet puts other rules in force. A text that lets through more takes the owner's signature, kind "rule",
// over PermissionsBody.
type PermissionsSet struct {
	ID        string     `json:"id"`   // UUIDv7: a repeat is a no-op
	Base      int64      `json:"base"` // the version that the author saw; another one in force is a conflict
	Text      string     `json:"text"`
	Reason    string     `json:"reason"`
	By        Origin     `json:"by"`
	Signature *Signature `json:"signature"`
}

// PermissionsBody is what is signed of a PermissionsSet.
type PermissionsBody struct {
	ID     string `json:"id"`
	Base   int64  `json:"base"`
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// Body is what is signed.
func (p PermissionsSet) Body() PermissionsBody {
	return PermissionsBody{p.ID, p.Base, p.Text, p.Reason}
}

// WindowScope is the scope of an AllowWindow decision. Without one a window covers every call of the tool by the agent.
type WindowScope struct {
	Destination bool `json:"destination"` // only the same recipients, or the same path
}

// Window is a time in which a person allowed a tool to an agent without being asked again.
type Window struct {
	ApprovalID  string    `json:"approval_id"` // names the window
	Agent       string    `json:"agent"`
	Tool        string    `json:"tool"`
	Tier        string    `json:"tier"`
	Destination string    `json:"destination,omitempty"` // empty: all
	Tainted     bool      `json:"tainted"`               // it also covers calls behind content from outside
	OpenedAt    time.Time `json:"opened_at"`
	Until       time.Time `json:"until"`
	By          DecidedBy `json:"by"`
}

// WindowsResult are the windows that are open, the one that ends first on top.
type WindowsResult struct {
	Items []Window `json:"items"`
}

// WindowClose ends a window before its time. That only takes power away, so it needs no signature.
type WindowClose struct {
	ApprovalID string    `json:"approval_id"`
	By         DecidedBy `json:"by"`
}

// LimitsResult are the bounds that hold for every agent, besides those of the rules.
type LimitsResult struct {
	PendingPerAgent int             `json:"pending_per_agent"`
	Depth           int             `json:"depth"`       // of delegation
	LoopWindow      int             `json:"loop_window"` // calls in which a repeated one is noticed
	Budgets         []Budget        `json:"budgets"`     // of one run with all that it delegates; over one of them a person is asked
	Rates           json.RawMessage `json:"rates"`       // {"yellow":"120/1m0s",…} per agent and tool
}

// Budget is how much a run may do before a person looks.
type Budget struct {
	Name string `json:"name"` // deletes, changes, files, bytes, recipients
	Most int64  `json:"most"`
}

// GuardianState is how the second look at risky calls is set. It is switched by the field guardian of permissions.yaml.
type GuardianState struct {
	Mode      string `json:"mode"`  // on, off, or empty: on when a model is configured for it
	On        bool   `json:"on"`    // in effect
	Model     string `json:"model"` // empty: none is configured
	Rehearsal bool   `json:"rehearsal"`
	Allowed   int    `json:"allowed"` // verdicts of the last seven days
	Escalated int    `json:"escalated"`
	Blocked   int    `json:"blocked"`
	Failed    int    `json:"failed"` // of the escalated ones: no answer in time, or none that could be read
}
