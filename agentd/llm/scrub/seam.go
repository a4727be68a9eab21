package scrub

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gatehouse/agentd/redact"
)

// cut is a stretch of a view that must go.
type cut struct {
	from, to int
	label    string // what stands in its place
}

// view is the leaves of one voice, end to end, as a model may read them.
type view struct {
	leaves []*leaf
	starts []int // where each begins; one more at the end
}

// seams finds secrets that go on from one leaf to the next, for every voice by itself. Nobody's text is one that is
// empty when it is asked whose it is.
func (w *walk) seams(whose func(*leaf) string) {
	voices, order := map[string]*view{}, []*view{}
	for _, l := range w.leaves {
		if *l.at == "" {
			continue
		}
		v := voices[whose(l)]
		if v == nil {
			v = &view{starts: []int{0}}
			voices[whose(l)] = v
			order = append(order, v)
		}
		v.leaves = append(v.leaves, l)
		v.starts = append(v.starts, v.starts[len(v.starts)-1]+len(*l.at))
	}
	for _, v := range order {
		w.found += v.mend(w.s)
	}
}

// mend looks over every seam of the view and takes out what lies across one.
func (v *view) mend(s *Scrubber) int {
	var cuts []cut
	for i := 1; i < len(v.leaves); i++ {
		text, from := v.around(i, s.reach)
		for _, f := range s.look(text).findings {
			if v.crosses(from+f.Start, from+f.End) {
				cuts = append(cuts, cut{from + f.Start, from + f.End, label(f)})
			}
		}
	}
	return v.apply(cuts)
}

func label(f redact.Finding) string {
	if f.Name != "" {
		return "[SECRET:" + f.Name + "]"
	}
	return "[REDACTED:" + f.Kind + "]"
}

// around is the text on both sides of the seam before leaf i, and where in the view it begins.
func (v *view) around(i, reach int) (string, int) {
	seam := v.starts[i]
	var before, after []string
	left := reach
	for j := i - 1; j >= 0 && left > 0; j-- {
		piece := tail(*v.leaves[j].at, left)
		before = append(before, piece)
		left -= len(piece)
		if len(piece) < len(*v.leaves[j].at) {
			break
		}
	}
	for j, left := i, reach; j < len(v.leaves) && left > 0; j++ {
		piece := head(*v.leaves[j].at, left)
		after = append(after, piece)
		left -= len(piece)
		if len(piece) < len(*v.leaves[j].at) {
			break
		}
	}
	slices.Reverse(before)
	first := strings.Join(before, "")
	return first + strings.Join(after, ""), seam - len(first)
}

// tail and head cut a text to n bytes, and a little less where a character would be cut in two.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// crosses says whether a seam lies within from and to.
func (v *view) crosses(from, to int) bool {
	i, _ := slices.BinarySearch(v.starts, from+1) // the first seam after from
	return i < len(v.starts)-1 && v.starts[i] < to
}

// apply takes the cuts out of the leaves and says how many secrets they were. The first leaf of each gets its label.
func (v *view) apply(cuts []cut) int {
	merged := merge(cuts)
	for i := len(merged) - 1; i >= 0; i-- { // from the end, so that what is before does not move
		c := merged[i]
		for j := len(v.leaves) - 1; j >= 0; j-- {
			from, to := max(c.from, v.starts[j]), min(c.to, v.starts[j+1])
			if from >= to {
				continue
			}
			at, text := v.starts[j], *v.leaves[j].at
			in := ""
			if from == c.from {
				in = c.label
			}
			*v.leaves[j].at = text[:from-at] + in + text[to-at:]
		}
	}
	return len(merged)
}

// merge puts cuts in order and joins those that touch the same bytes.
func merge(cuts []cut) []cut {
	slices.SortFunc(cuts, func(a, b cut) int { return a.from - b.from })
	var out []cut
	for _, c := range cuts {
		if n := len(out); n > 0 && c.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, c.to)
			continue
		}
		out = append(out, c)
	}
	return out
}
