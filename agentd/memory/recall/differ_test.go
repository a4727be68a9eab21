package recall_test

import (
	"testing"

	"gatehouse/agentd/memory/recall"
)

func TestDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"The shop opens at 9 on Saturdays", "The shop opens at 10 on Saturdays", true},
		{"Our accountant is called Kranich", "Our accountant is called Falke", true},
		{"We never give discounts to anybody", "We give discounts to anybody", true},
		{"Wir geben keinen Rabatt auf Torten", "Wir geben 10 Prozent Rabatt auf Torten", true},
		{"The shop opens at 9 on Saturdays", "The shop opens at 9 on a Saturday", false},
		{"The shop opens at 9 on Saturdays", "On Saturdays the shop opens at 9, Mara has the key", false},
		{"The shop opens at 9 on Saturdays", "The bakery on the corner sells bread", false},
		{"", "", false},
	} {
		if got := recall.Differs(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %v", c.a, c.b, got)
		}
		if got := recall.Differs(c.b, c.a); got != c.want {
			t.Errorf("%q, %q: %v", c.b, c.a, got)
		}
	}
}
