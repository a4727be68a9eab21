package pricing

import "math/big"

// How many of one thing make another.
const (
	million       = 1_000_000 // tokens to a price, micros to a unit
	microsPerCent = 10_000    // millionths of a euro
)

// Charge is what a customer pays for tokens of a model: their cost at base, with a markup in percent, in euros at rate. Nothing is
// rounded before the end, where half a cent is rounded up: once for a line.
func Charge(t Tokens, base Prices, markup int64, rate Rate) (Cents, error) {
	r, err := exact(t, base, markup, rate)
	if err != nil {
		return 0, err
	}
	n, err := halfUp(r)
	return Cents(n), err
}

// exact is a charge in cents.
func exact(t Tokens, base Prices, markup int64, rate Rate) (*big.Rat, error) {
	if markup < 0 || rate < 0 {
		return nil, ErrTooMuch
	}
	sum := new(big.Int)
	for _, part := range [...][2]int64{
		{t.Input, base.Input}, {t.Output, base.Output}, {t.CacheRead, base.CacheRead}, {t.CacheWrite, base.CacheWrite},
	} {
		if part[0] < 0 || part[1] < 0 {
			return nil, ErrTooMuch
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
	}
	sum.Mul(sum, big.NewInt(100+markup))
	sum.Mul(sum, big.NewInt(int64(rate)))
	whole := new(big.Int).SetInt64(million)     // tokens to a price
	whole.Mul(whole, big.NewInt(100))           // percent
	whole.Mul(whole, big.NewInt(million))       // micros of the rate
	whole.Mul(whole, big.NewInt(microsPerCent)) // micros of a dollar that became micros of a euro
	return new(big.Rat).SetFrac(sum, whole), nil
}

// Marked is a price per million tokens with a markup in percent, in USD micros, rounded half up: for showing. Charge rounds nothing
// before the end.
func Marked(price, markup int64) (int64, error) {
	if price < 0 || markup < 0 {
		return 0, ErrTooMuch
	}
	n := new(big.Int).Mul(big.NewInt(price), new(big.Int).Add(big.NewInt(100), big.NewInt(markup)))
	return halfUp(new(big.Rat).SetFrac(n, big.NewInt(100)))
}
