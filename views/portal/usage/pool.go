package usage

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Pool is the pool of the month that runs.
type Pool struct {
	portal.Pool

	Charged bool      // what is used beyond it
	To      time.Time // when the month ends
}

// left is how long the month goes on.
func (p Pool) left(ctx context.Context) string {
	r := ui.Of(ctx)
	days := int64(p.To.Sub(r.Now) / (24 * time.Hour))
	if days < 1 {
		return i18n.T(ctx, "usage.pool_last_day", "at", ui.Deadline(ctx, p.To))
	}
	return i18n.T(ctx, "usage.pool_left", "n", days, "day", i18n.Day(ctx, p.To.In(r.Zone)))
}

// beyond says what becomes of tokens beyond the pool; empty: there are none.
func (p Pool) beyond(ctx context.Context) string {
	switch {
	case p.Beyond() == 0:
		return ""
	case p.Charged:
		return i18n.T(ctx, "usage.pool_beyond", "n", p.Beyond())
	}
	return i18n.T(ctx, "usage.pool_beyond_pause", "n", p.Beyond())
}
