package budget

import (
	"fmt"
	"time"
)

// Hold is what a call on its way has reserved.
type Hold struct {
	ledger       *Ledger
	agent, model string
	most         Ceiling
}

// Most is what the call may use at most; nothing for one that falls under no budget.
func (h *Hold) Most() Ceiling {
	if h == nil {
		return Ceiling{}
	}
	return h.most
}

// Settle puts what the call did use in place of what it had reserved; nothing for one that never left. Only the first one counts.
// A provider that used more than was reserved is counted in full. The book must have it before: a window that is read anew in
// between then counts it twice, and never not at all. Whatever window is not that of this moment is read anew before it counts again.
func (h *Hold) Settle(used Use) {
	if h == nil {
		return // the call fell under no budget
	}
	l := h.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open[h] {
		return
	}
	delete(l.open, h)
	now := l.now()
	if !l.limits.day(now).is(l.counts.day) {
		l.counts.day = window{}
	}
	if !l.limits.window(now).is(l.counts.pool) {
		l.counts.pool = window{}
	}
	l.counts.used = plus(l.counts.used, used.Tokens())
	l.counts.agents[h.agent] = plus(l.counts.agents[h.agent], used.Tokens())
	if l.limits.draws(h.model) {
		l.counts.drawn = plus(l.counts.drawn, l.limits.weights().of(used))
	}
}

// Which names a budget, or what else is in the way.
type Which string

// What can be in the way of a call.
const (
	OfPool    Which = "pool"
	OfTeam    Which = "team"
	OfAgent   Which = "agent"
	OfPause   Which = "pause"
	OfPremium Which = "premium"
)

// Refusal says which budget a call does not fit into.
type Refusal struct {
	Budget Which
	Limit  int64     // tokens; of a budget alone
	Used   int64     // with what calls on their way have reserved
	Until  time.Time // when the budget begins anew
}

// Words say for people what is in the way, and when a budget begins anew.
func (r *Refusal) Words() string {
	what := map[Which]string{
		OfPool: "the tokens of this billing period", OfTeam: "the team's budget of this day", OfAgent: "this agent's budget of this day",
		OfPause: "the team rests until an invoice is paid", OfPremium: "the owner has not signed for this model, which costs extra",
	}[r.Budget]
	if r.Until.IsZero() {
		return what
	}
	return fmt.Sprintf("%s: %d of %d tokens are used or reserved; it begins anew on %s", what, r.Used, r.Limit,
		r.Until.UTC().Format("2 January at 15:04 UTC"))
}
