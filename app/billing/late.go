package billing

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gatehouse/app/pricing"
)

// BilledPeriod is a billed period with its invoice, and the lines of later ones about it.
type BilledPeriod struct {
	Period  Period
	Invoice Invoice
	Late    []Line
}

// late says what a billed period comes to now beyond what was charged for it already: the lines that are still to be charged. Prices,
// markups and rate are those that its invoice was computed with.
func (s *Service) late(ctx context.Context, book pricing.Book, was BilledPeriod) (Draft, error) {
	now, err := s.usageOf(ctx, book.AsKnown(was.Invoice.IssuedAt), was.Period, was.Period.To)
	if err != nil || len(now.Held) > 0 {
		return Draft{Held: now.Held}, err
	}
	open := map[string]Line{}
	for _, l := range now.Lines {
		if l.Metered != nil {
			open[l.key()] = lateLine(l, was.Period.ID)
		}
	}
	for _, l := range slices.Concat(was.Invoice.Lines, was.Late) {
		if l.Metered == nil || l.Kind == LineLate && l.Of != was.Period.ID {
			continue
		}
		o, ok := open[l.key()]
		if !ok {
			o = lateLine(l, was.Period.ID)
			o.Net, o.Metered.Tokens = 0, pricing.Tokens{}
		}
		o.Net -= l.Net
		o.Metered.Tokens = o.Metered.Tokens.Minus(l.Metered.Tokens)
		open[l.key()] = o
	}
	var d Draft
	for _, key := range slices.Sorted(maps.Keys(open)) {
		if l := open[key]; l.Net != 0 || l.Metered.Tokens != (pricing.Tokens{}) {
			d.Lines = append(d.Lines, l)
		}
	}
	return d, nil
}

func lateLine(l Line, of PeriodID) Line {
	if l.Kind != LineLate {
		l.Kind, l.Late = LineLate, l.Kind
	}
	m := *l.Metered
	l.Of, l.Metered = of, &m
	return l
}

// Recomputed is an invoice beside what its period comes to when it is computed again from its buckets.
type Recomputed struct {
	Invoice Invoice
	Lines   []Line // as they come out now, without what was reported after the invoice
	Late    []Line // what was reported after it and is charged already with later invoices
	ToCome  []Line // what was reported after it and is still to be charged; a difference that has no such reason shows here too
	Net     pricing.Cents
}

// Same says whether every cent of the invoice, and of later lines about it, comes out again.
func (r Recomputed) Same() bool { return len(r.ToCome) == 0 && r.Net == r.Invoice.Net }

// Recompute computes the invoice of a billed period again from its buckets. Nothing is changed.
func (s *Service) Recompute(ctx context.Context, id PeriodID) (r Recomputed, err error) {
	was, err := s.Store.BilledPeriod(ctx, id)
	if err != nil {
		return r, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return r, err
	}
	now, err := s.usageOf(ctx, book.AsKnown(was.Invoice.IssuedAt), was.Period, was.Period.To)
	if err != nil {
		return r, err
	}
	if len(now.Held) > 0 {
		return r, fmt.Errorf("recompute period %s: %w: %v", id, errHeld, now.Held)
	}
	open, err := s.late(ctx, book, was)
	if err != nil {
		return r, err
	}
	r = Recomputed{Invoice: was.Invoice, Lines: now.Lines, Late: was.Late, ToCome: open.Lines, Net: now.Net()}
	for _, l := range slices.Concat(was.Late, open.Lines) {
		r.Net -= l.Net // what was not part of the invoice
	}
	for _, l := range was.Invoice.Lines {
		if l.Kind == LineLate {
			r.Net += l.Net // about other periods
		}
	}
	return r, nil
}
