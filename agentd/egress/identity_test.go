package egress

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/redact"
)

// TestIdentityKinds: in every shape of every kind of number there are numbers that hold, and beside the first word that
// names the kind one of them is found. No number of the shape may make its check fail.
func TestIdentityKinds(t *testing.T) {
	t.Parallel()
	s, r := Scanner{Secrets: redact.New()}, rand.New(rand.NewPCG(1, 2))
	for _, k := range identityKinds() {
		word := strings.TrimSuffix(strings.Split(k.words, "|")[0], "$")
		for _, shape := range spelledOut(k.form) {
			number := ""
			for range 3_000_000 {
				if n := random(r, shape); k.holds(bare(n)) && !placeholder(bare(n)) {
					number = n
					break
				}
			}
			if number == "" {
				t.Errorf("%s: no number of the shape %s holds", word, shape)
				continue
			}
			v := s.Scan(Outgoing{Channel: "mail", Recipient: "a@a.example", Text: "Her " + word + ": " + number + ", thank you."})
			if !slices.Contains(v.Findings, Finding{k.kind}) {
				t.Errorf("%s %s: got %v", word, number, v.Findings)
			}
		}
	}
}

// random gives a number of a shape.
func random(r *rand.Rand, shape string) string {
	return strings.Map(func(c rune) rune {
		switch c {
		case '9':
			return '0' + r.Int32N(10)
		case 'A':
			return 'A' + r.Int32N(26)
		}
		return c
	}, shape)
}
