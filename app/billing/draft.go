package billing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
)

// Usage is what meters counted; db.Usage has it.
type Usage interface {
	// Buckets are those of a customer whose hour is in [from, to), always in the same order.
	Buckets(ctx context.Context, of account.CustomerID, from, to time.Time) ([]usage.Bucket, error)
	// BucketsOf are the Buckets of each of some hours, in their order.
	BucketsOf(ctx context.Context, all []Hours) ([][]usage.Bucket, error)
	// UpTo is until when all that was used is known; the zero time before the customer's server has told.
	UpTo(ctx context.Context, of account.CustomerID) (time.Time, error)
}

// Draft is what a period comes to, as far as usage is known.
type Draft struct {
	Lines   []Line
	Held    []string // what keeps amounts from being known, in words for our staff; none: all are
	Pool    int64    // tokens of the period
	Drawn   int64    // tokens that were drawn on it, also beyond; rounded down
	Partial bool     // some usage could not be added up: more is drawn
	Over    int64    // tokens beyond the pool that are not charged, because the team is to pause
	Uses    int64    // tokens of all kinds that are the operator's to charge
}

// Net is the sum of the lines.
func (d Draft) Net() (sum pricing.Cents) {
	for _, l := range d.Lines {
		sum += l.Net
	}
	return sum
}

// sheet adds up one period.
type sheet struct {
	book    pricing.Book
	weights pricing.Weights // as the period began: what was drawn stays drawn, and the server counts alike
	period  Period
	choices []Choice
	pool    int64 // in thousandths, as drawn
	drawn   int64
	draft   Draft
	groups  map[group]*pricing.Tokens
	held    map[string]bool
}

// group is usage that is charged alike, and so one line.
type group struct {
	kind   LineKind
	model  string
	base   pricing.Prices
	markup int64
	filled string
}

// compute adds up a period: the plan, and what was used by the buckets, at the prices of book and the rate of rateAt.
func compute(book pricing.Book, p Period, buckets []usage.Bucket, choices []Choice, rateAt time.Time) (Draft, error) {
	s, err := newSheet(book, p, choices)
	if err != nil {
		return Draft{}, err
	}
	for _, b := range buckets {
		if err := s.tally(b); err != nil {
			return Draft{}, err
		}
	}
	if err := s.meter(rateAt); err != nil {
		return Draft{}, err
	}
	for why := range s.held {
		s.draft.Held = append(s.draft.Held, why)
	}
	slices.Sort(s.draft.Held)
	s.draft.Drawn = s.drawn / 1000
	return s.draft, nil
}

// tally adds what of a bucket is the operator's to charge. What cannot be right is not counted, and holds the invoice.
func (s *sheet) tally(b usage.Bucket) error {
	if !b.Key.Charged() {
		return nil
	}
	err := s.add(b)
	if errors.Is(err, pricing.ErrTooMuch) {
		s.held[tooMuch], s.draft.Partial = true, true
		return nil
	}
	if err != nil {
		return fmt.Errorf("bucket of %s, %s: %w", b.Hour.Format(time.RFC3339), b.Model, err)
	}
	return nil
}

// newSheet is a period in which nothing was used.
func newSheet(book pricing.Book, p Period, choices []Choice) (*sheet, error) {
	s := &sheet{book: book, period: p, choices: choices, groups: map[group]*pricing.Tokens{}, held: map[string]bool{}}
	if err := s.plans(); err != nil {
		return nil, err
	}
	var err error
	s.weights, err = book.Weights(p.From)
	return s, err
}

// tooMuch is said of counts and amounts that cannot be right. What is not counted because of them never becomes an invoice.
const tooMuch = "Its usage comes to more than can be right: look at the server of the customer."

// mostNet is more than a month can come to.
const mostNet pricing.Cents = 100_000_000_00

// plans adds a line for each span, and its part of the pool.
func (s *sheet) plans() error {
	p := s.period.trimmed()
	whole := p.FullTo.Sub(p.From)
	for i, span := range p.Plans {
		to := p.To
		if i+1 < len(p.Plans) {
			to = p.Plans[i+1].From
		}
		net, err := pricing.Prorate(int64(span.Monthly), to.Sub(span.From), whole)
		if err != nil {
			return fmt.Errorf("plan %s: %w", span.Plan, err)
		}
		pool, err := pricing.Prorate(span.Pool, to.Sub(span.From), whole)
		if err != nil || pool > math.MaxInt64/1000/100 {
			return fmt.Errorf("pool of plan %s: %w", span.Plan, cmp.Or(err, pricing.ErrTooMuch))
		}
		s.draft.Lines = append(s.draft.Lines, Line{
			Kind: LinePlan, Plan: span.Name, From: span.From, To: to, Net: pricing.Cents(net), Times: p.Multiplier,
			Pool: pool * p.Multiplier,
		})
		s.draft.Pool += pool * p.Multiplier
	}
	s.pool = s.draft.Pool * 1000
	return nil
}

