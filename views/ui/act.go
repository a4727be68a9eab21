package ui

import (
	"context"
	"slices"

	"gatehouse/views/i18n"
)

// act is one call as a line tells it, with the receipts behind it. A receipt of no call is an act of its own.
type act struct{ Receipts []Receipt }

// actsOf groups receipts by call, in the order in which the calls began.
func actsOf(all []Receipt) []act {
	var out []act
	at := map[string]int{}
	for _, r := range all {
		i, known := at[r.Call]
		if r.Call != "" && known {
			out[i].Receipts = append(out[i].Receipts, r)
			continue
		}
		at[r.Call] = len(out)
		out = append(out, act{[]Receipt{r}})
	}
	return out
}

// looks are the tools that change nothing and send nothing. A call of another one may be green, too, as a mail to somebody
// inside the business.
var looks = []string{
	"agent_dispatch", "attach", "env_read", "file_list", "file_read", "schedule_list", "shell",
	"subagent_check", "subagent_spawn", "subagent_stop", "team_report",
}

// onlyLooked says whether nothing was changed or sent: each call was one that looks, went through by the rules alone, used no
// secret and ended.
func onlyLooked(acts []act) bool {
	return !slices.ContainsFunc(acts, func(a act) bool {
		_, byRules := a.find("call.allowed")
		_, more := a.find("call.approved", "credential.leased")
		return a.end().Type != "call.finished" || a.tier() != "green" || !byRules || more || !slices.Contains(looks, a.end().Tool)
	})
}

// ends are the receipts that say what became of a call.
var ends = []string{
	"call.finished", "call.failed", "call.denied", "call.expired", "call.withdrawn", "call.stopped", "call.unknown", "call.invalid",
}

// end is the last receipt that says what became of the call, or the last one while it is open. A decision whose signature did
// not hold decides nothing.
func (a act) end() Receipt {
	var last Receipt
	for _, r := range slices.Backward(a.Receipts) {
		switch {
		case r.Refused:
		case slices.Contains(ends, r.Type):
			return r
		case last.Type == "":
			last = r
		}
	}
	return last
}

func (a act) tier() string {
	r, _ := a.find("call.classified")
	return r.Tier
}

func (a act) find(kinds ...string) (Receipt, bool) {
	i := slices.IndexFunc(a.Receipts, func(r Receipt) bool { return slices.Contains(kinds, r.Type) })
	if i < 0 {
		return Receipt{}, false
	}
	return a.Receipts[i], true
}

// says is what was done, or else what was wanted.
func (a act) says(ctx context.Context) string {
	for _, kind := range []string{"call.finished", "call.classified", "call.requested"} {
		if r, ok := a.find(kind); ok && r.Says != "" {
			return r.Says
		}
	}
	return ReceiptWord(ctx, a.end().Type)
}

// by is who let it go ahead, or who did not.
func (a act) by(ctx context.Context) string {
	if r, ok := a.find("call.approved"); ok {
		return i18n.T(ctx, "ui.act.by_person", "who", r.Says)
	}
	if end := a.end(); end.Type == "call.denied" && end.Decided {
		return i18n.T(ctx, "ui.act.denied", "who", end.Says)
	}
	if _, ok := a.find("call.allowed"); ok {
		return i18n.T(ctx, "ui.act.by_rules")
	}
	return ""
}

// back is the receipt of a write: where its file is, and where it can be taken back. Both are empty when there is none.
func (a act) back() Receipt {
	i := slices.IndexFunc(a.Receipts, func(r Receipt) bool { return r.Back != "" || r.File != "" })
	if i < 0 {
		return Receipt{}
	}
	return a.Receipts[i]
}

// marked says whether a claim in focus rests on one of its receipts.
func (a act) marked() bool {
	return slices.ContainsFunc(a.Receipts, func(r Receipt) bool { return r.Marked })
}
