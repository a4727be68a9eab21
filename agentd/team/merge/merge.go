package merge

import (
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// The marks around a conflict.
const (
	mine   = "<<<<<<< yours"
	middle = "======="
	theirs = ">>>>>>> template"
)

// Marked says whether marks of a conflict stand in a text.
func Marked(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line == mine || line == theirs {
			return true
		}
	}
	return false
}

// Texts brings together what two people made of base. What only one has changed is taken over. Where both have changed the
// same lines in different ways, both stand in the text between marks, and conflicts counts the place: nothing of either is lost.
func Texts(base, yours, shipped string) (merged string, conflicts int) {
	o, a, b := lines(base), lines(yours), lines(shipped)
	ab, bb := matches(o, a), matches(o, b)
	var out []string
	i, x, y := 0, 0, 0 // up to here, base, yours and shipped are in out
	for i < len(o) || x < len(a) || y < len(b) {
		n := agreed(o, ab, bb, i, x, y)
		if n > 0 { // the same lines in all three
			out = append(out, o[i:i+n]...)
			i, x, y = i+n, x+n, y+n
			continue
		}
		ni, nx, ny := next(ab, bb, i, len(o), len(a), len(b))
		part, conflict := settle(o[i:ni], a[x:nx], b[y:ny])
		out = append(out, part...)
		if conflict {
			conflicts++
		}
		i, x, y = ni, nx, ny
	}
	return strings.Join(out, ""), conflicts
}

// lines are those of a text, each with its end; the last gets one.
func lines(text string) (all []string) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		all = append(all, strings.TrimSuffix(line, "\n")+"\n")
	}
	return all
}

// matches says of each line of base which line of the other text it is; -1: none.
func matches(base, other []string) []int {
	to := slices.Repeat([]int{-1}, len(base))
	for _, m := range difflib.NewMatcherWithJunk(base, other, false, nil).GetMatchingBlocks() {
		for k := range m.Size {
			to[m.A+k] = m.B + k
		}
	}
	return to
}

// agreed counts the lines from here on that are the same in all three.
func agreed(o []string, a, b []int, i, x, y int) (n int) {
	for i+n < len(o) && a[i+n] == x+n && b[i+n] == y+n {
		n++
	}
	return n
}

// next is where all three meet again: the first line of base from i on that both others have, or their ends.
func next(a, b []int, i, lenO, lenA, lenB int) (o, x, y int) {
	for ; i < lenO; i++ {
		if a[i] >= 0 && b[i] >= 0 {
			return i, a[i], b[i]
		}
	}
	return lenO, lenA, lenB
}

// settle decides about a stretch in which the three differ.
func settle(base, yours, shipped []string) (out []string, conflict bool) {
	switch {
	case slices.Equal(yours, shipped), slices.Equal(base, shipped):
		return yours, false
	case slices.Equal(base, yours):
		return shipped, false
	}
	return slices.Concat([]string{mine + "\n"}, yours, []string{middle + "\n"}, shipped, []string{theirs + "\n"}), true
}
