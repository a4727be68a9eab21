package proxy

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/jsontree"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/wire"
)

const (
	// usualOutput is what is reserved for an answer whose request names no limit. One that becomes longer is counted in full.
	usualOutput = 8192
	// perFile is what a picture or document within a request is taken for: models read one as fewer tokens.
	perFile = 4000
	// mostWritten is more than models write in one answer, and mostAnswers more than they are asked for at once.
	mostWritten = 1 << 18
	mostAnswers = 64
	// margin is added to a count of tokens, in percent: the model may use another vocabulary.
	margin = 20
)

// reserve takes the most that a call can use out of the budgets of the operator's key. A text has at most as many tokens as
// bytes, which costs nothing to know; only where that much is not left, they are counted.
func (p *Proxy) reserve(ctx context.Context, c *call, to profile.Candidate) (*budget.Hold, *failed) {
	if c.free || p.paidBy(to) != wire.KeyHouse {
		return nil, nil
	}
	files := int64(0)
	eachPart(c.root, func(string) {}, func() { files++ })
	most := budget.Ceiling{Input: c.size() + files*perFile, Output: c.mostOutput()}
	hold, no, err := p.ledger.Reserve(ctx, c.agent, to.Model, most)
	if no != nil && no.Limit > 0 {
		most.Input = meter.Estimate(c.text())*(100+margin)/100 + files*perFile
		hold, no, err = p.ledger.Reserve(ctx, c.agent, to.Model, most)
	}
	switch {
	case err != nil:
		p.opt.Log.ErrorContext(ctx, "what was used is not known, so the call is not sent", "agent", c.agent, "error", err)
		return nil, notMetered()
	case no == nil:
		return hold, nil
	}
	p.opt.Log.InfoContext(ctx, "call refused by what the team may use", "agent", c.agent, "model", to.Model, "budget", string(no.Budget))
	return nil, &failed{refusal: refusal{
		status: http.StatusTooManyRequests, kind: kindOf(http.StatusTooManyRequests), code: llm.BudgetCode, says: no.Words(),
	}}
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

// namedOutput are the members of a request that limit its answer, by endpoint.
var namedOutput = map[string][]string{
	"/v1/chat/completions": {"max_completion_tokens", "max_tokens"},
	"/v1/responses":        {"max_output_tokens"},
	"/v1/messages":         {"max_tokens"},
}

// mostOutput is how long the request lets its answers become, in tokens: where it names two limits, an endpoint may go by either.
func (c *call) mostOutput() int64 {
	if c.path == "/v1/embeddings" {
		return 0
	}
	most := int64(0)
	for _, name := range namedOutput[c.path] {
		most = max(most, c.number(name))
	}
	if most == 0 {
		most = usualOutput
	}
	return min(most, mostWritten) * min(max(c.number("n"), 1), mostAnswers)
}

// number is a positive whole number of the request; 0 when it has none of that name.
func (c *call) number(name string) int64 {
	v := c.root.Get(name)
	if v == nil || v.Kind != jsontree.Number {
		return 0
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}
