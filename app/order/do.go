package order

import (
	"context"

	"gatehouse/app/account"
	"gatehouse/app/audit"
)

// Act is something that our staff do with an order: its name, and what goes with it.
type Act struct {
	Name     string    // retry, cancel, stop, press, auto, manual, provider, end, keep, replace
	Reason   EndReason // end only
	Provider string    // provider and replace only; empty: where the hub sets servers up
}

// Do does an act: staff only. The order that it answers with is the one to look at next: for a replacement, the new one.
func (s *Service) Do(ctx context.Context, of account.CustomerID, id ID, act Act, by audit.Actor) (Order, error) {
	switch act.Name {
	case "retry":
		return s.Retry(ctx, of, id, by)
	case "cancel":
		return s.Cancel(ctx, of, id, by)
	case "stop":
		return s.Stop(ctx, of, id, by)
	case "press":
		return s.Press(ctx, of, id, by)
	case "auto":
		return s.SetMode(ctx, of, id, Auto, by)
	case "manual":
		return s.SetMode(ctx, of, id, Manual, by)
	}
	return s.doMore(ctx, of, id, act, by)
}

// doMore are the acts with something that goes with them, and that take them back.
func (s *Service) doMore(ctx context.Context, of account.CustomerID, id ID, act Act, by audit.Actor) (Order, error) {
	switch act.Name {
	case "provider":
		return s.SetProvider(ctx, of, id, act.Provider, by)
	case "end":
		return s.End(ctx, of, id, act.Reason, by)
	case "keep":
		return s.Keep(ctx, of, id, by)
	case "replace":
		return s.Replace(ctx, of, id, act.Provider, by)
	}
	return Order{}, ErrAct
}
