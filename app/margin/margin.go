package margin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

// Micros are millionths of a euro.
type Micros int64

// Cents rounds to cents, half up.
func (m Micros) Cents() pricing.Cents {
	const perCent = 10_000
	if m < 0 {
		return -(-m).Cents()
	}
	return pricing.Cents((m + perCent/2) / perCent)
}

// Use is what one agent of a customer used of one model in a month with the operator's key, and what that cost.
type Use struct {
	Customer, Name string
	Agent, Model   string
	Requests       int64
	Tokens         int64
	Unpriced       int64 // among Tokens: their price or the exchange rate of the day is not kept
	Cost           Micros
}

// Revenue is what was invoiced to a customer in a month, less what was credited, without tax.
type Revenue struct {
	Customer, Name string
	Net            pricing.Cents
}

// Price is what a million tokens of a model cost on a day, and the rate of that day.
type Price struct {
	Day   time.Time
	Model string
	pricing.Prices

	Rate pricing.Rate
}

// Store adds up; db.Margins does.
type Store interface {
	// Used adds up what was used with the operator's key in [from, to).
	Used(ctx context.Context, from, to time.Time, prices []Price) ([]Use, error)
	// Invoiced adds up what was invoiced and credited in [from, to).
	Invoiced(ctx context.Context, from, to time.Time) ([]Revenue, error)
	// Totals adds up both for each month (UTC) of [from, to) that has either, the oldest first.
	Totals(ctx context.Context, from, to time.Time, prices []Price) ([]Total, error)
}

// Books has the price book; billing.Service does.
type Books interface {
	Book(ctx context.Context) (pricing.Book, error)
}

// Sum is what a customer or a model cost and brought in.
type Sum struct {
	ID       string // of a customer; empty for models
	Name     string
	Requests int64
	Tokens   int64
	Unpriced int64
	Cost     Micros
	Revenue  pricing.Cents
}

// Margin is what is left of the revenue, in cents.
func (s Sum) Margin() pricing.Cents { return s.Revenue - s.Cost.Cents() }

func (s Sum) with(u Use) Sum {
	s.Requests, s.Tokens, s.Unpriced, s.Cost = s.Requests+u.Requests, s.Tokens+u.Tokens, s.Unpriced+u.Unpriced, s.Cost+u.Cost
	return s
}

// Month is how a month of all customers stands. Models have no revenue of their own: plans are sold, not models.
type Month struct {
	From, To  time.Time // UTC
	Running   bool      // it is not over: all of it is still changing
	Total     Sum
	Customers []Sum
	Models    []Sum // those with the highest cost first
	Agents    []Outlier
}

// Service says how months stand.
type Service struct {
	Store Store
	Books Books
	Now   func() time.Time
}

// longAgo is how many months back one can look: usage is kept so long.
const longAgo = 13

// Month says how the month around a moment stands, in UTC.
func (s *Service) Month(ctx context.Context, at time.Time) (m Month, err error) {
	now := s.Now().UTC()
	m.From = monthOf(at)
	m.To = m.From.AddDate(0, 1, 0)
	if m.From.After(now) || m.To.Before(now.AddDate(0, -longAgo, 0)) {
		return m, fault.Bad(map[string]string{"month": "Choose this month, or one of the thirteen before it."})
	}
	m.Running = m.To.After(now)
	prices, err := s.prices(ctx, m.From, earlier(m.To, now))
	if err != nil {
		return m, err
	}
	used, err := s.Store.Used(ctx, m.From, m.To, prices)
	if err != nil {
		return m, err
	}
	revenue, err := s.Store.Invoiced(ctx, m.From, m.To)
	if err != nil {
		return m, err
	}
	m.Total, m.Customers, m.Models = sums(used, revenue)
	m.Agents = Outliers(used)
	return m, nil
}

// At reads a month as it stands in an address, such as 2026-11. None is the present one.
func (s *Service) At(month string) (time.Time, error) {
	if month == "" {
		return s.Now(), nil
	}
	at, err := time.Parse("2006-01", month)
	if err != nil {
		return at, fault.Bad(map[string]string{"month": "Write a month as in 2026-11."})
	}
	return at, nil
}

// monthOf is when the month (UTC) of a moment began.
func monthOf(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// prices are pricesOf the price book as it is now.
func (s *Service) prices(ctx context.Context, from, to time.Time) ([]Price, error) {
	book, err := s.Books.Book(ctx)
	if err != nil {
		return nil, err
	}
	return pricesOf(book, from, to)
}

// pricesOf are the prices of all models on each day until to: those that held at its end. A model that is not sold costs too.
func pricesOf(book pricing.Book, from, to time.Time) (all []Price, err error) {
	names := book.Names(pricing.KindModel)
	for day := from; day.Before(to); day = day.AddDate(0, 0, 1) {
		end := earlier(day.AddDate(0, 0, 1).Add(-time.Second), to)
		rate, _, err := book.Rate(end)
		if errors.Is(err, pricing.ErrNoPrice) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			var p pricing.ModelPrice
			_, err := book.Read(pricing.KindModel, name, end, &p)
			if errors.Is(err, pricing.ErrNoPrice) {
				continue
			}
			if err != nil {
				return nil, err
			}
			all = append(all, Price{Day: day, Model: name, Prices: p.Prices, Rate: rate})
		}
	}
	return all, nil
}

// sums adds up what was used and invoiced.
func sums(used []Use, revenue []Revenue) (total Sum, customers, models []Sum) {
	ofCustomer, ofModel := map[string]Sum{}, map[string]Sum{}
	for _, u := range used {
		total = total.with(u)
		c := ofCustomer[u.Customer].with(u)
		c.ID, c.Name = u.Customer, u.Name
		ofCustomer[u.Customer] = c
		m := ofModel[u.Model].with(u)
		m.Name = u.Model
		ofModel[u.Model] = m
	}
	for _, r := range revenue {
		total.Revenue += r.Net
		c := ofCustomer[r.Customer]
		c.ID, c.Name, c.Revenue = r.Customer, r.Name, c.Revenue+r.Net
		ofCustomer[r.Customer] = c
	}
	for _, c := range ofCustomer {
		customers = append(customers, c)
	}
	for _, m := range ofModel {
		models = append(models, m)
	}
	return total, Sorted(customers, "-cost"), Sorted(models, "-cost")
}

// Found are those whose name has the text, in letters of either case; an empty text finds all.
func Found(all []Sum, text string) (found []Sum) {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, s := range all {
		if strings.Contains(strings.ToLower(s.Name), text) {
			found = append(found, s)
		}
	}
	return found
}

// Sorted orders sums by name, tokens, cost, revenue or margin, with "-" in front for the largest first. An order that is none is
// "-cost".
func Sorted(all []Sum, by string) []Sum {
	of := map[string]func(a, b Sum) int{
		"name":    func(a, b Sum) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) },
		"tokens":  func(a, b Sum) int { return cmp.Compare(a.Tokens, b.Tokens) },
		"cost":    func(a, b Sum) int { return cmp.Compare(a.Cost, b.Cost) },
		"revenue": func(a, b Sum) int { return cmp.Compare(a.Revenue, b.Revenue) },
		"margin":  func(a, b Sum) int { return cmp.Compare(a.Margin(), b.Margin()) },
	}
	key, down := strings.CutPrefix(by, "-")
	order, ok := of[key]
	if !ok {
		order, down = of["cost"], true
	}
	slices.SortFunc(all, func(a, b Sum) int {
		n := order(a, b)
		if down {
			n = -n
		}
		return cmp.Or(n, cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return all
}
