package rates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
)

// Published is a rate as the bank answers it.
type Published struct {
	Day  time.Time // midnight UTC
	Rate pricing.Rate
}

// ErrUnreadable says that an answer is no table of rates, or lacks the dollar.
var ErrUnreadable = errors.New("no table of exchange rates")

// Bank publishes rates; app/provider/ecb asks it.
type Bank interface {
	// Latest is the newest rate. An answer that is none is ErrUnreadable.
	Latest(ctx context.Context) (Published, error)
}

// Prices is the price book; billing.Service has it.
type Prices interface {
	Book(ctx context.Context) (pricing.Book, error)
	AddPrice(ctx context.Context, e pricing.Entry, by audit.Actor) error
}

// Problem is why a look brought no rate: stored in rows, never rename.
type Problem string

// The problems; empty is none.
const (
	Unreachable Problem = "unreachable"
	Unreadable  Problem = "unreadable"
	Old         Problem = "old"
	Odd         Problem = "odd" // too far off the last rate to be believed
)

// Look is how the last look went; the zero value: there was none.
type Look struct {
	Since   time.Time // of the first one
	At      time.Time
	Day     time.Time // of the rate that was answered last; zero: never one
	Problem Problem
	Offered pricing.Rate // of an odd answer
	Alert   bool         // somebody has to see to it
}

// Store keeps the last look; db.RateLooks does.
type Store interface {
	Look(ctx context.Context) (Look, error)
	Keep(ctx context.Context, l Look) error
}

// Source is whose name stands beside the rates that come by themselves.
const Source = "ECB"

const (
	again    = time.Hour          // between two looks for the same rate
	life     = 7 * 24 * time.Hour // what is older is of no use
	farOff   = 5                  // a rate that differs by more than a fifth is not believed
	mostGone = 3                  // working days without a rate after which somebody is told
)

// Service looks for rates.
type Service struct {
	Prices Prices
	Store  Store
	Bank   Bank
	On     func() bool // whether rates come by themselves
	Now    func() time.Time
}

// State is what the page of prices says about where rates come from.
type State struct {
	On   bool
	Last Look
	Next time.Time // when the next rate is looked for
}

// State says how it stands.
func (s *Service) State(ctx context.Context) (State, error) {
	l, err := s.Store.Look(ctx)
	if err != nil {
		return State{}, err
	}
	book, err := s.Prices.Book(ctx)
	st := State{On: s.On(), Last: l, Next: following(s.Now())}
	if !has(book, s.Now()) {
		st.Next = later(l.At.Add(again), s.Now())
	}
	return st, err
}

// Due looks for a rate when one has been published that the book does not have: at most once an hour. A look that fails is kept, not
// returned as an error: the rates of a week still do.
func (s *Service) Due(ctx context.Context) (done int, err error) {
	l, err := s.Store.Look(ctx)
	if err != nil {
		return 0, err
	}
	book, err := s.Prices.Book(ctx)
	if err != nil {
		return 0, err
	}
	if !s.On() || has(book, s.Now()) {
		if l.Alert || l.Problem != "" {
			l.Alert, l.Problem, l.Offered = false, "", 0
			return 0, s.Store.Keep(ctx, l)
		}
		return 0, nil
	}
	if s.Now().Sub(l.At) < again {
		return 0, nil
	}
	stored, err := s.look(ctx, book, l)
	if stored {
		done = 1
	}
	return done, err
}

// Fetch looks for a rate now, whatever is due, and answers how that went.
func (s *Service) Fetch(ctx context.Context, by audit.Actor) (Look, error) {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return Look{}, err
	}
	l, err := s.Store.Look(ctx)
	if err != nil {
		return l, err
	}
	book, err := s.Prices.Book(ctx)
	if err != nil {
		return l, err
	}
	if _, err := s.look(ctx, book, l); err != nil {
		return l, err
	}
	return s.Store.Look(ctx)
}

// look asks the bank, stores what it says if that is new and believed, and keeps how it went.
func (s *Service) look(ctx context.Context, book pricing.Book, l Look) (stored bool, err error) {
	now := s.Now().UTC().Truncate(time.Microsecond)
	p, failed := s.Bank.Latest(ctx)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	l.At, l.Offered = now, 0
	if l.Since.IsZero() {
		l.Since = now
	}
	if l.Problem = judge(book, p, failed, now); l.Problem == Odd {
		l.Offered = p.Rate
	}
	if failed == nil {
		l.Day = p.Day
	}
	if l.Problem == "" && !entered(book, p.Day) {
		err := s.add(ctx, p)
		if err != nil && !errors.Is(err, billing.ErrPast) { // our staff entered one in this moment
			return false, err
		}
		stored = err == nil
	}
	l.Alert = l.Problem == Odd || l.gone(book, now) >= mostGone
	return stored, s.Store.Keep(ctx, l)
}

// gone is how many working days there has been no rate, counted from the first look where there never was one.
func (l Look) gone(book pricing.Book, now time.Time) int {
	from := lastDay(book, now)
	if l.Problem == "" && l.Day.After(from) {
		from = l.Day
	}
	if from.Before(l.Since) {
		from = dayOf(l.Since)
	}
	return missing(from, newest(now))
}

// add stores a rate as our staff would.
func (s *Service) add(ctx context.Context, p Published) error {
	v, err := json.Marshal(p.Rate)
	if err != nil {
		return fmt.Errorf("rate: %w", err)
	}
	return s.Prices.AddPrice(ctx, pricing.Entry{
		Kind: pricing.KindRate, Name: "USD", Value: v, ValidFrom: p.Day, Reason: "eurofxref " + p.Day.Format(time.DateOnly),
	}, audit.Actor{Kind: audit.System, Name: Source})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// judge says what is wrong about an answer.
func judge(book pricing.Book, p Published, failed error, now time.Time) Problem {
	switch {
	case errors.Is(failed, ErrUnreadable):
		return Unreadable
	case failed != nil:
		return Unreachable
	case p.Day.After(now) || p.Rate <= 0:
		return Unreadable
	case now.Sub(p.Day) > life:
		return Old
	case !entered(book, p.Day) && odd(book, p.Rate, now):
		return Odd
	}
	return ""
}

// odd says whether a rate is too far off the last one. The first of all is believed.
func odd(book pricing.Book, r pricing.Rate, now time.Time) bool {
	var last pricing.Rate
	if _, err := book.Read(pricing.KindRate, "USD", now, &last); err != nil {
		return false
	}
	return max(r-last, last-r)*farOff > last
}

// entered says whether the book has a rate for that day, whoever entered it.
func entered(book pricing.Book, day time.Time) bool {
	for _, e := range book.Of(pricing.KindRate, "USD") {
		if dayOf(e.ValidFrom).Equal(day) {
			return true
		}
	}
	return false
}

// has says whether the book has the newest rate that was published by now.
func has(book pricing.Book, now time.Time) bool { return !lastDay(book, now).Before(newest(now)) }

// lastDay is the day of the rate that holds; zero when there is none.
func lastDay(book pricing.Book, now time.Time) time.Time {
	e, ok := book.At(pricing.KindRate, "USD", now)
	if !ok {
		return time.Time{}
	}
	return dayOf(e.ValidFrom)
}
