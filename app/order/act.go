package order

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// Retry takes a failed order up again at the step that failed.
func (s *Service) Retry(ctx context.Context, of account.CustomerID, id ID, by audit.Actor) (Order, error) {
	return s.act(ctx, of, id, by, "order.retry", func(o *Order, now time.Time) (Change, error) {
		if !o.Can("retry") {
			return Change{}, ErrRetry
		}
		o.State, o.FailedStep, o.Reason = o.FailedStep, "", ""
		o.Attempt++
		return Change{Events: []Event{o.event(now, by.Name, "Taken up again from here.")}, Work: o.step()}, nil
	})
}

// Cancel calls an order off before its server is set up.
func (s *Service) Cancel(ctx context.Context, of account.CustomerID, id ID, by audit.Actor) (Order, error) {
	if err := s.confirm(ctx, of, id, "cancel", by); err != nil {
		return Order{}, err
	}
	return s.act(ctx, of, id, by, "order.cancel", func(o *Order, now time.Time) (Change, error) {
		if !o.Can("cancel") {
			return Change{}, ErrCancel
		}
		return o.cancel(now, by), nil
	})
}

// Press starts the step in which an order of mode MANUAL stands: staff only.
func (s *Service) Press(ctx context.Context, of account.CustomerID, id ID, by audit.Actor) (Order, error) {
	return s.act(ctx, of, id, by, "order.press", func(o *Order, _ time.Time) (Change, error) {
		if !o.Can("press") {
			return Change{}, ErrPress
		}
		o.Attempt++
		return Change{Work: []work.Item{work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt}}}, nil
	})
}

// SetMode hands an order to staff or back to the queue: staff only. An order that goes back goes on at once.
func (s *Service) SetMode(ctx context.Context, of account.CustomerID, id ID, m Mode, by audit.Actor) (Order, error) {
	return s.act(ctx, of, id, by, "order.mode", func(o *Order, _ time.Time) (Change, error) {
		if m != Auto && m != Manual {
			return Change{}, fmt.Errorf("order %s: unknown mode %q", o.ID, m)
		}
		if o.Mode == m {
			return Change{}, nil
		}
		o.Mode = m
		o.Attempt++
		return Change{Work: o.step()}, nil
	})
}

// SetProvider chooses where the server of an order is set up, while none is reserved: staff only. An order that runs by itself is tried there at once, also when it has failed because the former one had nothing.
func (s *Service) SetProvider(ctx context.Context, of account.CustomerID, id ID, provider string, by audit.Actor) (Order, error) {
	if provider == "" {
		return Order{}, ErrPlace
	}
	if err := s.place(provider); err != nil {
		return Order{}, err
	}
	return s.act(ctx, of, id, by, "order.provider", func(o *Order, now time.Time) (Change, error) {
		if !o.Can("provider") {
			return Change{}, ErrProvider
		}
		if o.Provider == provider {
			return Change{}, nil
		}
		o.Provider = provider
		o.State, o.FailedStep, o.Reason = o.Step(), "", ""
		o.Attempt++
		return Change{
			Events: []Event{o.event(now, by.Name, "Its server is set up with provider "+provider+".")}, Work: o.step(),
		}, nil
	})
}

// act is a change by a person: recorded with who did it, in the transaction of the change.
func (s *Service) act(
	ctx context.Context,
	of account.CustomerID,
	id ID,
	by audit.Actor,
	action string,
	fn func(*Order, time.Time) (Change, error),
) (Order, error) {
	if err := staff.Require(by, staff.OrdersAct); err != nil {
		return Order{}, err
	}
	entry, err := uuid.NewV7()
	if err != nil {
		return Order{}, fmt.Errorf("%s: %w", action, err)
	}
	return s.change(ctx, Order{ID: id, CustomerID: of}, func(o *Order, now time.Time) (Change, error) {
		was := o.State
		ch, err := fn(o, now)
		ch.Audit = &audit.Entry{
			ID: entry.String(), At: now, By: by, CustomerID: string(of), Action: action, Target: string(id),
			Details: map[string]string{"from": string(was), "to": string(o.State)},
		}
		return ch, err
	})
}
