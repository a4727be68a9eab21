package permission

import (
	"context"
	"time"

	"gatehouse/views/i18n"
)

// PreviewProps is what other rules would have changed.
type PreviewProps struct {
	Problems []string
	Checked  int
	Loosens  bool
	More     bool // more calls would have gone otherwise than are listed
	Untimed  bool // rules have hours or rates, which a replay leaves out
	Diff     string
	AsText   bool // beside the rules as text
	Changed  []ChangedProps
}

// beside is the replay beside the rules as text, or as sentences.
func (p PreviewProps) beside(text bool) PreviewProps {
	p.AsText = text
	return p
}

// ChangedProps is a past call that would have been decided otherwise.
type ChangedProps struct {
	Run, Summary, Agent, Tier, Before, After, Why string
	At                                            time.Time
}

// outcome is what other rules would have made of past calls: each call of the list has one.
type outcome string

// The outcomes.
const (
	letThrough outcome = "let"     // it would have run without a question
	askedFirst outcome = "asked"   // it ran, and would have been asked
	askedNow   outcome = "instead" // it was refused, and would have been asked
	refusedNow outcome = "refused"
)

func (c ChangedProps) outcome() outcome {
	switch {
	case c.After == "allow":
		return letThrough
	case c.After == "deny":
		return refusedNow
	case c.Before == "deny":
		return askedNow
	}
	return askedFirst
}

// outcomeWords says how many calls of the list have an outcome.
var outcomeWords = map[outcome]i18n.Key{
	letThrough: "rule.would.let", askedFirst: "rule.would.asked", askedNow: "rule.would.instead",
	refusedNow: "rule.would.refused",
}

// counts says of each outcome how many calls of the list have it.
func (p PreviewProps) counts(ctx context.Context) (all []string) {
	n := map[outcome]int{}
	for _, c := range p.Changed {
		n[c.outcome()]++
	}
	for _, o := range []outcome{letThrough, askedNow, askedFirst, refusedNow} {
		if n[o] > 0 {
			all = append(all, i18n.T(ctx, outcomeWords[o], "n", n[o]))
		}
	}
	return all
}

func previewKind(p PreviewProps) string {
	switch {
	case p.Loosens:
		return "warn"
	case len(p.Changed) > 0:
		return "info"
	}
	return "ok"
}

// previewWords says what a person has to know before saving.
func previewWords(ctx context.Context, p PreviewProps) string {
	switch {
	case p.Same():
		return i18n.T(ctx, "rule.changes_nothing")
	case p.Loosens:
		return i18n.T(ctx, "permission.loosens")
	case len(p.Changed) == 0:
		return i18n.T(ctx, "permission.changes_none")
	}
	return i18n.T(ctx, "permission.changes", "n", len(p.Changed))
}

// Same reports whether the rules are those in force.
func (p PreviewProps) Same() bool { return p.Diff == "" && !p.Loosens && len(p.Changed) == 0 }

func effectKind(effect string) string {
	switch effect {
	case "allow":
		return "ok"
	case "deny":
		return "bad"
	}
	return "warn"
}
