package ui

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
)

// Mode is where an approval card stands.
type Mode string

// Full is a card of the inbox, Inline one in a conversation: the same facts, closer together.
const (
	Full   Mode = "full"
	Inline Mode = "inline"
)

// Approval is a question to a person and, once answered, its answer. The two lines Decided and Execution are apart:
// "allowed" never means "done". What was erased when it was decided is simply left empty.
type Approval struct {
	ID   string
	Code string // six characters for people to type
	Tier string
	Href string // its own page; may be empty there

	Customer string // staff only: whose server it is
	Agent    Agent
	Asks     string // one sentence: "Delete 14 files in reports/old"
	Facts    []Fact // measured before asking
	Reason   string // what the agent says it is for
	WhyAsked string // which rule asks, in plain words
	Guardian *Verdict
	Taint    []string // where content from outside came from that stands behind the call
	Turn     *Crumb   // the message of a person that it serves
	Method   string   // exact: "file_delete"
	Args     []Arg
	Draft    *Draft     // what would go outside, as its reader would see it
	Files    []DiffFile // what would change
	Checks   []string   // warnings that measuring brought up
	Ignored  string     // what happens when nobody answers: "Not sent. The secretary is told."

	ExpiresAt time.Time
	State     string    // pending, allowed, denied, expired, withdrawn, superseded
	Decided   *Decision // nil while pending
	Execution string    // none, queued, running, done, failed, unknown
	Note      string    // what the server adds: "The file changed meanwhile."
	Next      *Crumb    // the approval that replaced this one

	Alone bool          // on a page of its own: everything is open
	Form  *DecisionForm // nil: nothing to decide here
	Focus bool          // this card answers the reader's own decision: the outcome takes the focus. Never in a push
}

// Verdict is what the guardian said of a call before a person was asked.
type Verdict struct {
	Word   string // allow, escalate or block
	Reason string
	Model  string
	Failed bool // it gave no answer in time
}

// RuleOffer is the rule that would let such calls through from now on.
type RuleOffer struct {
	Text  string
	Diff  string
	Scope string // canonical JSON, which is signed with the decision
}

// Fact is something that was measured: "14" "files".
type Fact struct{ Value, Name string }

// folded splits a fact that lists more than fits a line into what it counts and the list, which opens; all is empty when it fits.
func (f Fact) folded() (what, all string) {
	const line = 48
	what, all, listed := strings.Cut(f.Name, ": ")
	if !listed || utf8.RuneCountInString(f.Name) <= line {
		return "", ""
	}
	return what, all
}

// headlineSaysAll says whether the headline ends with the only argument, or begins with it where the verb comes last, to the
// letter, so that a list of it would say it twice.
func (a Approval) headlineSaysAll() bool {
	if len(a.Args) != 1 {
		return len(a.Args) == 0
	}
	value := a.Args[0].Value
	said := strings.HasSuffix(a.Asks, " "+value) || strings.HasPrefix(a.Asks, value+" ")
	return value != "" && utf8.RuneCountInString(value) <= 200 && said
}

// hasWhy says whether anybody told what the call is for or by which tool it is made, or judged it harmless.
func (a Approval) hasWhy() bool {
	return a.Reason != "" || a.Turn != nil || a.guardianAllows() || a.Method != ""
}

func (a Approval) guardianAllows() bool { return a.Guardian != nil && a.Guardian.Word == "allow" }

// hasMore says whether anything is left that the card shows only when it is opened.
func (a Approval) hasMore() bool {
	facts, args := a.Draft != nil && len(a.Facts) > 0, a.headlineSaysAll() && len(a.Args) > 0
	return a.hasWhy() || facts || args || (a.pending() && a.Ignored != "")
}

// Arg is one argument of the call, exactly as it would be used.
type Arg struct{ Name, Value string }

// Draft is a message that would leave the business.
type Draft struct {
	From    string // may be empty
	To      string
	Subject string
	Body    string
}

// Decision is who answered what, where and when.
type Decision struct {
	By     string // "the owner", an e-mail address, "staff"
	Where  string // portal, api, admin, agentd, a channel
	At     time.Time
	Window int    // minutes, when allowed for a while
	Edited bool   // allowed with changes
	Rule   bool   // allowed from now on
	Reason string // what they said; staff say why they decide for a customer
}

