package activity

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/billing"

	views "gatehouse/views/portal/activity"
)

// Costs says what answers cost; billing.Service does.
type Costs interface {
	RunCost(ctx context.Context, of account.CustomerID, used []wire.RunUse) (billing.RunCost, error)
}

// cost is what an answer used and costs; nil: its server does not say what it used.
func (p *Pages) cost(ctx context.Context, of account.CustomerID, used []wire.RunUse) (*views.Cost, error) {
	if len(used) == 0 {
		return nil, nil
	}
	c, err := p.Costs.RunCost(ctx, of, used)
	if err != nil {
		return nil, err
	}
	out := &views.Cost{Drawn: c.Drawn, Cents: int64(c.Net()), Charged: c.Charged(), About: c.About, Held: c.Held}
	for _, m := range c.Models {
		v := views.ModelCost{
			Name: m.Model, Key: string(m.Key),
			Input: m.Input, CacheRead: m.CacheRead, CacheWrite: m.CacheWrite, Output: m.Output,
			Estimated: m.EstInput + m.EstOutput, Premium: m.Premium, Unknown: m.Unknown,
			Drawn: m.Drawn, Charged: m.Charged, Cents: int64(m.Net),
		}
		out.Models, out.Estimated = append(out.Models, v), out.Estimated+v.Estimated
	}
	return out, nil
}
