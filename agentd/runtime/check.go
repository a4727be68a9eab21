package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime/answer"
	"gatehouse/agentd/wire"
)

// checkHead begins what the model reads when its answer claims more than the receipts show.
const checkHead = "[Answer check, by the runtime, not by the owner]"

// check judges the answer by the receipts. It says true when the answer may go out; else the model is asked, once, to
// restate it. What it claims after that goes out with its mark.
func (r *run) check() bool {
	r.judged = answer.Check(r.answer, r.evidence())
	bare := r.judged.Unbacked()
	if len(bare) == 0 || r.restated || r.parent != nil || r.steps >= r.t.rt.limits.Steps {
		return true
	}
	text := checkHead + "\nThese sentences of your answer say that something was done, but no finished receipt of this run shows it:\n- " +
		strings.Join(bare, "\n- ") + "\nGive your whole answer again. Say only what the results of the tools show; if it was not done, say so."
	now, step := r.t.rt.d.Now(), r.steps
	r.messages = append(r.messages, llm.Message{Role: llm.User, Text: text})
	r.t.later(func(tx txn) error {
		return insertEntry(tx, entry{RunID: r.id, Kind: kindCheck, Step: step, Text: text, At: now})
	})
	r.restated, r.earlier, r.finished = true, r.answer, false
	return false
}

// fallBack keeps an answer that only its restatement has failed for: it goes out with its mark.
func (r *run) fallBack(err error) error {
	var model *llm.Error
	if r.earlier == "" || !errors.As(err, &model) {
		return err
	}
	r.t.rt.d.Log.Warn("restatement failed", "run_id", r.id, "error", err)
	r.finished, r.answer = true, r.earlier
	r.judged = answer.Check(r.answer, r.evidence()) // in a former life of the process it may have been judged last
	return nil
}

// evidence is what the receipts of this run and the runs it delegated show. On the way each of them gets into the
// stream, if it was not told yet: so the end is really the end.
func (r *run) evidence() []answer.Evidence {
	all, err := r.t.rt.d.Receipts.OfRuns(context.Background(), r.family()...)
	if err != nil {
		r.t.rt.d.Log.Error("receipts of a run not read", "run_id", r.id, "error", err)
		return nil // without receipts nothing is proven
	}
	for _, rc := range all {
		r.t.receipt(rc)
	}
	return answer.FromReceipts(all)
}

// family is this run and the runs that came of it.
func (r *run) family() []string {
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

// final is the answer of the root with its evidence. It is called after the last receipt is in the stream.
func (r *run) final() wire.FinalData {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	f := wire.FinalData{
		RunID: r.id, Agent: r.agent, Text: r.answer, Verdict: r.judged.Verdict, Claims: r.judged.Claims,
		Receipts: make([]int64, 0, len(r.t.receipts)), Usage: r.t.usage,
	}
	f.Usage.Model = r.t.rt.d.Model.Name()
	for seq := range r.t.receipts {
		f.Receipts = append(f.Receipts, seq)
	}
	slices.Sort(f.Receipts)
	return f
}
