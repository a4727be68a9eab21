package payment

import (
	"context"
	"fmt"

	"gatehouse/app/account"
	"gatehouse/app/pricing"
)

// Sheet is all that was paid by a customer, for our staff: the newest first, at most some dozens of each.
type Sheet struct {
	Payments []Payment
	Left     map[ID]pricing.Cents // what can still go back of each payment
	Refunds  []Refund
	Disputes []Dispute
	Unpaid   []Dunning // open ones
	Events   []Event   // without their bytes
}

// SheetOf reads the sheet of a customer: staff only.
func (s *Service) SheetOf(ctx context.Context, of account.CustomerID) (Sheet, error) {
	out, err := s.Store.Sheet(ctx, of)
	if err != nil {
		return out, fmt.Errorf("payments of a customer: %w", err)
	}
	out.Unpaid, err = s.Store.DunningsOf(ctx, of)
	return out, err
}
