package leakscan

import (
	"math/rand/v2"
	"strings"
)

// Canary is a secret that is planted to be looked for.
type Canary struct {
	Name  string
	Value string
}

// The signs that canaries are made of.
const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	alnum   = letters + "0123456789"
	signs   = alnum + "!#$%&*+-./:=?@^_~"
	special = `"\/<>&'` + "\t" + "{}"
	foreign = "äößéñçżłøåЖдяλπ漢字한語ü"
)

// Canaries makes one secret of each kind that breaks naive searching: long and random, short, of other scripts, of
// many lines, and full of what JSON, HTML and shells quote.
func Canaries(r *rand.Rand) []Canary {
	return []Canary{
		{"plain", pick(r, alnum, 24+r.IntN(17))},
		{"signs", pick(r, signs, 24+r.IntN(17))},
		{"short", pick(r, alnum, 10)},
		{"foreign", pick(r, foreign+letters, 24)},
		{"lines", strings.Join([]string{pick(r, alnum, 20), pick(r, alnum, 20), pick(r, alnum, 20)}, "\n")},
		{"special", pick(r, special+alnum, 28) + `"\` + pick(r, alnum, 4)},
	}
}

// pick draws n signs. Two blanks never meet, for who re-wraps a text may join them.
func pick(r *rand.Rand, from string, n int) string {
	runes := []rune(from)
	out := make([]rune, n)
	for i := range out {
		out[i] = runes[r.IntN(len(runes))]
		for i > 0 && out[i] == '\t' && out[i-1] == '\t' {
			out[i] = runes[r.IntN(len(runes))]
		}
	}
	return string(out)
}
