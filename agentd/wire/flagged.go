package wire

import "time"

// MethodFlaggedList asks for content from outside in which known patterns of an attack were noticed: FlaggedParams →
// FlaggedResult.
const MethodFlaggedList Method = "flagged.list"

// FlaggedParams asks for one page, newest first.
type FlaggedParams struct {
	After int64 `json:"after,omitempty"` // Seq of the last item of the page before
	Limit int   `json:"limit,omitempty"` // 1 to 200; 0: 50
}

// Flagged is one piece of content that a call brought in. Its text stays with the call, in the run.
type Flagged struct {
	Seq      int64         `json:"seq"` // of the receipt that says so
	Time     time.Time     `json:"time"`
	RunID    string        `json:"run_id"`
	CallID   string        `json:"call_id"`
	Tool     string        `json:"tool"`
	Summary  string        `json:"summary"`
	Sources  []TaintSource `json:"sources"`
	Patterns []string      `json:"patterns"`
}

// FlaggedResult is one page.
type FlaggedResult struct {
	Items []Flagged `json:"items"`
	Next  int64     `json:"next"` // 0 at the end
}
