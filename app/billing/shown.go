package billing

import (
	"context"
	"errors"

	"gatehouse/app/pricing"
)

// Extra is what a million tokens of a premium model cost the customer now, markup included, before tax.
type Extra struct{ Input, Output pricing.Cents }

// Premium says what a premium model costs now; false when its price or the exchange rate is not known, so that nobody could be
// charged for it.
func (s *Service) Premium(ctx context.Context, model string) (Extra, bool, error) {
	book, err := s.Store.Book(ctx)
	if err != nil {
		return Extra{}, false, err
	}
	now := s.now()
	price, err1 := book.Model(model, now)
	rate, _, err2 := book.Rate(now)
	markups, err3 := book.Markups(now)
	if err := errors.Join(err1, err2, err3); err != nil || price.Class != pricing.Premium {
		if errors.Is(err, pricing.ErrNoPrice) {
			err = nil
		}
		return Extra{}, false, err
	}
	var x Extra
	markup := markups.Premium.Percent(price.Prices)
	x.Input, err1 = pricing.Charge(pricing.Tokens{Input: million}, price.Prices, markup, rate)
	x.Output, err2 = pricing.Charge(pricing.Tokens{Output: million}, price.Prices, markup, rate)
	return x, true, errors.Join(err1, err2)
}

// million is how many tokens prices are shown for.
const million = 1_000_000

// OverageMarkups are the markups, in percent, that are added to what a model costs beyond the pool, cheapest models first.
func (s *Service) OverageMarkups(ctx context.Context) ([]int64, error) {
	book, err := s.Store.Book(ctx)
	if err != nil {
		return nil, err
	}
	m, err := book.Markups(s.now())
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, band := range m.Overage {
		out = append(out, band.Percent)
	}
	return out, nil
}
