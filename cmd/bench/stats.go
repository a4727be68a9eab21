package main

import (
	"cmp"
	"slices"
	"time"
)

// percentile is the smallest sample that p percent of all do not exceed, in milliseconds.
func percentile(took []time.Duration, p float64) float64 {
	if len(took) == 0 {
		return 0
	}
	sorted := slices.Clone(took)
	slices.Sort(sorted)
	at := int(float64(len(sorted))*p/100+0.9999999) - 1
	return ms(sorted[min(max(at, 0), len(sorted)-1)])
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// middle is the run whose value is the median, with the samples of all runs.
func middle(runs []Run) Run {
	n := 0
	for _, r := range runs {
		n += r.N
	}
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b Run) int { return cmp.Compare(a.Value, b.Value) })
	m := sorted[len(sorted)/2]
	m.N = n
	return m
}
