package inbox

import (
	"time"

	"gatehouse/views/ui"
)

// CardProps is one approval, as data: the card puts it into words.
type CardProps struct {
	ID        string
	Code      string
	Base      string // where the inbox is mounted: /app/approvals
	Customer  string // staff only: whose approval it is
	Staff     bool   // the reader is staff: may do what Leave says
	Leave     Leave  // staff only
	Keys      string // staff only: where they ask this server for a key; may be empty
	Tier      string
	Agent     ui.Agent
	Tool      string
	Action    string // integration.resource.action
	Summary   string
	Facts     []ui.Fact
	Reason    string
	WhyAsked  string
	Guardian  *ui.Verdict
	Taint     []string // where content from outside came from that stands behind the call
	WindowFor string   // what a window may be bound to; empty: nothing
	Rule      *ui.RuleOffer
	Args      []ui.Arg
	Draft     *ui.Draft // what would go outside
	Diff      *DiffProps
	Run       string // root run
	Session   string // for the link to the conversation
	Digest    string
	Sign      string // the text that the digest is of
	Says      string // what the server says of the call beside that, as it wrote it
	Vouched   string // the server's key and its signature over that; empty: it signs no cards
	Shown     string // the arguments that the card shows, as the server writes them
	Unlike    bool   // they are not those that the server asks about: it cannot be allowed
	Windows   []int  // minutes for which it may be allowed
	MayEdit   bool
	Typed     bool // what a person made of the arguments before, which could not run, is kept
	Created   time.Time
	Expires   time.Time
	State     string // pending, allowed, denied, expired, withdrawn, superseded
	Execution string // none, queued, running, done, failed, unknown
	Decision  *DecisionProps
	Ran       []FieldProps // what a person made of the arguments; nil: they were left as they were
	Next      string       // superseded only: the approval that replaced it
	Conflict  string       // why an answer was not taken, in words
	Alone     bool         // on a page of its own
	Drawn     string       // the card as Remembered found it; empty: it is drawn from the fields
	Focus     bool         // answer to one's own POST: the outcome line takes the focus
}

// Leave is what one of our staff may do with an approval.
type Leave string

// The leaves. Whoever has none may deny.
const (
	OnlyDeny  Leave = ""           // their role does not let them allow
	NoKey     Leave = "no_key"     // the owner of the server has added no key of theirs
	AllowOnce Leave = "allow_once" // it alone, without seeing what exactly is asked
)

// Pending says whether an answer is still wanted.
func (p CardProps) Pending() bool { return p.State == "pending" }

// anew says whether a person is asked who they are before it is allowed.
func (p CardProps) anew() bool { return p.Tier == "critical_red" && !p.Staff }

// DiffProps is a proposed change of one file.
type DiffProps struct {
	Path    string
	New     bool
	Added   int
	Removed int
	Unified string
}

// DecisionProps says who decided, when and where.
type DecisionProps struct {
	By      string
	Role    string // owner, member, staff, agentd
	At      time.Time
	Where   string // channel: portal, admin, api, agentd
	From    string // network address
	Method  string // session, token
	Verb    string // allow_once, allow_window, allow_rule, edit, deny; "" when not known
	Minutes int    // of a window
	Reason  string // what they said
}
