package pricing

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"gatehouse/app/fault"
)

// maxCents, maxPool, maxPrice and maxRate are more than anybody would mean: a slip of the finger stops here.
const (
	maxCents = 1_000_000_00
	maxPool  = 1_000_000_000_000
	maxPrice = 10_000_000_000 // $10,000 a million tokens
	maxRate  = 100_000_000
	maxName  = 200
)

var (
	errName  = fault.Bad(map[string]string{"name": "Write a name of 1 to 200 characters."})
	errValue = fault.Bad(map[string]string{"value": "One of the figures is missing, negative or far too large."})
)

// Check says whether an entry of plans, models, markups, weights or rates can be added.
func (e Entry) Check() error {
	named := e.Kind == KindPlan || e.Kind == KindModel || e.Kind == KindRate
	if n := utf8.RuneCountInString(e.Name); named != (n > 0) || n > maxName || strings.TrimSpace(e.Name) != e.Name {
		return errName
	}
	ok := false
	switch e.Kind {
	case KindPlan:
		var p PlanPrice
		_, known := Find(PlanID(e.Name))
		ok = known == nil && strict(e.Value, &p) && p.Name != "" && within(int64(p.Monthly), 0, maxCents) && within(p.Pool, 0, maxPool)
	case KindModel:
		var m ModelPrice
		ok = strict(e.Value, &m) && m.check()
	case KindMarkups:
		var m Markups
		ok = strict(e.Value, &m) && m.Premium.Check() == nil && m.Overage.Check() == nil
	case KindWeights:
		var w Weights
		ok = strict(e.Value, &w) && w.Check() == nil
	case KindRate:
		var r Rate
		ok = e.Name == "USD" && strict(e.Value, &r) && within(int64(r), 1, maxRate)
	}
	if !ok {
		return errValue
	}
	return nil
}

func (m ModelPrice) check() bool {
	for _, n := range [...]int64{m.Input, m.Output, m.CacheRead, m.CacheWrite} {
		if !within(n, 0, maxPrice) {
			return false
		}
	}
	return m.Class == Included || m.Class == Premium || m.Class == Unlisted
}

func within(n, from, to int64) bool { return n >= from && n <= to }

// strict reads a value, and nothing that v does not know.
func strict(b []byte, v any) bool {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v) == nil
}
