package proxy

import (
	"context"
	"net/http"
	"strconv"
	"strings"
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
	// margin is added to a count of tokens, in percent: the model may use another vocabulary.
	margin = 20
)

// reserve takes the most that a call can use out of the budgets of the operator's key. A text has at most as many tokens as
// bytes, which costs nothing to know; only where that much is not left, they are counted.
func (p *Proxy) reserve(c *call, to profile.Candidate) (*budget.Hold, *failed) {
	if c.free || p.paidBy(to) != wire.KeyHouse {
		return nil, nil
	}
	files := int64(0)
	eachFile(c.root, func() { files++ })
	most := budget.Ceiling{Input: c.size() + files*perFile, Output: c.mostOutput()}
	hold, no := p.ledger.Reserve(c.agent, to.Model, most)
	if no != nil {
		most.Input = meter.Estimate(c.text())*(100+margin)/100 + files*perFile
		hold, no = p.ledger.Reserve(c.agent, to.Model, most)
	}
	if no == nil {
		return hold, nil
	}
	p.opt.Log.Info("call refused: a budget is used up", "agent", c.agent, "model", to.Model, "budget", string(no.Budget))
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

// mostOutput is how long the request lets the answer become, in tokens.
func (c *call) mostOutput() int64 {
	for _, name := range []string{"max_completion_tokens", "max_output_tokens", "max_tokens"} {
		v := c.root.Get(name)
		if v == nil || v.Kind != jsontree.Number {
			continue
		}
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil && n > 0 {
			return n
		}
	}
	if strings.HasSuffix(c.path, "/embeddings") {
		return 0
	}
	return usualOutput
}

// eachFile visits the files within a request.
func eachFile(v *jsontree.Value, visit func()) {
	switch v.Kind {
	case jsontree.String:
		if strings.HasPrefix(v.Text, "data:") {
			visit()
		}
	case jsontree.Array:
		for _, item := range v.Items {
			eachFile(item, visit)
		}
	case jsontree.Object:
		for _, m := range v.Members {
			if m.Key == "data" {
				visit()
				continue
			}
			eachFile(m.Value, visit)
		}
	default: // there are none
	}
}
