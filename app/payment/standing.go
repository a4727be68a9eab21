package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
)

// ErrPaused says that a customer's team takes no messages because it was not paid.
var ErrPaused = fault.New(fault.Conflict, "paused-payment", "team is paused: not paid",
	"Your team is paused because an invoice is not paid. Your message was not sent. Nothing on your server was changed or deleted. "+
		"Pay the invoice under Billing, and your team goes on.")

// Paused says whether the team of a customer takes no messages: ErrPaused. It is chat.Standing.
func (s *Service) Paused(ctx context.Context, of account.CustomerID) error {
	all, err := s.Store.DunningsOf(ctx, of)
	if err != nil {
		return fmt.Errorf("is the team paused: %w", err)
	}
	for _, d := range all {
		if d.State != PastDue {
			return ErrPaused
		}
	}
	return nil
}

// ErrOwes says that a customer cannot go on with a plan that has ended, because something is not paid for long.
var ErrOwes = fault.New(fault.Conflict, "keep-unpaid", "order cannot be kept: not paid",
	"Your plan stays ended because an invoice is not paid. Nothing was changed, and your server is kept as before. "+
		"Pay the invoice under Billing, then take the end back.")

// MayKeep refuses that a customer goes on with a plan that has ended while a team would be paused: ErrOwes.
func (s *Service) MayKeep(ctx context.Context, of account.CustomerID) error {
	err := s.Paused(ctx, of)
	if errors.Is(err, ErrPaused) {
		return ErrOwes
	}
	return err
}

// Unpaid is what a customer has not paid: nothing, an invoice that is tried again, or one for which the team is paused.
func (s *Service) Unpaid(ctx context.Context, of account.CustomerID) (Dunning, bool, error) {
	if s == nil {
		return Dunning{}, false, nil
	}
	all, err := s.Store.DunningsOf(ctx, of)
	if err != nil || len(all) == 0 {
		return Dunning{}, false, err
	}
	worst := all[0]
	for _, d := range all {
		if d.State != PastDue {
			worst = d
			break
		}
	}
	return worst, true, nil
}

// PauseAt is when the team is paused.
func (d Dunning) PauseAt() time.Time { return d.Since.Add(graceFor) }
