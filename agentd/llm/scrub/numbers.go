package scrub

import (
	"strings"

	"gatehouse/agentd/llm/jsontree"
)

// leastRow is how many numbers in a row can be the bytes of a secret.
const leastRow = 8

// rowEnds looks at the numbers since the last value of another kind as a whole: a secret may be written as a list of its
// bytes. The first number of one becomes its label, the others become empty.
func (w *walk) rowEnds() {
	numbers := w.row
	w.row = nil
	if len(numbers) < leastRow {
		return
	}
	var b strings.Builder
	starts := make([]int, len(numbers)+1)
	for i, n := range numbers {
		b.WriteString(n.Text)
		b.WriteByte(',')
		starts[i+1] = b.Len()
	}
	i := 0
	for _, f := range w.s.look(b.String()).findings {
		for i < len(numbers) && starts[i+1] <= f.Start {
			i++
		}
		for first := i; i < len(numbers) && starts[i] < f.End; i++ {
			text := ""
			if i == first {
				text = label(f)
				w.found++
			}
			numbers[i].Kind, numbers[i].Text = jsontree.String, text
		}
	}
}
