package billing

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
)

// ErrPast says that a price would change what has been used already.
var ErrPast = fault.New(fault.Conflict, "price-past", "entry would change the past",
	"Another price held then. Nothing was changed. A price can change from now on, or fill a gap where there was none.")

// Effect is what an entry would change, by what is used so far.
type Effect struct {
	Customers  int           // whose next invoice changes
	Difference pricing.Cents // of all those invoices together, without tax
	Partial    bool          // there are more customers than were looked at
	Unblocked  int           // periods that wait for a price, and would not any more
}

// mostPreviewed is how many open periods a preview looks at.
const mostPreviewed = 1000

// Preview says what an entry would change, and adds nothing. It refuses what AddPrice does.
func (s *Service) Preview(ctx context.Context, e pricing.Entry, by audit.Actor) (Effect, error) {
	book, e, err := s.check(ctx, e, by)
	if err != nil {
		return Effect{}, err
	}
	all, err := s.Store.OpenPeriods(ctx, mostPreviewed+1)
	if err != nil {
		return Effect{}, err
	}
	effect := Effect{Partial: len(all) > mostPreviewed}
	for _, p := range all[:min(len(all), mostPreviewed)] {
		d, freed, err := s.difference(ctx, book, book.With(e), e, p)
		if err != nil {
			return effect, err
		}
		if d != 0 {
			effect.Customers++
			effect.Difference += d
		}
		if freed {
			effect.Unblocked++
		}
	}
	return effect, nil
}

// difference is what an entry would change about the next invoice of a customer.
func (s *Service) difference(
	ctx context.Context, was, would pricing.Book, e pricing.Entry, p Period,
) (d pricing.Cents, freed bool, err error) {
	if e.Kind == pricing.KindPlan { // a period keeps the price that it began with: the one after has the new one
		if p.State != Active || string(p.Plan().Plan) != e.Name || e.ValidFrom.After(p.To) {
			return 0, false, nil
		}
		next, err := would.Plan(p.Plan().Plan, p.To)
		return next.Monthly - p.Plan().Monthly, false, err
	}
	at := s.now()
	if p.To.Before(at) {
		at = p.To
	}
	before, err := s.usageOf(ctx, was, p, at)
	if err != nil {
		return 0, false, err
	}
	after, err := s.usageOf(ctx, would, p, at)
	return after.Net() - before.Net(), len(before.Held) > 0 && len(after.Held) == 0, err
}

// AddPrice adds an entry to the price book. It holds from its moment on, or from now on where it names none; a moment in the past only
// where nothing held then.
func (s *Service) AddPrice(ctx context.Context, e pricing.Entry, by audit.Actor) error {
	_, e, err := s.check(ctx, e, by)
	if err != nil {
		return err
	}
	return s.Store.AddPrice(ctx, func() (pricing.Entry, audit.Entry) {
		e.ID, e.At, e.ByName = newID(), s.now(), by.Name
		return e, *s.entry("", by, "price.add", e.ID, map[string]string{"kind": string(e.Kind), "name": e.Name})
	})
}

func (s *Service) check(ctx context.Context, e pricing.Entry, by audit.Actor) (pricing.Book, pricing.Entry, error) {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return pricing.Book{}, e, err
	}
	e.Reason = strings.TrimSpace(e.Reason)
	if n := utf8.RuneCountInString(e.Reason); n < 3 || n > 500 {
		return pricing.Book{}, e, fault.Bad(map[string]string{"reason": "Write 3 to 500 characters: this stays on record."})
	}
	if err := checkEntry(e); err != nil {
		return pricing.Book{}, e, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return book, e, err
	}
	now := s.now()
	if e.ValidFrom.IsZero() {
		e.ValidFrom = now
	}
	held, some := book.At(e.Kind, e.Name, e.ValidFrom)
	if some && e.Kind == pricing.KindRate { // each day has its own
		some = held.ValidFrom.Equal(e.ValidFrom)
	}
	if e.ValidFrom.Before(now.Add(-time.Minute)) && some {
		return book, e, ErrPast
	}
	return book, e, nil
}

// checkEntry checks the kinds that this package knows; app/pricing knows the others.
func checkEntry(e pricing.Entry) error {
	switch e.Kind {
	case pricing.KindSeller:
		return checkSeller(e)
	case pricing.KindTax:
		var r TaxRule
		if len(e.Name) != 2 || strings.ToUpper(e.Name) != e.Name {
			return fault.Bad(map[string]string{"name": "Write the two letters of the country, such as AT."})
		}
		if !strictly(e.Value, &r) || r.BasisPoints < 0 || r.BasisPoints > 10_000 {
			return fault.Bad(map[string]string{"value": "A tax rate is 0 to 100 %."})
		}
		return nil
	}
	return e.Check()
}

func checkSeller(e pricing.Entry) error {
	var v Seller
	switch {
	case e.Name != "" || !strictly(e.Value, &v):
		return fault.Bad(map[string]string{"value": "The details of the seller cannot be read."})
	case strings.TrimSpace(v.Name) == "" || strings.TrimSpace(v.Address) == "":
		return fault.Bad(map[string]string{"value": "Name and address of the seller stand on every invoice: write both."})
	case len(v.Country) != 2 || strings.ToUpper(v.Country) != v.Country:
		return fault.Bad(map[string]string{"value": "Write the two letters of the seller's country, such as AT."})
	case union[v.Country] != nil && v.VATID != "" && !CheckVATID(v.Country, v.VATID):
		return fault.Bad(map[string]string{"value": "This is no VAT id of the seller's country."})
	case union[v.Country] != nil && v.VATID == "" && v.TaxNumber == "":
		return fault.Bad(map[string]string{
			"value": "The VAT id of the seller stands on every invoice, or else its tax number: write one of them.",
		})
	case len(v.TaxNumber) > 40 || strings.ContainsFunc(v.TaxNumber, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fault.Bad(map[string]string{"value": "A tax number is one line of at most 40 characters."})
	case v.DueDays < 0 || v.DueDays > 90:
		return fault.Bad(map[string]string{"value": "Invoices are due after 0 to 90 days."})
	}
	return nil
}

func strictly(b []byte, v any) bool {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v) == nil
}

// Book is the price book.
func (s *Service) Book(ctx context.Context) (pricing.Book, error) { return s.Store.Book(ctx) }

// Plans are the plans as they are sold now, cheapest first.
func (s *Service) Plans(ctx context.Context) ([]pricing.Plan, error) {
	book, err := s.Store.Book(ctx)
	if err != nil {
		return nil, err
	}
	return book.Plans(s.now())
}
