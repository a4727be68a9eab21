package pricing

import (
	"math/big"
	"time"
)

// Prorate is the part of an amount, or of a pool, that falls on part of a whole time, by seconds, rounded half up. The whole of it is
// the amount itself.
func Prorate(amount int64, part, whole time.Duration) (int64, error) {
	p, w := int64(part/time.Second), int64(whole/time.Second)
	if amount < 0 || p < 0 || w <= 0 || p > w {
		return 0, ErrTooMuch
	}
	return halfUp(new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(amount), big.NewInt(p)), big.NewInt(w)))
}

// Tax is the tax on a net amount, in hundredths of a percent, rounded half up.
func Tax(net Cents, basisPoints int64) (Cents, error) {
	if net < 0 || basisPoints < 0 {
		return 0, ErrTooMuch
	}
	n := new(big.Int).Mul(big.NewInt(int64(net)), big.NewInt(basisPoints))
	tax, err := halfUp(new(big.Rat).SetFrac(n, big.NewInt(10_000)))
	return Cents(tax), err
}
