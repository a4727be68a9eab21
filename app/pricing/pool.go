package pricing

import (
	"errors"
	"math/big"
)

// Weights say how much of the pool a token draws, in thousandths of a token, and how many tokens a search or a fetch draws.
type Weights struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Search     int64 `json:"search"` // tokens for each search
	Fetch      int64 `json:"fetch"`  // tokens for each fetch
}

// Use is what was used of included models in some time.
type Use struct {
	Tokens
	Searches, Fetches int64
}

// thousandths is the unit of Weights.
const thousandths = 1000

// maxWeight keeps weights to what anybody would mean.
const maxWeight = 1_000_000

// Check says what is wrong with w.
func (w Weights) Check() error {
	for _, n := range [...]int64{w.Input, w.Output, w.CacheRead, w.CacheWrite, w.Search, w.Fetch} {
		if n < 0 || n > maxWeight {
			return errors.New("a weight is 0 to 1,000,000")
		}
	}
	return nil
}

// Drawn is what u draws on the pool, in thousandths of a token.
func (w Weights) Drawn(u Use) (int64, error) {
	sum := new(big.Int)
	for _, part := range [...][2]int64{
		{u.Input, w.Input},
		{u.Output, w.Output},
		{u.CacheRead, w.CacheRead},
		{u.CacheWrite, w.CacheWrite},
		{u.Searches, w.Search * thousandths},
		{u.Fetches, w.Fetch * thousandths},
	} {
		if part[0] < 0 || part[1] < 0 {
			return 0, ErrTooMuch
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
	}
	if !sum.IsInt64() {
		return 0, ErrTooMuch
	}
	return sum.Int64(), nil
}

// Beyond splits the tokens of u of which drawn thousandths are drawn and only left are in the pool: those beyond, each count rounded
// down, in the customer's favour.
func Beyond(t Tokens, drawn, left int64) Tokens {
	switch {
	case left >= drawn:
		return Tokens{}
	case left <= 0:
		return t
	}
	over, all := big.NewInt(drawn-left), big.NewInt(drawn)
	part := func(n int64) int64 {
		v := new(big.Int).Mul(big.NewInt(n), over)
		return v.Quo(v, all).Int64()
	}
	return Tokens{Input: part(t.Input), Output: part(t.Output), CacheRead: part(t.CacheRead), CacheWrite: part(t.CacheWrite)}
}

// Plus adds two counts.
func (t Tokens) Plus(o Tokens) Tokens {
	return Tokens{t.Input + o.Input, t.Output + o.Output, t.CacheRead + o.CacheRead, t.CacheWrite + o.CacheWrite}
}

// Minus is what is left of t without o.
func (t Tokens) Minus(o Tokens) Tokens {
	return Tokens{t.Input - o.Input, t.Output - o.Output, t.CacheRead - o.CacheRead, t.CacheWrite - o.CacheWrite}
}

// All are the tokens of t together.
func (t Tokens) All() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }
