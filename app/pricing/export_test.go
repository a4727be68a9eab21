package pricing

import "math/big"

// MicroCents are millionths of a cent.
type MicroCents int64

// microsOfCent are how many of them make a cent.
const microsOfCent = 1_000_000

// ChargeMicro is Charge in millionths of a cent: for figures that are no line of an invoice.
func ChargeMicro(t Tokens, base Prices, markup int64, rate Rate) (MicroCents, error) {
	r, err := exact(t, base, markup, rate)
	if err != nil {
		return 0, err
	}
	n, err := halfUp(r.Mul(r, new(big.Rat).SetInt64(microsOfCent)))
	return MicroCents(n), err
}

// FirstWeights are the weights that a new hub begins with. What is read from a cache costs about a tenth of what is sent anew, so it
// draws a tenth; everything else draws what it is.
func FirstWeights() Weights {
	return Weights{Input: 1000, Output: 1000, CacheRead: 100, CacheWrite: 1000, Search: 2000, Fetch: 1000}
}
