package turn

import "strings"

// finalStep is the step of an answer that no delta announced.
const finalStep = 1 << 30

// answer makes the last text of the root run read as the server's final one.
func (t *Turn) answer(whole string) {
	if strings.TrimSpace(whole) == "" {
		return
	}
	w := t.runs[t.root]
	x := w.open()
	if x == nil {
		x = &text{step: finalStep}
		w.items = append(w.items, item{text: x})
	} else if strings.TrimSpace(x.raw.String()) == strings.TrimSpace(whole) {
		return
	}
	if x.raw.Len() > 0 {
		*x = text{step: x.step, attempt: x.attempt}
		t.whole = true
	}
	x.write(whole)
}
