package egress

import (
	"slices"
	"strings"
	"sync"
)

// A form writes a number as people do: 9 is a digit, A a letter, X either, and _ the same separator or none
// throughout. Other signs stand for themselves. Forms are parted by bars.

// separators are what _ stands for.
var separators = []string{"", " ", "-", "."}

// spelledOut gives every shape of a form.
func spelledOut(form string) (all []string) {
	for f := range strings.SplitSeq(form, "|") {
		if !strings.Contains(f, "_") {
			all = append(all, f)
			continue
		}
		for _, s := range separators {
			all = append(all, strings.ReplaceAll(f, "_", s))
		}
	}
	for i := 0; i < len(all); i++ {
		for strings.Contains(all[i], "X") {
			all = append(all, strings.Replace(all[i], "X", "9", 1))
			all[i] = strings.Replace(all[i], "X", "A", 1)
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return !strings.Contains(s, "9") })
}

// shapes leads from the shape of a number to the kinds that are written so, by their place in identityKinds.
var shapes = sync.OnceValue(func() map[string][]int {
	all := map[string][]int{}
	for i, k := range identityKinds() {
		for _, s := range spelledOut(k.form) {
			all[s] = append(all[s], i)
		}
	}
	return all
})

// The longest number: so many signs in so many groups.
const (
	longestShape = 30
	mostGroups   = 8
	longestGap   = 3
)

// candidate is a part of a text that has the shape of numbers that states give.
type candidate struct {
	from, to int
	kinds    []int
	inside   bool // it goes on at one of its ends: 1.2.840.113549
}

// candidates gives every part of a text with a known shape, the longest of those at one place first.
func candidates(s string, tokens []token) (all []candidate) {
	known := shapes()
	var shape [longestShape]byte
	for i, t := range tokens {
		if t.digits == 0 && (t.size() > longestHead || !digitsSoon(tokens[i+1:])) || t.glued {
			continue
		}
		n, first := 0, len(all)
		for j := i; j < len(tokens) && j < i+mostGroups && !tokens[j].glued; j++ {
			gap := ""
			if j > i {
				gap = s[tokens[j-1].to:tokens[j].from]
			}
			if len(gap) > longestGap || n+len(gap)+tokens[j].size() > longestShape || strings.Contains(gap, "\n") {
				break
			}
			n += copy(shape[n:], gap)
			n += copyShape(shape[n:], s[tokens[j].from:tokens[j].to])
			if kinds := known[string(shape[:n])]; kinds != nil {
				all = append(all, candidate{t.from, tokens[j].to, kinds, goesOn(s, t.from, tokens[j].to)})
			}
		}
		for a, b := first, len(all)-1; a < b; a, b = a+1, b-1 {
			all[a], all[b] = all[b], all[a]
		}
	}
	return all
}

// longestHead is how many letters a number begins with at most.
const longestHead = 6

// digitsSoon says whether one of the next two tokens has digits.
func digitsSoon(tokens []token) bool {
	return len(tokens) > 0 && tokens[0].digits > 0 || len(tokens) > 1 && tokens[1].digits > 0
}

// copyShape writes the shape of letters and digits.
func copyShape(to []byte, s string) int {
	for i := range len(s) {
		to[i] = 'A'
		if s[i] <= '9' {
			to[i] = '9'
		}
	}
	return len(s)
}

// goesOn says whether what stands at an end of a part is joined to it.
func goesOn(s string, from, to int) bool {
	joint := func(c byte) bool { return c == '-' || c == '.' || c == '/' || c == '_' }
	return from > 1 && joint(s[from-1]) && alphanumeric[s[from-2]] || to+1 < len(s) && joint(s[to]) && alphanumeric[s[to+1]]
}
