package proxy

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/wire"
)

const (
	// perFile is what a picture or document within a request is taken for: models read one as fewer tokens.
	perFile = 4000
	// margin is added to a count of tokens, in percent: the model may use another vocabulary.
	margin = 20
)

// reserve takes the most that a call can use out of the budgets of the operator's key, and says how long the answer may become: the
// request that is sent says so, too. A text has at most as many tokens as bytes, which costs nothing to know; only where that much is
// not left, they are counted. A request that names no limit gets a lower one where no more is left; one that names a limit is refused
// instead, for whoever asks for so much would take a shorter answer for a whole one.
func (p *Proxy) reserve(ctx context.Context, c *call, to profile.Candidate, as attempt) (*budget.Hold, int64, *failed) {
	if c.free || p.paidBy(to) != wire.KeyHouse {
		return nil, 0, nil
	}
	named := c.limit()
	output := cmp.Or(named, as.output())
	hold, no, err := p.fit(ctx, c, to, output)
	for named == 0 && !c.silent() && no != nil && no.Limit > 0 && output/2 >= leastOutput {
		output /= 2
		hold, no, err = p.fit(ctx, c, to, output)
	}
	switch {
	case err != nil:
		p.opt.Log.ErrorContext(ctx, "what was used is not known, so the call is not sent", "agent", c.agent, "error", err)
		return nil, 0, notMetered()
	case no == nil:
		return hold, output, nil
	}
	p.opt.Log.InfoContext(ctx, "call refused by what the team may use", "agent", c.agent, "model", to.Model, "budget", string(no.Budget))
	return nil, 0, overBudget(no, named)
}

// overBudget is the answer to a call that does not fit. Where a shorter answer might, it says so.
func overBudget(no *budget.Refusal, named int64) *failed {
	says := no.Words()
	if left := no.Limit - no.Used; named > 0 && left > leastOutput {
		says += fmt.Sprintf("; %d are left, and the request asks for an answer of up to %d: ask for a shorter one", left, named)
	}
	return &failed{refusal: refusal{
		status: http.StatusTooManyRequests, kind: kindOf(http.StatusTooManyRequests), code: llm.BudgetCode, says: says,
	}}
}

// fit reserves a call whose answers become that long at most.
func (p *Proxy) fit(ctx context.Context, c *call, to profile.Candidate, output int64) (*budget.Hold, *budget.Refusal, error) {
	files := int64(0)
	eachPart(c.root, func(string) {}, func() { files++ })
	most := budget.Ceiling{Input: c.size() + files*perFile, Output: output * c.answers()}
	if c.silent() {
		most.Output = 0
	}
	hold, no, err := p.ledger.Reserve(ctx, c.agent, to.Model, most)
	if no != nil && no.Limit > 0 {
		most.Input = meter.Estimate(c.text())*(100+margin)/100 + files*perFile
		hold, no, err = p.ledger.Reserve(ctx, c.agent, to.Model, most)
	}
	return hold, no, err
}

// spent is the meter's book as the budgets read it.
type spent struct{ book *meter.Book }

// Spent implements budget.Book.
func (s spent) Spent(ctx context.Context, from, to time.Time) ([]budget.Spent, error) {
	rows, err := s.book.Spent(ctx, from, to)
	if err != nil {
		return nil, err
	}
	out := make([]budget.Spent, len(rows))
	for i, r := range rows {
		u := r.UsageCounts
		out[i] = budget.Spent{Agent: r.Agent, Model: r.Model, Use: budget.Use{
			Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		}}
	}
	return out, nil
}

// paidBy is whose key pays for a candidate.
func (p *Proxy) paidBy(to profile.Candidate) string {
	return to.Profile.PaidBy(p.opt.Keys[to.Profile.Name] != "")
}
