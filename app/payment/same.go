package payment

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"gatehouse/app/billing"
)

// triesSought is how many tries of an invoice are looked for at the provider before it is asked for money.
const triesSought = 16

// tryID names a try to have an invoice paid. It is made of what a database that was restored knows again: the customer, the number of
// the month, and which try it is. So the provider is asked with the same key, and what it did for a try that the database has lost is
// found. Ids of the same invoice are in the order of their tries.
func tryID(i billing.Invoice, month, try int) ID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", i.CustomerID, month, try))
	var id uuid.UUID
	copy(id[:], sum[:])
	ms := uint64(i.From.UnixMilli()) //nolint:gosec // after 1970
	binary.BigEndian.PutUint64(id[:8], ms<<16|uint64(try)&0xfff)
	id[6] = id[6]&0x0f | 0x70 // version 7
	id[8] = id[8]&0x3f | 0x80
	return ID(id.String())
}

// which is what an id says of the try alone, and not of when the month began: a restored database may have that at another hour.
func (id ID) which() string { return string(id[min(len(id), len("00000000-0000-7000-")):]) }

// known looks for what the provider has of an invoice that our database does not know: it was restored from before. What was paid, or is
// on its way, counts for the invoice, and nothing is asked for again: true. Tries that failed are kept as tries.
func (s *Service) known(ctx context.Context, i billing.Invoice, payer Payer, next Payment, month, try int) (bool, error) {
	all, err := s.Provider.Charges(ctx, payer.Provider, i.From)
	if err != nil {
		return false, fmt.Errorf("look for former payments: %w", err)
	}
	ids := map[string]bool{}
	for n := range triesSought {
		ids[tryID(i, month, try+n).which()] = true
	}
	found := false
	for _, seen := range slices.Backward(all) {
		if !ids[seen.Ours.which()] {
			continue
		}
		counts := seen.State == Paid || seen.State == Processing
		switch {
		case counts && found: // it was paid twice there: people look at it
			err = s.tellStaff(ctx, "differs", i.CustomerID)
		case counts, seen.State == Failed:
			err = s.adoptTry(ctx, next, seen, counts)
		}
		if err != nil {
			return false, err
		}
		found = found || counts
	}
	return found, nil
}

// adoptTry keeps a try that the provider has and our database has lost. One that counts is settled like any other; over another amount
// it counts too, and our staff are told.
func (s *Service) adoptTry(ctx context.Context, next Payment, seen Seen, counts bool) error {
	differs := seen.Amount != next.Amount
	next.ID, next.Amount = seen.Ours, seen.Amount
	if !counts {
		next.State, next.Intent, next.Code = Failed, seen.Intent, seen.Code
		next.CreatedAt, next.UpdatedAt, next.TriedAt = s.Now().UTC(), s.Now().UTC(), s.Now().UTC()
		return s.Store.Add(ctx, next)
	}
	next, err := s.ask(ctx, next)
	if err != nil {
		return err
	}
	if differs {
		if err := s.tellStaff(ctx, "differs", next.CustomerID); err != nil {
			return err
		}
	}
	return s.answered(ctx, next, seen)
}
