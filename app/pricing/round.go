package pricing

import (
	"errors"
	"math/big"
)

// ErrTooMuch says that an amount or a count does not fit, or is negative: no real one is.
var ErrTooMuch = errors.New("an amount or a count is negative or too large")

// halfUp rounds what is not negative to the nearest whole number, a half upward.
func halfUp(r *big.Rat) (int64, error) {
	if r.Sign() < 0 {
		return 0, ErrTooMuch
	}
	twice := new(big.Int).Lsh(r.Num(), 1)
	twice.Add(twice, r.Denom())
	n := twice.Quo(twice, new(big.Int).Lsh(r.Denom(), 1))
	if !n.IsInt64() {
		return 0, ErrTooMuch
	}
	return n.Int64(), nil
}
