package budget

import (
	"fmt"
	"time"
)

// Hold is what a call on its way has reserved.
type Hold struct {
	ledger       *Ledger
	agent, model string
	tokens       int64     // reserved
	drawn        int64     // of the pool, in thousandths of a token
	pool, day    time.Time // the windows that it was reserved in
	settled      bool
}

// Settle puts what the call did use in place of what it had reserved; nothing for one that never left. Only the first one counts.
// A provider that used more than was reserved is counted in full.
func (h *Hold) Settle(used Use) {
	if h == nil {
		return // the call fell under no budget
	}
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	if h.settled {
		return
	}
	h.settled = true
	drawn := int64(0)
	if h.ledger.limits.draws(h.model) {
		drawn = h.ledger.limits.Pool.Weights.of(used)
	}
	h.ledger.add(h, used.Tokens()-h.tokens, drawn-h.drawn)
}

// Which names a budget.
type Which string

// The budgets.
const (
	OfPool  Which = "pool"
	OfTeam  Which = "team"
	OfAgent Which = "agent"
)

// Refusal says which budget a call does not fit into.
type Refusal struct {
	Budget Which
	Limit  int64     // tokens
	Used   int64     // with what calls on their way have reserved
	Until  time.Time // when the budget begins anew
}

// Words say for people what is used up and when it begins anew.
func (r *Refusal) Words() string {
	what := map[Which]string{
		OfPool: "the tokens of this billing period", OfTeam: "the team's budget of this day", OfAgent: "this agent's budget of this day",
	}[r.Budget]
	return fmt.Sprintf("%s: %d of %d tokens are used or reserved; it begins anew on %s", what, r.Used, r.Limit,
		r.Until.UTC().Format("2 January at 15:04 UTC"))
}
