package turn

import "gatehouse/agentd/wire"

// finalStep is the step of an answer that no delta announced.
const finalStep = 1 << 30

// finish takes over the answer of the root run.
func (t *Turn) finish(d wire.FinalData) {
	t.final, t.fault, t.state = &d, nil, wire.RunDone
	t.answer(d.Text)
	t.dirt.head, t.dirt.end = true, true
}

// answer makes the last text of the root run read as the server's final one: it may have been put right.
func (t *Turn) answer(whole string) {
	if whole == "" {
		return
	}
	w := t.runs[t.root]
	x := w.lastText()
	if x == nil {
		x = t.textOf(w, finalStep)
	}
	x.set(whole)
}

// fail takes over the end of a root run without an answer. What was written stays.
func (t *Turn) fail(d wire.ErrorData) {
	t.fault, t.final, t.state = &d, nil, wire.RunFailed
	if d.Type == "stopped" {
		t.state = wire.RunStopped
	}
	if t.runs[t.root].lastText() == nil {
		t.answer(d.Text)
	}
	t.dirt.head, t.dirt.end = true, true
}