// add adds one bucket.
func (s *sheet) add(b usage.Bucket) error {
	price, filled, err := s.book.ModelSoon(b.Model, b.Hour)
	if errors.Is(err, pricing.ErrNoPrice) {
		s.held["No price of the model "+b.Model+" is kept."], s.draft.Partial = true, true
		return nil
	}
	if err != nil {
		return err
	}
	markups, err := s.book.Markups(b.Hour)
	if err != nil {
		return err
	}
	tokens := pricing.Tokens{Input: b.Input, Output: b.Output, CacheRead: b.CacheRead, CacheWrite: b.CacheWrite}
	if !s.fits(tokens) {
		return pricing.ErrTooMuch
	}
	s.draft.Uses += tokens.All()
	use := pricing.Use{Tokens: tokens, Searches: b.Searches, Fetches: b.Fetches}
	if price.Class == pricing.Premium {
		s.group(group{LinePremium, b.Model, price.Prices, markups.Premium.Percent(price.Prices), dayOf(filled)}, tokens)
		use.Tokens = pricing.Tokens{} // what it searched and fetched still draws on the pool
	}
	drawn, err := s.weights.Drawn(use)
	if err != nil || drawn > math.MaxInt64-s.drawn {
		return cmp.Or(err, pricing.ErrTooMuch)
	}
	over := pricing.Beyond(use.Tokens, drawn, s.pool-s.drawn)
	s.drawn += drawn
	if overageIn(s.choices, b.Hour) {
		s.group(group{LineOverage, b.Model, price.Prices, markups.Overage.Percent(price.Prices), dayOf(filled)}, over)
		return nil
	}
	s.draft.Over += over.All()
	return nil
}

// fits says whether all counts so far and more can be added up.
func (s *sheet) fits(t pricing.Tokens) bool {
	left := math.MaxInt64 - s.draft.Uses
	for _, n := range [...]int64{t.Input, t.Output, t.CacheRead, t.CacheWrite} {
		if n < 0 || n > left {
			return false
		}
		left -= n
	}
	return true
}

// dayOf is a day as lines keep it; empty for the zero time.
func dayOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}

func (s *sheet) group(g group, t pricing.Tokens) {
	if t == (pricing.Tokens{}) {
		return
	}
	if s.groups[g] == nil {
		s.groups[g] = &pricing.Tokens{}
	}
	*s.groups[g] = s.groups[g].Plus(t)
}

// meter makes a line of each group.
func (s *sheet) meter(rateAt time.Time) error {
	if len(s.groups) == 0 {
		return nil
	}
	rate, day, err := s.book.Rate(rateAt)
	if errors.Is(err, pricing.ErrNoPrice) {
		s.held["No exchange rate of the week before "+rateAt.UTC().Format(time.DateOnly)+", or since, is kept."] = true
		return nil
	}
	if err != nil {
		return err
	}
	var lines []Line
	for g, tokens := range s.groups {
		net, err := pricing.Charge(*tokens, g.base, g.markup, rate)
		if errors.Is(err, pricing.ErrTooMuch) || net > mostNet {
			s.held[tooMuch] = true
			continue
		}
		if err != nil {
			return fmt.Errorf("charge %s: %w", g.model, err)
		}
		lines = append(lines, Line{
			Kind: g.kind, Model: g.model, From: s.period.From, To: s.period.To, Net: net,
			Metered: &Metered{Tokens: *tokens, Base: g.base, Markup: g.markup, Rate: rate, RateDay: dayOf(day), Filled: g.filled},
		})
	}
	slices.SortFunc(lines, func(a, b Line) int { return strings.Compare(a.key(), b.key()) })
	s.draft.Lines = append(s.draft.Lines, lines...)
	return nil
}

// key names what a metered line is about: two lines of a period with one key are about the same.
func (l Line) key() string {
	kind := l.Kind
	if kind == LineLate {
		kind = l.Late
	}
	return fmt.Sprintf("%s %s %v %d %s", kind, l.Model, l.Metered.Base, l.Metered.Markup, l.Metered.Filled)
}