// DecisionForm says where an answer goes. The posted fields are decision (allow_once, allow_window, allow_rule, deny), scope, digest,
// minutes, reason, mode and csrf.
type DecisionForm struct {
	Action         string
	Proof          bool   // the person is asked anew who they are
	Digest         string // of everything that the card shows
	Sign           string // the text that the digest is of, for the script that signs
	Shown          string // the arguments that the card shows, which it compares with that text
	Unshown        bool   // staff: the card shows none
	Keys           string // where this reader's keys are; empty: where the customer's are
	Says           string // what the server says of the call, which it compares with the card and with what the server signed
	Vouched        string // the server's key and its signature over that; empty: it signs no cards
	EditHref       string // page to change the arguments; empty: may not be edited
	Windows        []int  // minutes that may be chosen; empty: once only
	OnceOnly       string // why there is no window; may be empty
	WindowFor      string // what a window may be bound to; empty: nothing
	Rule           *RuleOffer
	Always         string // page on which a rule is made of it; empty: none
	ReasonRequired bool   // staff say why
	DenyOnly       string // why it cannot be allowed here; empty: it can
	Way            *Crumb // how it could be; may be nil
}

// ApprovalID is the id of a card's element, where pushed changes go.
func ApprovalID(id string) string { return "approval-" + id }

// pending says whether the card asks something.
func (a Approval) pending() bool { return a.State == "pending" || a.State == "" }

var stateWords = map[string]i18n.Key{
	"pending": "ui.approval.pending", "allowed": "ui.approval.allowed", "denied": "ui.approval.denied",
	"expired": "ui.approval.expired", "withdrawn": "ui.approval.withdrawn", "superseded": "ui.approval.superseded",
}

// ApprovalWord names the state of a decision.
func ApprovalWord(ctx context.Context, state string) string {
	if key, ok := stateWords[state]; ok {
		return i18n.T(ctx, key)
	}
	return i18n.T(ctx, "ui.approval.pending")
}

// outcome is the first line of an answered card.
func (a Approval) outcome(ctx context.Context) string {
	switch {
	case a.State == "allowed" && a.Decided != nil && a.Decided.Window > 0:
		return i18n.T(ctx, "ui.approval.allowed_for", "n", a.Decided.Window)
	case a.State == "allowed" && a.Decided != nil && a.Decided.Edited:
		return i18n.T(ctx, "ui.approval.allowed_edited")
	case a.State == "allowed" && a.Decided != nil && a.Decided.Rule:
		return i18n.T(ctx, "ui.approval.allowed_rule")
	case a.State == "allowed":
		return i18n.T(ctx, "ui.approval.allowed_once")
	}
	return ApprovalWord(ctx, a.State)
}

// outcomeKind colours the outcome.
func (a Approval) outcomeKind() string {
	switch a.State {
	case "allowed":
		return "ok"
	case "denied":
		return "bad"
	}
	return "off"
}

func (a Approval) outcomeIcon() string {
	switch a.State {
	case "allowed":
		return "check"
	case "denied":
		return "deny"
	case "superseded":
		return "edit"
	}
	return "clock"
}

// long says whether an argument needs lines of its own.
func (a Arg) long() bool {
	for _, r := range a.Value {
		if r == '\n' {
			return true
		}
	}
	return len(a.Value) > 72
}

// focusAttrs moves the focus to the outcome of one's own decision.
func (a Approval) focusAttrs() templ.OrderedAttributes {
	if !a.Focus {
		return templ.OrderedAttributes{{Key: "tabindex", Value: "-1"}}
	}
	return templ.OrderedAttributes{{Key: "tabindex", Value: "-1"}, {Key: "autofocus", Value: true}}
}

// GuardianSays is the guardian's verdict in words.
func GuardianSays(ctx context.Context, v Verdict) string {
	switch {
	case v.Failed:
		return i18n.T(ctx, "ui.approval.guardian_failed")
	case v.Word == "allow":
		return i18n.T(ctx, "ui.approval.guardian_allow", "reason", v.Reason)
	case v.Word == "block":
		return i18n.T(ctx, "ui.approval.guardian_block", "reason", v.Reason)
	}
	return i18n.T(ctx, "ui.approval.guardian_doubts", "reason", v.Reason)
}
