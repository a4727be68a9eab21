package payment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
)

// Refusals of refunds.
var (
	ErrTooMuch = fault.New(fault.Conflict, "refund-too-much", "refund of more than was paid",
		"This is more than can still be refunded. Nothing was refunded. Reload the page to see what is left.")
	ErrUnpaid = fault.New(fault.Conflict, "refund-unpaid", "refund of what was not paid",
		"Nothing was paid here, so nothing can be refunded.")
)

// refund makes the row of money that goes back by itself.
func (s *Service) refund(p Payment, amount pricing.Cents, why Why) (*Refund, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("refund: %w", err)
	}
	return &Refund{
		ID: id.String(), PaymentID: p.ID, Amount: amount, Why: why, By: audit.Itself.Name, State: RefundAsked, CreatedAt: s.Now().UTC(),
	}, nil
}

// RefundOrder gives back what an order cost that was called off, as far as it did not go back already.
func (s *Service) RefundOrder(ctx context.Context, id order.ID) error {
	p, err := s.Store.OfOrder(ctx, id)
	if err != nil {
		return notFoundIs(err, nil) // nobody paid for it here
	}
	left, err := s.Store.Remaining(ctx, p.ID)
	if err != nil || left <= 0 {
		return err
	}
	r, err := s.refund(p, left, WhyCancelled)
	if err != nil {
		return err
	}
	err = s.Store.AddRefund(ctx, *r, nil)
	if errors.Is(err, ErrTooMuch) {
		return nil // it is being given back meanwhile
	}
	return err
}

// RefundBy gives money back because one of our staff says so.
func (s *Service) RefundBy(ctx context.Context, of account.CustomerID, id ID, amount pricing.Cents, reason string, by audit.Actor) error {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return err
	}
	bad := map[string]string{}
	if reason = strings.Join(strings.Fields(reason), " "); reason == "" || utf8.RuneCountInString(reason) > 300 {
		bad["reason"] = "Type the reason, in 300 characters or less."
	}
	if amount <= 0 {
		bad["amount"] = "Type an amount above zero."
	}
	if len(bad) > 0 {
		return fault.Bad(bad)
	}
	p, err := s.Store.Get(ctx, of, id)
	if err != nil {
		return err
	}
	if p.State != Paid {
		return ErrUnpaid
	}
	r, err := s.refund(p, amount, WhyStaff)
	if err != nil {
		return err
	}
	entry, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("refund: %w", err)
	}
	r.Reason, r.By = reason, by.Name
	return s.Store.AddRefund(ctx, *r, &audit.Entry{
		ID: entry.String(), At: r.CreatedAt, By: by, CustomerID: string(of), Action: "payment.refund", Target: string(id),
		Details: map[string]string{"cents": fmt.Sprint(int64(amount)), "reason": reason},
	})
}

// alreadyBack is what the provider says when there is nothing left to give back.
const alreadyBack = "charge_already_refunded"

// GiveBack has the provider do a refund. Repeating it gives nothing back twice.
func (s *Service) GiveBack(ctx context.Context, id string) error {
	r, p, err := s.Store.Refund(ctx, id)
	if err != nil || r.State != RefundAsked {
		return err
	}
	seen, err := s.giveBack(ctx, &r, p)
	declined, refused := AsDeclined(err)
	switch {
	case refused && declined.Code == alreadyBack:
		r.State, r.Code = RefundDone, declined.Code
	case refused:
		r.State, r.Code = RefundFailed, declined.Code
	case err != nil:
		return fmt.Errorf("refund %s: %w", id, err)
	case seen.Failed:
		r.State, r.Provider, r.Code = RefundFailed, seen.ID, seen.Code
	default:
		r.State, r.Provider = RefundDone, seen.ID
	}
	if r.State == RefundFailed {
		if err := s.tellStaff(ctx, "refund", p.CustomerID); err != nil {
			return err
		}
	}
	r.DoneAt = s.Now().UTC()
	if err := s.Store.SaveRefund(ctx, r); err != nil {
		return fmt.Errorf("refund %s: %w", id, err)
	}
	if r.CreditID != "" {
		if err := s.creditDone(ctx, r.CreditID); err != nil {
			return fmt.Errorf("refund %s: %w", id, err)
		}
	}
	_, err = s.LookAt(ctx, p.ID)
	return err
}

// seeRefunds looks at the refunds of a payment again: the bank may refuse one days after the provider took it. Then the money has not
// gone back: the refund says so, its credit note too, and our staff are told.
func (s *Service) seeRefunds(ctx context.Context, intent string) error {
	p, err := s.Store.By(ctx, "", intent)
	if err != nil {
		return err
	}
	ours, err := s.Store.RefundsOf(ctx, p.ID)
	if err != nil {
		return err
	}
	seen, err := s.Provider.Refunds(ctx, intent)
	if err != nil {
		return err
	}
	for _, r := range ours {
		at := slices.IndexFunc(seen, func(one RefundSeen) bool { return one.ID == r.Provider })
		if r.State != RefundDone || at < 0 || !seen[at].Failed {
			continue
		}
		if err := s.refundFailed(ctx, r, p, seen[at].Code); err != nil {
			return fmt.Errorf("refund %s: %w", r.ID, err)
		}
	}
	return nil
}

func (s *Service) refundFailed(ctx context.Context, r Refund, p Payment, code string) error {
	if err := s.tellStaff(ctx, "refund", p.CustomerID); err != nil {
		return err
	}
	if r.CreditID != "" {
		if err := s.Invoices.RefundFailed(ctx, billing.CreditID(r.CreditID), code); err != nil {
			return err
		}
	}
	r.State, r.Code, r.DoneAt = RefundFailed, code, s.Now().UTC()
	return s.Store.SaveRefund(ctx, r)
}

// giveBack asks for a refund. One that was asked for before is looked for first: the provider forgets keys after a day.
func (s *Service) giveBack(ctx context.Context, r *Refund, p Payment) (RefundSeen, error) {
	if !r.TriedAt.IsZero() {
		all, err := s.Provider.Refunds(ctx, p.Intent)
		if err != nil {
			return RefundSeen{}, err
		}
		for _, one := range all {
			if one.Ours == r.ID {
				return one, nil
			}
		}
	}
	r.TriedAt = s.Now().UTC()
	if err := s.Store.SaveRefund(ctx, *r); err != nil {
		return RefundSeen{}, err
	}
	return s.Provider.Refund(ctx, "refund-"+r.ID, RefundAsk{Refund: r.ID, Intent: p.Intent, Amount: r.Amount, Why: r.Why})
}
