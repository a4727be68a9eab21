package wire

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// ApprovalState is where the decision of an approval stands.
type ApprovalState string

// The states of a decision.
const (
	ApprovalPending    ApprovalState = "pending"
	ApprovalAllowed    ApprovalState = "allowed"
	ApprovalDenied     ApprovalState = "denied"
	ApprovalExpired    ApprovalState = "expired"
	ApprovalWithdrawn  ApprovalState = "withdrawn"
	ApprovalSuperseded ApprovalState = "superseded"
)

// Execution is where the work of an approval stands; it never shares a badge with the decision.
type Execution string

// The states of an execution.
const (
	ExecNone    Execution = "none"
	ExecQueued  Execution = "queued"
	ExecRunning Execution = "running"
	ExecDone    Execution = "done"
	ExecFailed  Execution = "failed"
	ExecUnknown Execution = "unknown"
)

// Fact is something that was measured on the server before asking.
type Fact struct {
	Name  string `json:"name"`  // "files", "bytes", "recipients", …
	Value int64  `json:"value"` // bytes are bytes, counts are counts
	Text  string `json:"text"`  // for people: "14 files, 3.2 MB"
}

// Diff is a proposed change of one file.
type Diff struct {
	Path    string `json:"path"`    // under the data root
	Unified string `json:"unified"` // unified diff, three lines of context
	New     bool   `json:"new"`     // the file does not exist yet
	Added   int    `json:"added"`   // lines
	Removed int    `json:"removed"` // lines
}

// Approval is a question to a person, bound to the exact arguments by Digest. The JSON is the item of the API.
type Approval struct {
	ID            string          `json:"id"`
	Code          string          `json:"code"` // 6 characters for people to type
	ServerID      string          `json:"server_id"`
	SessionID     string          `json:"session_id"`
	RootRunID     string          `json:"root_run_id"`
	RunID         string          `json:"run_id"`
	CallID        string          `json:"call_id"`
	Agent         string          `json:"agent"`
	Tool          string          `json:"tool"`
	Action        string          `json:"action"` // integration.resource.action
	Args          json.RawMessage `json:"args"`
	ArgsHash      string          `json:"args_hash"`            // hex SHA-256 of the canonical arguments, as they would run
	ShownHash     string          `json:"shown_hash,omitempty"` // the same of Args, where a secret in them is masked; empty: Args are what would run
	Tier          string          `json:"tier"`
	PolicyVersion int64           `json:"policy_version"`
	StagedHash    string          `json:"staged_hash"` // hex SHA-256 of staged content, or "-"
	Digest        string          `json:"digest"`
	Summary       string          `json:"summary"`
	Facts         []Fact          `json:"facts"`
	Reason        string          `json:"reason"`                // what the agent says it is for
	WhyAsked      string          `json:"why_asked"`             // which stage of the gate asks, in plain words
	Locales       Locals          `json:"locales,omitempty"`     // summary, why and facts in other languages
	Diff          *Diff           `json:"diff"`                  // file writes only
	Windows       []int           `json:"windows"`               // minutes for which allow_window may be chosen; empty: once only
	CreatedAt     time.Time       `json:"created_at"`            // UTC
	ExpiresAt     time.Time       `json:"expires_at"`            // UTC, whole seconds
	State         ApprovalState   `json:"state"`                 // decision
	Execution     Execution       `json:"execution"`             // apart from the decision
	Next          string          `json:"next"`                  // superseded only: the approval that replaced it
	DecidedBy     *DecidedBy      `json:"decided_by"`            // nil while pending
	DenyReason    string          `json:"deny_reason"`           // what the person said, whichever way they decided
	RulesVersion  int64           `json:"rules_version"`         // of the permissions under which it was asked
	Taint         []TaintSource   `json:"taint,omitempty"`       // content from outside that stands behind the call
	Guardian      *Judgement      `json:"guardian,omitempty"`    // nil when it was not asked
	Destination   string          `json:"destination,omitempty"` // what a window may be bound to; empty: nothing
	Rule          *RuleProposal   `json:"rule,omitempty"`        // nil when no rule may allow this
	Vouched       *Vouched        `json:"vouched,omitempty"`     // that the server says all this; nil: it is of a version that signs no cards
	Edited        json.RawMessage `json:"edited,omitempty"`      // approval.get alone: the arguments that ran, when a person changed them
	Typed         json.RawMessage `json:"typed,omitempty"`       // what a person had made of the arguments, when that could not run
}

