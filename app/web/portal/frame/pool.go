package frame

import (
	"context"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/views/portal"
)

// Pools says how full a customer's pool is; billing.Service does.
type Pools interface {
	Low(ctx context.Context, of account.CustomerID) (*billing.Low, error)
}

// Low is what pages say while most of the month's tokens are used, or all; nil: nothing.
func Low(ctx context.Context, pools Pools, of account.CustomerID) (*portal.LowPool, error) {
	low, err := pools.Low(ctx, of)
	if err != nil || low == nil {
		return nil, err
	}
	return &portal.LowPool{
		Drawn: low.Drawn, Pool: low.Pool, Empty: low.Told() == billing.PoolEmpty, Beyond: low.Beyond, Until: low.Until,
	}, nil
}

// PoolOf is the pool of a month that runs, as pages show it.
func PoolOf(o billing.Overview) portal.Pool {
	return portal.Pool{
		Drawn: o.Draft.Drawn, Pool: o.Draft.Pool, Known: o.Outlook.Known, Total: o.Outlook.Total, Ends: o.Outlook.Ends,
	}
}
