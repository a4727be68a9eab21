package chart

import (
	"strconv"
	"strings"
	"testing"
)

// TestBars_beside: parts stand beside each other from the line of zero, which is where something less begins.
func TestBars_beside(t *testing.T) {
	t.Parallel()
	euros := func(n int64) string { return strconv.FormatInt(n, 10) + " €" }
	b := Bars{
		Beside: true, ID: "b", Title: "Money", Parts: []string{"Cost", "Revenue", "Margin"}, Short: euros, Whole: euros,
		Bars: []Bar{{"May", []int64{100, 40, -60}}, {"June", []int64{0, 100, 100}}},
	}
	edges := func(i, n int) (from, to float64) {
		p := b.piece(i, n)
		top, err := strconv.ParseFloat(p.y, 64)
		high, err2 := strconv.ParseFloat(p.height, 64)
		if err != nil || err2 != nil || high < 0 {
			t.Fatalf("a piece: %+v", p)
		}
		return top, top + high
	}
	zero := b.at(0)
	if _, low := edges(0, 0); low != zero {
		t.Errorf("the cost stands on %v, zero is %v", low, zero)
	}
	if top, low := edges(0, 2); top != zero || low <= zero {
		t.Errorf("what is less than zero goes from %v to %v, zero is %v", top, low, zero)
	}
	if b.bottom() > -60 || b.top() < 100 || !strings.Contains(b.zero(), "H600") {
		t.Errorf("from %d to %d", b.bottom(), b.top())
	}
	if said := b.said(); !strings.Contains(said, "June. Cost: 0 €. Revenue: 100 €. Margin: 100 €") {
		t.Errorf("said: %s", said)
	}
	up := Bars{Parts: []string{"a", "b"}, Bars: []Bar{{"x", []int64{30, 70}}}, Whole: euros, Title: "T"}
	if up.bottom() != 0 || up.top() != 100 || up.said() != "T. x: 100 €" {
		t.Errorf("one on the other: from %d to %d, %s", up.bottom(), up.top(), up.said())
	}
}
