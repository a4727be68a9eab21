package main

import (
	"cmp"
	"fmt"
	"slices"
)

// measure prints what would be found, and wrongly found, in each corpus that was written apart if it had not been learned
// from. Corpora have styles of their own, so that this says more about texts that nobody has seen than leaving out some
// of each would.
func measure(all []text) {
	var sum tally
	for _, name := range names(all) {
		learn := slices.DeleteFunc(slices.Clone(all), func(t text) bool { return t.from == name })
		m, got := fit(learn), tally{}
		for _, t := range all {
			if t.from == name {
				got.count(t.attack, m.Scan(t.text).Flagged)
			}
		}
		fmt.Printf("%-22s %v\n", name, got)
		sum.add(got)
	}
	fmt.Printf("%-22s %v\n", "all", sum)
}

// names lists the corpora that were written apart.
func names(all []text) (names []string) {
	for _, t := range all {
		if isApart(t.from) && !slices.Contains(names, t.from) {
			names = append(names, t.from)
		}
	}
	slices.SortFunc(names, cmp.Compare)
	return names
}

// tally counts texts: how many there are, and how many were flagged.
type tally struct{ attacks, found, calm, wrong int }

func (n *tally) count(attack, flagged bool) {
	one := 0
	if flagged {
		one = 1
	}
	if attack {
		n.add(tally{attacks: 1, found: one})
	} else {
		n.add(tally{calm: 1, wrong: one})
	}
}

func (n *tally) add(o tally) {
	n.attacks, n.found, n.calm, n.wrong = n.attacks+o.attacks, n.found+o.found, n.calm+o.calm, n.wrong+o.wrong
}

// String says recall and false positives.
func (n tally) String() string {
	return fmt.Sprintf("recall %d/%d (%.1f %%), wrong %d/%d (%.1f %%)",
		n.found, n.attacks, share(n.found, n.attacks), n.wrong, n.calm, share(n.wrong, n.calm))
}

func share(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
