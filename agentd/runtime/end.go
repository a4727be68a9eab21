package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// end ends the root: with its answer, or with an error in words.
func (t *tree) end(err error) {
	r := t.root
	if err == nil {
		final := r.finalData()
		t.events.End(wire.EventFinal, func(n int64) any { final.N = n; return final },
			t.rt.inTx(func(tx txn) error { return r.recordEnd(tx, wire.RunDone, &final, nil) }),
			t.rt.inTx(func(tx txn) error { return t.settle(tx, nil) }),
			t.rt.inTx(func(tx txn) error { return t.tellOver(tx, nil, final.Text) }))
		return
	}
	r.evidence() // the last receipts get into the stream
	data, state := r.errorData(err), stateOf(err)
	t.events.End(wire.EventError, func(n int64) any { data.N = n; return data },
		t.rt.inTx(func(tx txn) error { return r.recordEnd(tx, state, nil, &data) }),
		t.rt.inTx(func(tx txn) error { return r.appendStopReceipt(tx, err, data) }),
		t.rt.inTx(func(tx txn) error { return t.settle(tx, err) }),
		t.rt.inTx(func(tx txn) error { return t.tellOver(tx, err, data.Title+". "+data.Detail) }))
}

// appendStopReceipt leaves a receipt of a run that was stopped: by whom, or at which limit.
func (r *run) appendStopReceipt(tx txn, err error, data wire.ErrorData) error {
	var stop *stoppedError
	var limit *limitError
	body := map[string]any{"why": data.Type}
	switch {
	case errors.As(err, &stop):
		body["by"] = stop.by
	case errors.As(err, &limit):
		body["limit"] = limit.what
	default:
		return nil
	}
	if _, err := r.rt.receipts.Append(tx.tx, receipt.Entry{Type: "run.stopped", RunID: r.id, Body: body}); err != nil {
		return fmt.Errorf("receipt of a stop: %w", err)
	}
	return nil
}

// emitReceipt puts a receipt into the stream, once.
func (t *tree) emitReceipt(rc wire.Receipt) {
	t.mu.Lock()
	known := t.receipts[rc.Seq]
	t.receipts[rc.Seq] = true
	t.mu.Unlock()
	if !known {
		t.events.Emit(wire.EventReceipt, func(n int64) any { return wire.ReceiptData{N: n, Receipt: rc} })
	}
}

// recordEnd writes the end of a run, and of its session's newest turn when it is the root.
func (r *run) recordEnd(tx txn, s wire.RunState, final *wire.FinalData, failed *wire.ErrorData) error {
	end := endRow{state: s, claims: "[]"}
	line := ""
	if final != nil {
		end.verdict, line = string(final.Verdict), final.Text
		end.claims, end.final = toJSON(final.Claims), toJSON(final)
	}
	if failed != nil {
		end.failed, line = toJSON(failed), failed.Title
	}
	now := micros(r.rt.now())
	err := tx.exec("keep end", `UPDATE runs SET state = ?, verdict = ?, claims = ?, final = ?, error = ?, active_ms = ?, ended_at = ?,
		model = ? WHERE id = ?`,
		string(end.state), end.verdict, end.claims, end.final, end.failed, r.watch.active().Milliseconds(), now, r.modelName(), r.id)
	if err != nil {
		return err
	}
	if err := tx.exec("keep end", "DELETE FROM run_cancels WHERE run_id = ?", r.id); err != nil || r.parent != nil {
		return err
	}
	return tx.exec("keep end", "UPDATE sessions SET state = ?, verdict = iif(? = '', verdict, ?), last_line = ?, updated_at = ? WHERE id = ?",
		string(s), end.verdict, end.verdict, lastLine(line), now, r.t.session)
}

// endRow is what the table keeps of an end.
type endRow struct {
	state                          wire.RunState
	verdict, claims, final, failed string
}

// toJSON writes a value of ours, which always marshals.
func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("runtime: " + err.Error())
	}
	return string(b)
}

// firstLine is the first line that says something, without its marks, and what follows it.
func firstLine(s string) (line, rest string) {
	for s != "" {
		line, s, _ = strings.Cut(s, "\n")
		if line = strings.TrimSpace(strings.TrimLeft(line, "#*->` ")); line != "" {
			return line, s
		}
	}
	return "", ""
}
