package portal

import (
	"context"
	"time"

	"gatehouse/views/i18n"
)

// LowPool is how much of the month's tokens is used, once that is most of them.
type LowPool struct {
	Drawn, Pool int64
	Empty       bool      // hardly anything is left
	Beyond      bool      // the team works on then, for money
	Until       time.Time // when the next tokens come
}

// kind is how the notice looks: a team that pauses is worse than one that works on.
func (p LowPool) kind() string {
	if p.Empty && !p.Beyond {
		return "bad"
	}
	return "warn"
}

func (p LowPool) title(ctx context.Context) string {
	if p.Empty {
		return i18n.T(ctx, "billing.empty_title")
	}
	return i18n.T(ctx, "billing.low_title", "n", p.Drawn*100/max(p.Pool, 1))
}

// then is what happens when nothing is left, or happens now.
func (p LowPool) then(ctx context.Context) string {
	switch {
	case p.Empty && p.Beyond:
		return i18n.T(ctx, "billing.empty_beyond")
	case p.Empty:
		return i18n.T(ctx, "billing.empty_pause")
	case p.Beyond:
		return i18n.T(ctx, "billing.low_beyond")
	}
	return i18n.T(ctx, "billing.low_pause")
}
