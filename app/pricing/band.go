package pricing

import (
	"errors"
	"fmt"
	"math/big"
)

// Band is a markup that holds up to a blended cost.
type Band struct {
	To       int64 `json:"to"`       // USD micros per million tokens; 0: without end, the last band alone
	Includes bool  `json:"includes"` // To itself belongs to this band, else to the next
	Percent  int64 `json:"percent"`
}

// Bands are the markups of models by their blended cost, from the cheapest on.
type Bands []Band

// Markups are what is added to what models cost us.
type Markups struct {
	Premium Bands `json:"premium"` // models that never draw on the pool
	Overage Bands `json:"overage"` // included models beyond the pool
}

// FirstMarkups are the markups that a new hub begins with.
func FirstMarkups() Markups {
	return Markups{
		Premium: Bands{{1_000_000, false, 25}, {5_000_000, false, 15}, {15_000_000, true, 10}, {0, false, 8}},
		Overage: Bands{{500_000, false, 35}, {1_200_000, true, 25}, {0, false, 20}},
	}
}

// Percent is the markup on a model with these prices.
func (b Bands) Percent(p Prices) int64 {
	cost := p.blended()
	for _, band := range b {
		at := cost.Cmp(new(big.Rat).SetInt64(band.To))
		if band.To == 0 || at < 0 || at == 0 && band.Includes {
			return band.Percent
		}
	}
	return 0 // Check lets no such bands through
}

// maxPercent is the largest markup that anybody would mean.
const maxPercent = 1000

// Check says what is wrong with b: bands must rise, end with one without end, and hold markups of 0 to 1,000 %.
func (b Bands) Check() error {
	if len(b) == 0 || b[len(b)-1].To != 0 {
		return errors.New("the last band must be without end")
	}
	var before int64
	for i, band := range b {
		if band.Percent < 0 || band.Percent > maxPercent {
			return fmt.Errorf("band %d: a markup is 0 to %d %%", i+1, maxPercent)
		}
		if i < len(b)-1 && band.To <= before {
			return fmt.Errorf("band %d must end above the one before", i+1)
		}
		before = band.To
	}
	return nil
}
