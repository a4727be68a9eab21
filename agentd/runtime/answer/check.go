package answer

import (
	"slices"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// Result is what the receipts say about an answer.
type Result struct {
	Verdict wire.Verdict
	Claims  []wire.Claim
}

// Unbacked lists the sentences that claim more than the receipts show.
func (r Result) Unbacked() []string {
	var all []string
	for _, c := range r.Claims {
		if c.Verdict != wire.VerdictProven && !slices.Contains(all, c.Sentence) {
			all = append(all, c.Sentence)
		}
	}
	return all
}

// Check holds the text of an answer against the evidence of its run and the runs it delegated.
func Check(text string, evidence []Evidence) Result {
	out := Result{Claims: []wire.Claim{}}
	for _, c := range claims(text) {
		out.Claims = append(out.Claims, judge(c, evidence))
	}
	out.Verdict = verdict(out.Claims, evidence)
	return out
}

// judge looks for a finished receipt of the claim's kind for each thing it names, or for any when it names none.
func judge(c claim, evidence []Evidence) wire.Claim {
	out := wire.Claim{Sentence: c.sentence, Verb: c.verb, Receipts: []int64{}, Verdict: wire.VerdictProven}
	named := c.targets
	if len(named) == 0 || c.kind == "done" || c.kind == "ran" || c.kind == "delegated" {
		named = []string{""}
	}
	for _, target := range named {
		proofs, against := c.look(target, evidence)
		out.Receipts = append(out.Receipts, proofs...)
		if len(proofs) > 0 {
			continue
		}
		if against {
			out.Verdict = wire.VerdictContradicted
		} else if out.Verdict == wire.VerdictProven {
			out.Verdict = wire.VerdictNotProven
		}
	}
	if out.Verdict != wire.VerdictProven {
		out.Receipts = []int64{}
	}
	slices.Sort(out.Receipts)
	out.Receipts = slices.Compact(out.Receipts)
	return out
}

// look finds the receipts that prove a claim about a target, and whether one says that it failed.
func (c claim) look(target string, evidence []Evidence) (proofs []int64, against bool) {
	k := words0.Kinds[c.kind]
	for _, e := range evidence {
		if target != "" && !names(target, e.Target) && !(e.Finished && k.proves(e, "")) {
			continue
		}
		switch {
		case e.Finished && (c.kind == "done" || k.proves(e, c.kind)):
			proofs = append(proofs, e.Seq)
		case !e.Finished && (c.kind == "done" || slices.Contains(k.Tools, e.Tool)):
			against = true
		}
	}
	return proofs, against
}

// proves says whether a finished call is a deed of this kind. With no own kind only tools count that can do anything:
// their receipts do not name what a command was about.
func (k kind) proves(e Evidence, own string) bool {
	if own != "" && (e.Kind == own || slices.Contains(k.Effects, e.Kind)) {
		return true
	}
	least, ok := k.Also[e.Tool]
	return ok && e.Tier.Rank() >= least.Rank()
}

// verdict sums up the claims. Without any, only what changed something counts: looking is not doing.
func verdict(all []wire.Claim, evidence []Evidence) wire.Verdict {
	proven, against := 0, 0
	for _, c := range all {
		switch c.Verdict {
		case wire.VerdictProven:
			proven++
		case wire.VerdictContradicted:
			against++
		}
	}
	switch {
	case len(all) == 0 && !acted(evidence):
		return wire.VerdictNothingRan
	case proven == len(all):
		return wire.VerdictProven
	case against > 0:
		return wire.VerdictContradicted
	case proven > 0:
		return wire.VerdictPartly
	}
	return wire.VerdictNotProven
}

func acted(evidence []Evidence) bool {
	return slices.ContainsFunc(evidence, func(e Evidence) bool { return e.Finished && e.Tier.Rank() > policy.Green.Rank() })
}
