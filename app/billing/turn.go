package billing

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/pricing"
)

// BeginDue begins the first period of customers whose server is ready. It says how many.
func (s *Service) BeginDue(ctx context.Context) (int, error) {
	return passes(ctx, func(after account.CustomerID) ([]account.CustomerID, error) {
		return s.Store.Beginners(ctx, s.now(), after, someDue)
	}, 1, func(one []account.CustomerID) (int, error) {
		ok, err := s.Begin(ctx, one[0])
		if err != nil {
			return 0, fmt.Errorf("begin period of %s: %w", one[0], err)
		}
		if !ok {
			return 0, nil
		}
		return 1, nil
	})
}

// Begin begins a customer's period with the hour in which the server was ready. False says that nothing began: there is no server,
// or a period runs, or the plan is cancelled.
func (s *Service) Begin(ctx context.Context, of account.CustomerID) (bool, error) {
	buyer, err := s.Store.Buyer(ctx, of)
	if err != nil || !buyer.Served {
		return false, err
	}
	from := buyer.Ready.UTC().Truncate(time.Hour)
	if from.Before(buyer.LastTo) { // they left, and came back: what lies between is not charged
		from = later(buyer.LastTo, s.now().Truncate(time.Hour))
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return false, err
	}
	profile, err := s.Store.Profile(ctx, of)
	if err != nil {
		return false, err
	}
	p, err := month(book, profile, buyer, from, from, pricing.PlanID(buyer.Plan))
	if err != nil {
		return false, err
	}
	p.Number = buyer.LastNumber + 1
	return s.Store.Begin(ctx, p)
}

// month is a period that begins then, at the prices of then. It has no number yet.
func month(book pricing.Book, of Profile, buyer Buyer, anchor, from time.Time, plan pricing.PlanID) (Period, error) {
	span, err := spanOf(book, plan, from)
	if err != nil {
		return Period{}, err
	}
	to := nextEnd(anchor, from, zoneOf(buyer.TimeZone))
	return Period{
		ID: PeriodID(newID()), CustomerID: of.CustomerID, Anchor: anchor, From: from, To: to, FullTo: to, State: Active,
		Plans: []Span{span}, Multiplier: of.multiplier(from),
	}, nil
}

func spanOf(book pricing.Book, plan pricing.PlanID, from time.Time) (Span, error) {
	p, err := book.Plan(plan, from)
	return Span{Plan: plan, Name: p.Name, Monthly: p.Monthly, Pool: p.Pool, From: from}, err
}

// CloseDue closes periods whose time is over, or whose customer has no server any more, and begins the next ones. It says how many.
func (s *Service) CloseDue(ctx context.Context) (int, error) {
	var book pricing.Book
	return passes(ctx, func(after Period) (due []Period, err error) {
		if due, err = s.Store.Ending(ctx, s.now(), after.Place(), someDue); err == nil && len(due) > 0 {
			book, err = s.Store.Book(ctx)
		}
		return due, err
	}, somePeriods, func(part []Period) (int, error) {
		if err := s.closeAll(ctx, book, part); err != nil {
			return 0, fmt.Errorf("close %d periods from %s on: %w", len(part), part[0].ID, err)
		}
		return len(part), nil
	})
}

// coming is what comes after a period: who its customer is now, and the next period; nil: there is none.
type coming struct {
	buyer Buyer
	next  *Period
}

// closeAll closes periods in one transaction, and begins those that follow.
func (s *Service) closeAll(ctx context.Context, book pricing.Book, all []Period) error {
	files, err := s.Store.Files(ctx, all, 0)
	if err != nil {
		return err
	}
	of, ids := map[PeriodID]coming{}, make([]PeriodID, len(all))
	for i, p := range all {
		ids[i] = p.ID
		if of[p.ID], err = s.coming(book, files, p); err != nil {
			return err
		}
	}
	now := s.now()
	return s.Store.ChangePeriods(ctx, ids, func(ctx context.Context, all []*Period) (next []Period, err error) {
		customers := make([]account.CustomerID, len(all))
		for i, p := range all {
			customers[i] = p.CustomerID
		}
		leave, err := s.Store.CancellationsOf(ctx, customers)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			after := of[p.ID]
			if !p.end(after, now) {
				continue
			}
			c, leaves := leave[p.CustomerID]
			if last := leaves && !c.EndsAt.After(p.To); !last && after.next != nil {
				next = append(next, *after.next)
			}
		}
		return next, nil
	})
}

func (s *Service) coming(book pricing.Book, files Files, p Period) (c coming, err error) {
	buyer, ok := files.Buyers[p.CustomerID]
	if !ok {
		return c, fmt.Errorf("customer %s is not kept", p.CustomerID)
	}
	if c.buyer = buyer; !buyer.Served {
		return c, nil
	}
	next, err := month(book, files.Profiles[p.CustomerID], buyer, p.Anchor, p.To, p.Plan().Plan)
	next.Number, c.next = p.Number+1, &next
	return c, err
}

// end closes a period, unless that was done before, or its customer has come back meanwhile.
func (p *Period) end(after coming, now time.Time) bool {
	switch {
	case p.State != Active:
		return false
	case after.next == nil:
		p.endBy(now)
	case !p.over(now):
		return false
	}
	*p = p.trimmed()
	p.State, p.ClosedAt = Closed, now
	if after.buyer.Refunded {
		p.State = Waived
	}
	return true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// endBy ends a period early, with the hour that runs.
func (p *Period) endBy(now time.Time) {
	end := now.Truncate(time.Hour).Add(time.Hour)
	if end.Before(p.To) && end.After(p.Plan().From) {
		p.To = end
	}
}
