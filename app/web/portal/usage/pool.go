package usage

import (
	"context"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"

	views "gatehouse/views/portal/usage"
)

// pool is the pool of a customer's month; nil: no month runs.
func (p *Pages) pool(ctx context.Context, of account.CustomerID) (*views.Pool, error) {
	o, err := p.Pools.Overview(ctx, of)
	if err != nil || !o.Runs() {
		return nil, err
	}
	return &views.Pool{Pool: frame.PoolOf(o), Charged: o.Overage, To: o.Period.To}, nil
}

// panel keeps the pool of an open page up to date.
func (p *Pages) panel(c echo.Context, _ string) live.Topic {
	of := frame.Customer(c)
	return &live.Panel{
		Now:     p.Now,
		Matters: func(n relay.Notice) bool { return n.Kind == relay.KindUsage || n.Kind == relay.KindConfig },
		Draw: func(ctx context.Context) (templ.Component, error) {
			pool, err := p.pool(ctx, of)
			return views.Push(pool), err
		},
	}
}
