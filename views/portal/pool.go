package portal

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Pool is how much of a month's tokens is used, and how the month will end if the team goes on like this.
type Pool struct {
	Drawn, Pool int64     // tokens; Drawn goes on beyond the pool
	Known       bool      // false: it is too early for what follows
	Total       int64     // drawn by the end of the month
	Ends        time.Time // when the pool is used up; zero: it lasts, or is used up already
}

// Beyond are the tokens that were drawn beyond the pool.
func (p Pool) Beyond() int64 { return max(p.Drawn-p.Pool, 0) }

// Percent is how much of the pool is used.
func (p Pool) Percent() int64 {
	if p.Pool <= 0 {
		return 0
	}
	return p.Drawn * 100 / p.Pool
}

// Meter is the pool as a bar, with the forecast below.
func (p Pool) Meter(ctx context.Context) ui.Meter {
	return ui.Meter{
		Label: i18n.T(ctx, "billing.pool"), Used: p.Drawn, Full: p.Pool, Hint: p.forecast(ctx),
		Text: i18n.T(ctx, "billing.pool_text", "drawn", p.Drawn, "pool", p.Pool),
	}
}

func (p Pool) forecast(ctx context.Context) string {
	switch {
	case !p.Known:
		return i18n.T(ctx, "billing.pool_early")
	case p.Drawn >= p.Pool:
		return i18n.T(ctx, "billing.pool_forecast", "n", p.Total)
	case p.Ends.IsZero():
		return i18n.T(ctx, "billing.pool_lasts", "n", p.Total)
	}
	return i18n.T(ctx, "billing.pool_ends", "day", i18n.Day(ctx, p.Ends.In(ui.Of(ctx).Zone)), "n", p.Total)
}
