package policy

import (
	"fmt"
	"time"
)

// Budgets are how much one run, with all that it delegates, may do before a person looks: a thousand small calls must
// not pass where one large call would be asked. Zero means the usual one.
type Budgets struct {
	Deletes    int64 `yaml:"deletes,omitempty"`    // calls that destroy or remove
	Changes    int64 `yaml:"changes,omitempty"`    // calls that change anything
	Files      int64 `yaml:"files,omitempty"`      // files that such calls touch
	Bytes      int64 `yaml:"bytes,omitempty"`      // bytes that such calls touch
	Recipients int64 `yaml:"recipients,omitempty"` // outside the business
	Money      int64 `yaml:"money,omitempty"`      // cents that such calls move, of all currencies together
}

// UsualBudgets hold where the owner's rules name none that are stricter.
var UsualBudgets = Budgets{Deletes: 20, Changes: 100, Files: 500, Bytes: 1 << 30, Recipients: 20, Money: 100_000}

// wrong says what is no budget; empty: nothing. What the owner names may only be stricter than the usual ones.
func (b Budgets) wrong() string {
	u := UsualBudgets
	for _, one := range []struct {
		name       string
		have, most int64
	}{{"deletes", b.Deletes, u.Deletes}, {"changes", b.Changes, u.Changes}, {"files", b.Files, u.Files}, {"bytes", b.Bytes, u.Bytes}, {"recipients", b.Recipients, u.Recipients}, {"money", b.Money, u.Money}} {
		if one.have < 0 || one.have > one.most {
			return fmt.Sprintf("the budget %s is %d; it must be between 1 and %d", one.name, one.have, one.most)
		}
	}
	return ""
}

// BudgetsOf are the budgets in force under m.
func BudgetsOf(m *Manifest) Budgets {
	b := UsualBudgets
	if m == nil {
		return b
	}
	stricter := func(n *int64, own int64) {
		if own > 0 {
			*n = min(*n, own)
		}
	}
	stricter(&b.Deletes, m.Budgets.Deletes)
	stricter(&b.Changes, m.Budgets.Changes)
	stricter(&b.Files, m.Budgets.Files)
	stricter(&b.Bytes, m.Budgets.Bytes)
	stricter(&b.Recipients, m.Budgets.Recipients)
	stricter(&b.Money, m.Budgets.Money)
	return b
}

// Spent is what calls have used of the budgets.
type Spent struct {
	Deletes, Changes, Files, Bytes, Recipients, Money int64

	Untold int64 // calls that move an amount which nobody can read: a person looks at each
}

// SpendOf is what one call uses of the budgets: nothing when it only reads.
func SpendOf(c Class, files, bytes int64) Spent {
	if c.Tier == Green {
		return Spent{}
	}
	s := Spent{Changes: 1, Files: files, Bytes: bytes, Recipients: int64(len(c.Outside))}
	if c.Tier == Red || c.Tier == CriticalRed {
		s.Deletes = 1
	}
	if c.Money != nil && c.Money.Unknown {
		s.Untold = 1
	} else if c.Money != nil {
		s.Money = c.Money.Cents
	}
	return s
}

// Add is both together.
func (s Spent) Add(o Spent) Spent {
	return Spent{
		s.Deletes + o.Deletes, s.Changes + o.Changes, s.Files + o.Files, s.Bytes + o.Bytes, s.Recipients + o.Recipients, s.Money + o.Money, s.Untold + o.Untold,
	}
}

// Over says which budget is exceeded by what was spent and what a call would spend on top; empty: none.
func (b Budgets) Over(spent, call Spent) string {
	sum := spent.Add(call)
	switch {
	case call.Untold > 0:
		return "it moves money, and nobody can read from the request how much"
	case call.Money > 0 && sum.Money > b.Money:
		return fmt.Sprintf("with it, %s of money were moved by this run since a person last looked; %s may be without one", cents(sum.Money), cents(b.Money))
	}
	for _, one := range []struct {
		what            string
		uses, sum, most int64
	}{
		{"things were removed", call.Deletes, sum.Deletes, b.Deletes},
		{"people outside were reached", call.Recipients, sum.Recipients, b.Recipients},
		{"changes were made", call.Changes, sum.Changes, b.Changes},
		{"files were touched", call.Files, sum.Files, b.Files},
		{"bytes were changed", call.Bytes, sum.Bytes, b.Bytes},
	} {
		if one.uses > 0 && one.sum > one.most {
			return fmt.Sprintf("with it, %d %s by this run since a person last looked; %d may be without one", one.sum, one.what, one.most)
		}
	}
	return ""
}

// UsualRate bounds the calls of one agent with one tool where no rule is stricter: it stops what runs wild, not what
// works hard. Reads are bounded by the limits of a run alone.
func UsualRate(t Tier) Rate {
	if t == Green {
		return Rate{}
	}
	return Rate{600, time.Minute}
}

// Bucket is a rate's bucket: it fills evenly, and each call takes one out.
type Bucket struct {
	Rate Rate
	left float64
	at   time.Time // when left was true
	last time.Time // when one was last taken
}

// NewBucket is a full one.
func NewBucket(r Rate, now time.Time) *Bucket {
	return &Bucket{Rate: r, left: float64(r.Calls), at: now}
}

// Wait is how long until the next call may be taken; 0: now.
func (b *Bucket) Wait(now time.Time) time.Duration {
	b.fill(now)
	if b.left >= 1 {
		return 0
	}
	each := float64(b.Rate.Per) / float64(b.Rate.Calls)
	return max(time.Duration((1-b.left)*each), 1)
}

// Take takes one call out. It may go below empty: what a person allowed is counted too.
func (b *Bucket) Take(now time.Time) {
	b.fill(now)
	b.left--
	b.last = now
}

// Since is how long ago the last call was taken; ok is false when there was none.
func (b *Bucket) Since(now time.Time) (d time.Duration, ok bool) {
	return now.Sub(b.last), !b.last.IsZero()
}

func (b *Bucket) fill(now time.Time) {
	if d := now.Sub(b.at); d > 0 && b.Rate.Calls > 0 {
		b.left = min(float64(b.Rate.Calls), b.left+float64(d)*float64(b.Rate.Calls)/float64(b.Rate.Per))
		b.at = now
	}
}

// Looked is what counts as spent once a person has looked at a call that spends c: what is of its kind begins anew.
func (s Spent) Looked(c Spent) Spent {
	for _, one := range []struct {
		n    *int64
		uses int64
	}{{&s.Deletes, c.Deletes}, {&s.Changes, c.Changes}, {&s.Files, c.Files}, {&s.Bytes, c.Bytes}, {&s.Recipients, c.Recipients}, {&s.Money, c.Money + c.Untold}} {
		if one.uses > 0 {
			*one.n = 0
		}
	}
	return s
}
