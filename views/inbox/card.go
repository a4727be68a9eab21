package inbox

import "time"

// The modes of a card.
const (
	Full   = "full"   // a page of its own
	List   = "list"   // in the inbox
	Inline = "inline" // in a conversation
)

// CardProps is one approval, formatted for reading.
type CardProps struct {
	ID        string
	Code      string
	Mode      string
	Base      string // where the inbox is mounted: /app/approvals
	Customer  string // staff only: whose approval it is
	Staff     bool   // the reader is staff: may deny, nothing else
	Tier      string
	Agent     string // its name
	AgentID   string
	Action    string // integration.resource.action
	Tool      string
	Summary   string
	Facts     []string
	Reason    string
	WhyAsked  string
	Args      []ArgProps
	Diff      *DiffProps
	Run       string // root run
	Session   string // for the link to the conversation
	Digest    string
	Windows   []int // minutes for which it may be allowed
	MayEdit   bool
	Created   time.Time
	Expires   time.Time
	State     string // pending, allowed, denied, expired, withdrawn, superseded
	Execution string // none, queued, running, done, failed, unknown
	Decision  *DecisionProps
	Next      string // superseded only: the approval that replaced it
	Erased    bool   // the hub holds no contents: they are on the server
	Conflict  string // why an answer was not taken, in words
	Focus     bool   // answer to one's own POST: the outcome line takes the focus
}

// Pending says whether an answer is still wanted.
func (p CardProps) Pending() bool { return p.State == "pending" }

// ArgProps is one argument of the call.
type ArgProps struct {
	Name string
	Text string
	Long bool // more than fits one line
	Code bool // to be read exactly
}

// DiffProps is a proposed change of one file.
type DiffProps struct {
	Path    string
	New     bool
	Added   int
	Removed int
	Lines   []DiffLine
}

// The kinds of lines in a diff.
const (
	DiffAdd  = "add"
	DiffDel  = "del"
	DiffSame = "same"
	DiffHunk = "hunk" // where the next lines stand
	DiffNote = "note" // no newline at the end
	DiffCut  = "cut"  // more lines than are shown
)

// DiffLine is one line of a unified diff.
type DiffLine struct {
	Kind string
	Old  string // line number before, "" for added ones
	New  string // line number after, "" for removed ones
	Text string
}

// DecisionProps says who decided, when and where.
type DecisionProps struct {
	By     string
	Role   string // owner, member, staff, agentd
	At     time.Time
	Where  string // channel: portal, admin, api, agentd
	From   string // network address
	Method string // session, token
	Reason string
}
