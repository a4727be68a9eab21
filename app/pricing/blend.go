package pricing

import "math/big"

// Blended is what a million tokens of a model cost when 60 % of them are input and 40 % output, in USD micros, rounded half up. Which
// band holds is decided before rounding.
func (p Prices) Blended() int64 {
	n, _ := halfUp(p.blended())
	return n
}

// blended is Blended before rounding.
func (p Prices) blended() *big.Rat {
	sum := new(big.Int).Mul(big.NewInt(3), big.NewInt(p.Input))
	sum.Add(sum, new(big.Int).Mul(big.NewInt(2), big.NewInt(p.Output)))
	return new(big.Rat).SetFrac(sum, big.NewInt(5))
}
