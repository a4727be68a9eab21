package billing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/pricing"
	"gatehouse/app/work"
)

// Settle is how long after its end a period is billed: what servers report meanwhile still belongs to it.
const Settle = time.Hour

// lookBack is how many billed periods of a customer are looked at for usage that was reported later.
const lookBack = 3

// PaidByNothing marks invoices on which nothing is to be paid.
const PaidByNothing = "nothing"

// BillDue issues the invoices of periods that ended a while ago. What cannot be billed says why, and is looked at again.
func (s *Service) BillDue(ctx context.Context) (int, error) {
	until := s.now().Add(-Settle)
	var known reading
	return passes(ctx, func(after Period) (due []Period, err error) {
		if due, err = s.Store.Unbilled(ctx, until, after.Place(), someDue); err == nil && len(due) > 0 {
			known, err = s.read(ctx)
		}
		return due, err
	}, somePeriods, func(part []Period) (int, error) { return s.billAll(ctx, known, part) })
}

// billAll bills periods, in one transaction all those that can be.
func (s *Service) billAll(ctx context.Context, known reading, part []Period) (int, error) {
	s, err := s.ahead(ctx, part)
	if err != nil {
		return 0, err
	}
	var all []Issue
	for _, p := range part {
		i, ok, err := s.bill(ctx, known, p)
		if err != nil {
			return 0, fmt.Errorf("bill period %s: %w", p.ID, err)
		}
		if ok {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return 0, nil
	}
	issued, err := s.Store.Issue(ctx, all)
	if err != nil {
		return 0, fmt.Errorf("bill %d periods from %s on: %w", len(all), part[0].ID, err)
	}
	return len(issued), nil
}

// reading is the price book as it was read at a moment. That is the moment of an invoice which is drawn by it: computed again, it is
// computed with what was known then.
type reading struct {
	book pricing.Book
	at   time.Time
}

func (s *Service) read(ctx context.Context) (r reading, err error) {
	r.book, r.at, err = s.Store.BookNow(ctx, s.now)
	return r, err
}

// bill makes the invoice of a closed period, or keeps why there is none.
func (s *Service) bill(ctx context.Context, known reading, p Period) (i Issue, ok bool, err error) {
	buyer, err := s.Store.Buyer(ctx, p.CustomerID)
	if err != nil {
		return i, false, err
	}
	if buyer.Refunded {
		return i, false, s.waive(ctx, p.ID)
	}
	var held []string
	if i.Invoice, held, err = s.draw(ctx, known, p); err != nil {
		return i, false, err
	}
	if len(held) == 0 && i.lacksAddress() {
		held = []string{NoAddress}
	}
	if len(held) > 0 {
		return i, false, s.hold(ctx, p, strings.Join(held, " "))
	}
	if i.Total == 0 {
		i.State, i.PaidBy, i.PaidAt = Paid, PaidByNothing, i.IssuedAt
	} else {
		i.Follow = []work.Item{work.CollectInvoice{InvoiceID: string(i.ID)}}
	}
	return i, true, nil
}

// smallTotal is up to what an invoice may go without the address of its buyer: the limit that German law has for invoices of small
// amounts (§ 33 UStDV), which is the lowest of those that we know of.
const smallTotal = 250_00

// NoAddress holds back an invoice that needs the address of its buyer.
const NoAddress = "The address of the customer is not known, and an invoice above €250, or whose buyer owes the tax, needs it."

// lacksAddress says whether an invoice may not be issued without the address of its buyer, which nobody has said.
func (i Invoice) lacksAddress() bool {
	return strings.TrimSpace(i.Terms.Buyer.Address) == "" && (i.Total > smallTotal || i.Terms.Reverse)
}

// hold keeps why a closed period has no invoice yet. What its owners alone can say, they are asked for in a letter: see
// AskAgain.
func (s *Service) hold(ctx context.Context, p Period, why string) error {
	if why == p.Held {
		return nil
	}
	letter := ""
	if why == NoAddress {
		letter = LetterAddress
	}
	return s.Store.Hold(ctx, p.ID, why, letter, s.now())
}

// Owners are asked again for an address that an invoice needs, for as long as somebody may still come to it.
const (
	askAgain = 7 * 24 * time.Hour
	askUntil = 90 * 24 * time.Hour // after the month was closed; our staff see it all the time
)

// AskAgain asks the owners of months that wait for an address once a week. It says of how many months.
func (s *Service) AskAgain(ctx context.Context) (int, error) {
	now := s.now()
	n, err := s.Store.AskAgain(ctx, NoAddress, LetterAddress, now.Add(-askUntil), now.Add(-askAgain), now)
	if err != nil {
		return n, fmt.Errorf("ask for addresses: %w", err)
	}
	return n, nil
}

// waive has no invoice come of a month.
func (s *Service) waive(ctx context.Context, id PeriodID) error {
	_, err := s.Store.ChangePeriod(ctx, id, func(_ context.Context, p *Period) (*Period, error) {
		if p.State == Closed {
			p.State, p.Held = Waived, ""
		}
		return nil, nil
	})
	return err
}

// draw makes the invoice of a closed period, not issued yet, or says what is missing for it.
func (s *Service) draw(ctx context.Context, known reading, p Period) (i Invoice, held []string, err error) {
	book, now := known.book, known.at
	d, err := s.whole(ctx, book, p)
	if err != nil {
		return i, nil, err
	}
	terms, dueDays, err := s.terms(ctx, book, p.CustomerID, now)
	switch {
	case errors.Is(err, errHeld):
		d.Held = append(d.Held, sentence(err))
	case err != nil:
		return i, nil, err
	}
	if net := d.Net(); net < 0 || net > mostNet {
		d.Held = append(d.Held, tooMuch)
	}
	if len(d.Held) > 0 {
		return i, d.Held, nil
	}
	i = Invoice{
		ID: InvoiceID(newID()), CustomerID: p.CustomerID, PeriodID: p.ID, From: p.From, To: p.To, Net: d.Net(),
		Currency: pricing.Currency, State: Open, IssuedAt: now, DueAt: now.AddDate(0, 0, dueDays), Lines: d.Lines, Terms: terms,
	}
	if i.Tax, err = pricing.Tax(i.Net, terms.TaxRate); err != nil {
		return i, nil, fmt.Errorf("tax: %w", err)
	}
	i.Total = i.Net + i.Tax
	return i, nil, nil
}

// whole is the draft of a period, with what was reported late for those before.
func (s *Service) whole(ctx context.Context, book pricing.Book, p Period) (Draft, error) {
	d, err := s.usageOf(ctx, book, p, p.To)
	if err != nil {
		return d, err
	}
	before, err := s.Store.BilledBefore(ctx, p.CustomerID, p.From, lookBack)
	if err != nil {
		return d, err
	}
	for _, was := range before {
		late, err := s.late(ctx, book, was)
		if err != nil {
			return d, err
		}
		d.Lines = append(d.Lines, late.Lines...)
		d.Held = append(d.Held, late.Held...)
	}
	return d, nil
}

// usageOf is the draft of a period by itself.
func (s *Service) usageOf(ctx context.Context, book pricing.Book, p Period, rateAt time.Time) (Draft, error) {
	buckets, err := s.Usage.Buckets(ctx, p.CustomerID, p.From, p.To)
	if err != nil {
		return Draft{}, err
	}
	choices, err := s.Store.Choices(ctx, p.CustomerID)
	if err != nil {
		return Draft{}, err
	}
	return compute(book, p, buckets, choices, rateAt)
}

// terms are parties and tax of an invoice to a customer.
func (s *Service) terms(ctx context.Context, book pricing.Book, of account.CustomerID, at time.Time) (t Terms, dueDays int, err error) {
	var seller Seller
	if _, err := book.Read(pricing.KindSeller, "", at, &seller); err != nil {
		if errors.Is(err, pricing.ErrNoPrice) {
			err = fmt.Errorf("%w: the details of the seller are not kept", errHeld)
		}
		return t, 0, err
	}
	buyer, err := s.Store.Buyer(ctx, of)
	if err != nil {
		return t, 0, err
	}
	profile, err := s.Store.Profile(ctx, of)
	if err != nil {
		return t, 0, err
	}
	t = Terms{Seller: seller.Party, Zone: buyer.TimeZone, Buyer: Party{
		Name: either(profile.Name, buyer.Name), Address: either(profile.Address, buyer.Address),
		Country: either(profile.Country, seller.Country), VATID: profile.VATID, Email: buyer.Email,
	}}
	t.TaxRate, t.Reverse, err = taxed(book, t.Seller, t.Buyer, at)
	if err == nil && t.Reverse && t.Seller.VATID == "" {
		err = fmt.Errorf("%w: the seller has no VAT id, which an invoice needs whose buyer owes the tax", errHeld)
	}
	return t, seller.DueDays, err
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// sentence is what holds an invoice back, in words.
func sentence(err error) string {
	text := strings.TrimPrefix(err.Error(), errHeld.Error()+": ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
