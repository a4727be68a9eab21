package billing

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
	"gatehouse/app/usage"
)

// Overview is how a customer's billing stands.
type Overview struct {
	Period   Period // zero: none runs
	Draft    Draft
	Outlook  pricing.Outlook // how the period will end, as it goes on like this
	Overage  bool
	Profile  Profile
	TimeZone string
	Name     string

	NoAddress bool // an invoice that needs the address has to wait for it
}

// Runs says whether a period runs.
func (o Overview) Runs() bool { return o.Period.ID != "" }

// Overview says how a customer's billing stands now.
func (s *Service) Overview(ctx context.Context, of account.CustomerID) (o Overview, err error) {
	buyer, err := s.Store.Buyer(ctx, of)
	if err != nil {
		return o, err
	}
	o.Name, o.TimeZone = buyer.Name, buyer.TimeZone
	if o.Profile, err = s.Store.Profile(ctx, of); err != nil {
		return o, err
	}
	o.NoAddress = strings.TrimSpace(either(o.Profile.Address, buyer.Address)) == ""
	choices, err := s.Store.Choices(ctx, of)
	if err != nil {
		return o, err
	}
	o.Overage = overageAt(choices, s.now())
	if o.Period, err = s.Store.ActiveOf(ctx, of); err != nil {
		if fault.Of(err).Kind == fault.NotFound {
			return o, nil
		}
		return o, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return o, err
	}
	now := s.now()
	buckets, err := s.Usage.Buckets(ctx, of, o.Period.From, o.Period.To)
	if err != nil {
		return o, err
	}
	if o.Draft, err = compute(book, o.Period, buckets, choices, earlier(now, o.Period.To)); err != nil {
		return o, err
	}
	o.Outlook, err = outlook(book, o.Period, buckets, o.Draft, now)
	return o, err
}

// outlook is how a period will end, of which d is what was drawn by its buckets, which are in the order of their hours.
func outlook(book pricing.Book, p Period, buckets []usage.Bucket, d Draft, now time.Time) (pricing.Outlook, error) {
	since := pricing.PaceSince(p.From, now)
	n := slices.IndexFunc(buckets, func(b usage.Bucket) bool { return !b.Hour.Before(since) })
	if n < 0 {
		n = len(buckets)
	}
	before, err := compute(book, p, buckets[:n], nil, now)
	if err != nil {
		return pricing.Outlook{}, err
	}
	pace := pricing.Pace{From: p.From, To: p.To, Now: now, Pool: d.Pool, Drawn: d.Drawn, Recent: d.Drawn - before.Drawn}
	return pace.Outlook(), nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Address is what an invoice says about its buyer, as typed.
type Address struct{ Name, Address, Country, VATID string }

// SetAddress keeps what invoices say about a customer from now on.
func (s *Service) SetAddress(ctx context.Context, of account.CustomerID, a Address, by audit.Actor) error {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return err
	}
	a.Name, a.Country = strings.Join(strings.Fields(a.Name), " "), strings.ToUpper(strings.TrimSpace(a.Country))
	a.Address = strings.TrimSpace(strings.ReplaceAll(a.Address, "\r\n", "\n"))
	a.VATID = strings.ToUpper(strings.NewReplacer(" ", "", ".", "", "-", "").Replace(a.VATID))
	bad := map[string]string{}
	for field, text := range map[string]string{"name": a.Name, "address": a.Address} {
		if utf8.RuneCountInString(text) > 300 || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			bad[field] = "Write at most 300 characters."
		}
	}
	if a.Country != "" && !twoLetters(a.Country) {
		bad["country"] = "Write the two letters of the country, such as AT."
	}
	if a.VATID != "" && !CheckVATID(a.Country, a.VATID) {
		bad["vat_id"] = "This is no VAT id of that country. It begins with the letters of the country, such as ATU12345678."
	}
	if len(bad) > 0 {
		return fault.Bad(bad)
	}
	p, err := s.Store.Profile(ctx, of)
	if err != nil {
		return err
	}
	p.Name, p.Address, p.Country, p.VATID = a.Name, a.Address, a.Country, a.VATID
	return s.Store.SetProfile(ctx, p, *s.entry(of, by, "billing.address", string(of), nil))
}

func twoLetters(s string) bool {
	return len(s) == 2 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z'
}

// foundingMonths is how long somebody is a founding member.
const foundingMonths = 12

// Found makes a customer a founding member for twelve months: periods that begin meanwhile have the pool so many times.
func (s *Service) Found(ctx context.Context, of account.CustomerID, multiplier int64, by audit.Actor) error {
	if multiplier < 2 || multiplier > 10 {
		return fault.Bad(map[string]string{"multiplier": "Write a number from 2 to 10."})
	}
	return s.founding(ctx, of, by, "billing.founding", func(p *Profile, now time.Time) {
		p.Multiplier, p.FoundingFrom, p.FoundingUntil = multiplier, now, now.AddDate(0, foundingMonths, 0)
	})
}

// EndFounding ends that a customer is a founding member. The period that runs keeps its pool.
func (s *Service) EndFounding(ctx context.Context, of account.CustomerID, by audit.Actor) error {
	return s.founding(ctx, of, by, "billing.founding_end", func(p *Profile, _ time.Time) {
		p.Multiplier, p.FoundingFrom, p.FoundingUntil = 1, time.Time{}, time.Time{}
	})
}

func (s *Service) founding(ctx context.Context, of account.CustomerID, by audit.Actor, action string, set func(*Profile, time.Time)) error {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return err
	}
	p, err := s.Store.Profile(ctx, of)
	if err != nil {
		return err
	}
	set(&p, s.now())
	return s.Store.SetProfile(ctx, p, *s.entry(of, by, action, string(of), nil))
}

// Sum is what a customer pays for tokens of a period beyond the plan, without tax.
func (d Draft) Sum(kind LineKind) (sum pricing.Cents) {
	for _, l := range d.Lines {
		if l.Kind == kind {
			sum += l.Net
		}
	}
	return sum
}
