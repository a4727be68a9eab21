package main

import (
	"fmt"
	"math"
	"slices"
)

// folds is into how many parts the written texts are cut.
const folds = 5

// measure prints what each threshold would find and wrongly find among texts that the model has not seen.
func measure(all []text) {
	var attacks, calm []float64
	for fold := range folds {
		var learn, keep []text
		for i, t := range all {
			if t.written && i%folds == fold {
				keep = append(keep, t)
			} else {
				learn = append(learn, t)
			}
		}
		m := fit(learn)
		for _, t := range keep {
			s := math.Inf(-1)
			for _, w := range t.windows {
				s = max(s, m.Score(w))
			}
			if t.attack {
				attacks = append(attacks, s)
			} else {
				calm = append(calm, s)
			}
		}
	}
	slices.Sort(calm)
	for _, wrong := range []float64{0.01, 0.02, 0.03, 0.05, 0.1} {
		t := calm[int(float64(len(calm))*(1-wrong))]
		fmt.Printf("threshold %5.2f  recall %5.1f %%  wrong %5.1f %%\n", t, 100*share(attacks, t), 100*wrong)
	}
	fmt.Println(len(all), "texts,", len(attacks), "written attacks,", len(calm), "written others")
}

func share(scores []float64, least float64) float64 {
	n := 0
	for _, s := range scores {
		if s >= least {
			n++
		}
	}
	return float64(n) / float64(max(len(scores), 1))
}
