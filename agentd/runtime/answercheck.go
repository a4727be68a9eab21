package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime/answer"
	"gatehouse/agentd/runtime/transcript"
	"gatehouse/agentd/wire"
)

// checkHead begins what the model reads when its answer claims more than the receipts show.
const checkHead = "[Answer check, by the runtime, not by the owner]"

// checkAnswer checks the answer against the receipts. It reports whether the answer may go out. Otherwise the model is asked,
// once, to restate it; what it claims then goes out with a mark.
func (r *run) checkAnswer() bool {
	r.checked = answer.Check(r.answer, r.evidence())
	bare := r.checked.Unbacked()
	if len(bare) == 0 || r.restated || r.parent != nil || r.steps >= r.rt.limits.Steps {
		return true
	}
	text := checkHead +
		"\nThese sentences of your answer say that something was done, but no finished receipt of this run shows it:\n- " +
		strings.Join(bare, "\n- ") +
		"\nGive your whole answer again. Say only what the results of the tools show; if it was not done, say so."
	now, step := r.rt.now(), r.steps
	r.messages = append(r.messages, llm.Message{Role: llm.User, Text: text})
	r.t.later(func(tx txn) error {
		return insertEntry(tx, transcript.Entry{RunID: r.id, Kind: transcript.Check, Step: step, Text: text, At: now})
	})
	r.restated, r.firstAnswer, r.finished = true, r.answer, false
	return false
}

// useFirstAnswer falls back to the first answer when only the restatement has failed. It goes out with a mark.
func (r *run) useFirstAnswer(err error) error {
	var model *llm.Error
	if r.firstAnswer == "" || !errors.As(err, &model) {
		return err
	}
	r.rt.log.Warn("restatement failed", "run_id", r.id, "error", err)
	r.finished, r.answer = true, r.firstAnswer
	r.checked = answer.Check(r.answer, r.evidence()) // a former process may have checked it last
	return nil
}

// evidence is what the receipts of this run and the runs it delegated show, and those of the sub-agents that it
// was told of. It also emits each receipt that is not in the
// stream yet, so that nothing follows the end.
func (r *run) evidence() []answer.Evidence {
	told, err := r.rt.toldTo(context.Background(), r.t.root.id)
	if err != nil {
		r.rt.log.Error("sub-agents of a run not read", "run_id", r.id, "error", err)
		return nil // likewise
	}
	all, err := r.rt.receipts.OfRuns(context.Background(), append(r.withDescendants(), told...)...)
	if err != nil {
		r.rt.log.Error("receipts of a run not read", "run_id", r.id, "error", err)
		return nil // without receipts nothing is proven
	}
	for _, rc := range all {
		r.t.emitReceipt(rc)
	}
	return answer.FromReceipts(all)
}

// withDescendants is this run and the runs that came of it.
func (r *run) withDescendants() []string {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	ids := []string{r.id}
	for _, other := range r.t.runs {
		for p := other.parent; p != nil; p = p.parent {
			if p == r {
				ids = append(ids, other.id)
				break
			}
		}
	}
	return ids
}

// remembered are the notes that the runs of the tree were reminded of, each once.
func (t *tree) remembered() (all []wire.MemoryUse) {
	for _, r := range t.runs {
		for _, m := range r.memories {
			if !slices.ContainsFunc(all, func(o wire.MemoryUse) bool { return o.ID == m.ID }) {
				all = append(all, m)
			}
		}
	}
	return all
}

// finalData is the answer of the root with its evidence. It is called after the last receipt is in the stream.
func (r *run) finalData() wire.FinalData {
	files := r.shown()
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	f := wire.FinalData{
		RunID: r.id, Agent: r.agent, Text: r.answer, Verdict: r.checked.Verdict, Claims: r.checked.Claims,
		Receipts: make([]int64, 0, len(r.t.receipts)), Usage: r.t.usage, Files: files,
		Memories: r.t.remembered(),
	}
	f.Usage.Model = r.modelName()
	for seq := range r.t.receipts {
		f.Receipts = append(f.Receipts, seq)
	}
	slices.Sort(f.Receipts)
	return f
}