// DecidedBy is the origin of a decision, part of the receipt.
type DecidedBy struct {
	UserID  string    `json:"user_id"`
	Name    string    `json:"name"`    // what pages show: the person's e-mail or "staff"
	Role    string    `json:"role"`    // owner, member, staff, agentd (expiry, withdrawal)
	Channel string    `json:"channel"` // portal, admin, api, agentd
	Address string    `json:"address"` // network address the decision came from
	Method  string    `json:"method"`  // session, token, paired
	Time    time.Time `json:"time"`    // UTC
}

// PairedIdentity is the method of decisions that came by a channel, from the owner's paired identity there.
const PairedIdentity = "paired"

// DigestOf binds an approval to everything that would be done: hex SHA-256 over its lines: a name, then every field that
// decides that. What is said about it beside that, the server signs for: see CardText.
func DigestOf(a Approval) string {
	sum := sha256.Sum256([]byte(CallText(a)))
	return hex.EncodeToString(sum[:])
}

// CallText is what the digest is of, a line each: the version of this form, the server, and all that makes the call this
// one. Where secrets are masked in what a person sees, it is the second form, which ends with the hash of what is seen.
func CallText(a Approval) string {
	lines := []string{
		"gatehouse-call-v1", a.ServerID, a.ID, a.RunID, a.CallID, a.Agent, a.Tool, a.ArgsHash, a.Tier,
		strconv.FormatInt(a.PolicyVersion, 10), cmp.Or(a.StagedHash, Nothing), a.ExpiresAt.UTC().Format(time.RFC3339),
	}
	if a.ShownHash != "" {
		lines[0] = "gatehouse-call-v2"
		lines = append(lines, a.ShownHash)
	}
	return strings.Join(lines, "\n")
}

// Shows says whether args, in canonical form, are those that a person is to see before this is allowed.
func (a Approval) Shows(args []byte) bool {
	sum := sha256.Sum256(args)
	return cmp.Or(a.ShownHash, a.ArgsHash) == hex.EncodeToString(sum[:])
}

// Verb is what a person answers to an approval.
type Verb string

// The verbs that this version knows.
const (
	AllowOnce   Verb = "allow_once"
	AllowWindow Verb = "allow_window"
	AllowRule   Verb = "allow_rule" // allow, and make it a rule: Scope says which
	Edit        Verb = "edit"
	Deny        Verb = "deny"
)

// Decision is a person's answer on its way to agentd, which alone applies it.
type Decision struct {
	ApprovalID string          `json:"approval_id"`
	Digest     string          `json:"digest"` // of the approval that the person saw
	Verb       Verb            `json:"decision"`
	Minutes    int             `json:"minutes,omitempty"` // allow_window only
	Scope      json.RawMessage `json:"scope,omitempty"`   // allow_window and allow_rule: what else it holds for
	Args       json.RawMessage `json:"args,omitempty"`    // edit only: the whole new arguments
	Reason     string          `json:"reason,omitempty"`
	By         DecidedBy       `json:"by"`
	Signature  *Signature      `json:"signature"` // on everything but a deny; see signed.go
}

// ApprovalUpdate says that an approval changed on the server. The hub copies state and execution; arguments,
// reason and diff it has already erased when the decision was stored.
type ApprovalUpdate struct {
	ID        string        `json:"id"`
	State     ApprovalState `json:"state"`
	Execution Execution     `json:"execution"`
	Next      string        `json:"next,omitempty"`
	DecidedBy *DecidedBy    `json:"decided_by,omitempty"`
	Note      string        `json:"note,omitempty"` // one sentence for people, without contents: "the file changed meanwhile"
	// Again is the whole question once more, with State pending: the decision that the hub has stored was not one, so
	// the question is open again, and the hub has erased what it asked.
	Again *Approval `json:"again,omitempty"`
	Time  time.Time `json:"time"`
}
