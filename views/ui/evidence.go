package ui

import (
	"context"

	"gatehouse/views/i18n"
)

// Evidence answers "did it really run?" below an answer. The verdict comes from receipts, never from what was written.
type Evidence struct {
	Run      string // root run id
	Verdict  string // proven, partly_proven, nothing_ran, not_proven, contradicted
	Claims   []Claim
	Receipts []Receipt
	Chain    Chain
	Facts    []Pair // approver, tokens, cost …
	RunHref  string
	Print    string // address of the page to print; may be empty
	More     string // receipts are fetched from here when it is opened: the answer is the panel with them; may be empty
	Open     bool   // the doubtful ones are open anyway
}

// Claim is a sentence of an answer that says something was done.
type Claim struct {
	Sentence string
	Verdict  string  // proven, not_proven, contradicted
	Receipts []int64 // that back it, or belie it
}

var verdicts = map[string]receiptLook{
	"proven":        {"ui.verdict.proven", "shield-check", "ok"},
	"partly_proven": {"ui.verdict.partly_proven", "shield", "warn"},
	"nothing_ran":   {"ui.verdict.nothing_ran", "eye", "off"},
	"not_proven":    {"ui.verdict.not_proven", "shield-alert", "bad"},
	"contradicted":  {"ui.verdict.contradicted", "shield-alert", "bad"},
}

var verdictHints = map[string]i18n.Key{
	"proven": "ui.verdict.proven_hint", "partly_proven": "ui.verdict.partly_proven_hint", "nothing_ran": "ui.verdict.nothing_ran_hint",
	"not_proven": "ui.verdict.not_proven_hint", "contradicted": "ui.verdict.contradicted_hint",
}

// verdictOf finds the look of a verdict; one that is not known proves nothing.
func verdictOf(v string) receiptLook {
	if l, ok := verdicts[v]; ok {
		return l
	}
	return verdicts["not_proven"]
}

// VerdictWord names a verdict: "Proven".
func VerdictWord(ctx context.Context, v string) string { return i18n.T(ctx, verdictOf(v).word) }

// VerdictHint says in a sentence what a verdict means.
func VerdictHint(ctx context.Context, v string) string {
	if key, ok := verdictHints[v]; ok {
		return i18n.T(ctx, key)
	}
	return i18n.T(ctx, verdictHints["not_proven"])
}

// shown says whether the panel starts open: doubt is never folded away.
func (e Evidence) shown() bool {
	return e.Open || verdictOf(e.Verdict).kind == "bad"
}

// fetch says when the receipts are fetched: a panel that starts open tells nobody that it opens.
func (e Evidence) fetch() string {
	if e.shown() {
		return "load"
	}
	return `toggle from:"closest details" once`
}

// EvidenceID is the id of a run's panel.
func EvidenceID(run string) string { return "evidence-" + run }
