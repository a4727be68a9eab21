package ingress

import "slices"

// matches applies rules to every place.
func matches(ws []word, by []rule) (found []finding) {
	talk := talked(ws)
	for _, r := range by {
		last := -reach
		for i := range ws {
			if ws[i].means&r.words[0] == 0 || ws[i].at-last < 3 {
				continue
			}
			if w := r.at(ws, i); w > 0 {
				last = ws[i].at
				found = append(found, finding{ws[i].at, w * talk.calm(ws[i]), r.pattern})
			}
		}
	}
	return found
}

// at is the weight of the rule at word i, or 0.
func (r rule) at(ws []word, i int) float64 {
	if r.plainly && denied(ws, i) {
		return 0
	}
	from, to := r.window(ws, i)
	used := []int{ws[i].at}
	for _, want := range r.words[1:] {
		j := slices.IndexFunc(ws[from:to], func(w word) bool { return w.means&want != 0 && !slices.Contains(used, w.at) })
		if j < 0 {
			return 0
		}
		used = append(used, ws[from+j].at)
	}
	if r.half != 0 && slices.ContainsFunc(ws[from:to], func(w word) bool { return w.means&r.half != 0 }) {
		return r.weight / 2
	}
	return r.weight
}

// window is the range of words that a rule may use around word i.
func (r rule) window(ws []word, i int) (from, to int) {
	for from = i; !r.after && from > 0 && ws[i].at-ws[from-1].at <= r.within; from-- {
		continue
	}
	for to = i + 1; to < len(ws) && ws[to].at-ws[i].at <= r.within; to++ {
		continue
	}
	return from, to
}

// denied says whether the words before i turn it into its opposite.
func denied(ws []word, i int) bool {
	for j := i - 1; j >= 0 && ws[i].at-ws[j].at <= 3; j-- {
		if ws[j].means&not != 0 {
			return true
		}
	}
	return false
}
