package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// errInternal ends a run for a reason that is ours and stands in the log.
var errInternal = errors.New("internal error")

// stopped says that a person stopped the run.
type stopped struct{ by wire.Origin }

func (s *stopped) Error() string { return "stopped by " + s.by.Channel }

// limited says that a run used up what one run may take.
type limited struct{ what string }

func (l *limited) Error() string { return "limit: " + l.what }

// refused says that a message cannot be answered as it stands.
type refused struct{ title, detail string }

func (r *refused) Error() string { return r.title }

// left says whether err leaves the run to the next life of the process.
func left(err error) bool { return errors.Is(err, gate.ErrClosing) }

// failure puts err into words for people: what happened, what was kept, what to do.
// It is kept as it is made here, so nothing secret that the model or its endpoint said is in it.
func (r *run) failure(err error) wire.ErrorData {
	e := wire.ErrorData{RunID: r.t.root.id, Text: redact.Text(r.saidSoFar())}
	var stop *stopped
	var limit *limited
	var model *llm.Error
	var no *refused
	switch {
	case errors.Is(err, store.ErrFull):
		e.Type, e.Title, e.Status = "internal", "The server's disk is full", http.StatusInsufficientStorage
		e.Detail = "Nothing more can be put on record, so nothing more is done. " + r.kept() + " Make room on the server, then send the message again."
	case errors.As(err, &stop):
		e.Type, e.Title, e.Status = "stopped", "Stopped", http.StatusOK
		e.Detail = "Stopped by " + stop.who() + ". " + r.kept()
	case errors.As(err, &limit):
		e.Type, e.Title, e.Status = "limit", "Stopped at a limit", http.StatusUnprocessableEntity
		e.Detail = "The run was stopped: " + limit.what + ". " + r.kept() + " Ask for a smaller step, or in other words."
	case errors.As(err, &model):
		what, help := model.Words()
		e.Type, e.Title, e.Status = "model", strings.TrimSuffix(what, "."), http.StatusBadGateway
		e.Detail = fmt.Sprintf("%s (%s) %s %s", what, model.Detail, r.kept(), help)
	case errors.As(err, &no):
		e.Type, e.Title, e.Status, e.Detail = "refused", no.title, http.StatusUnprocessableEntity, no.detail
	default:
		e.Type, e.Title, e.Status = "internal", "Something went wrong on the server", http.StatusInternalServerError
		e.Detail = "The run ended early. " + r.kept() + " Send the message again; if it stays so, the server's log names the cause."
		r.t.rt.d.Log.Error("run failed", "run_id", r.id, "error", err)
	}
	e.Detail = redact.Text(e.Detail)
	return e
}

func (s *stopped) who() string {
	if s.by.Email != "" {
		return s.by.Email
	}
	return "a person"
}

// kept says what of the run stands.
func (r *run) kept() string {
	r.t.mu.Lock()
	n := r.t.root.total
	r.t.mu.Unlock()
	switch n {
	case 0:
		return "Your message is kept; no tool was used."
	case 1:
		return "Your message is kept, and so is what the one tool call of this run did; it is not repeated."
	}
	return fmt.Sprintf("Your message is kept, and so is what the %d tool calls of this run did; they are not repeated.", n)
}

// finish ends the root: with its answer, or with an error in words. The end is durable before it is shown; when it
// cannot be made durable now, it is shown all the same and kept as soon as there is room.
func (t *tree) finish(err error) {
	r := t.root
	if err != nil {
		r.evidence()
	}
	var e wire.RunEvent
	var bad error
	if err == nil {
		final := r.final()
		e, bad = t.last(wire.EventFinal, func(n int64) any { final.N = n; return final },
			func(tx txn) error { return r.close(tx, wire.RunDone, &final, nil) })
	} else {
		data, state := r.failure(err), stateOf(err)
		e, bad = t.last(wire.EventError, func(n int64) any { data.N = n; return data },
			func(tx txn) error { return r.close(tx, state, nil, &data) },
			func(tx txn) error { return r.onRecord(tx, err, data) })
	}
	if err := errors.Join(bad, t.sync()); err != nil {
		t.rt.d.Log.Error("end of a run not kept yet", "run_id", r.id, "error", err)
	}
	if bad == nil {
		t.rt.d.Emitter.Emit(e)
	}
}

// onRecord leaves a receipt of a run that was stopped: by whom, or at which limit.
func (r *run) onRecord(tx txn, err error, data wire.ErrorData) error {
	var stop *stopped
	var limit *limited
	body := map[string]any{"why": data.Type}
	switch {
	case errors.As(err, &stop):
		body["by"] = stop.by
	case errors.As(err, &limit):
		body["limit"] = limit.what
	default:
		return nil
	}
	if _, err := r.t.rt.d.Receipts.Append(tx.tx, receipt.Entry{Type: "run.stopped", RunID: r.id, Body: body}); err != nil {
		return fmt.Errorf("receipt of a stop: %w", err)
	}
	return nil
}

func stateOf(err error) wire.RunState {
	var stop *stopped
	switch {
	case err == nil:
		return wire.RunDone
	case errors.As(err, &stop):
		return wire.RunStopped
	}
	return wire.RunFailed
}

// receipt puts a receipt into the stream, once.
func (t *tree) receipt(rc wire.Receipt) {
	t.mu.Lock()
	known := t.receipts[rc.Seq]
	t.receipts[rc.Seq] = true
	t.mu.Unlock()
	if !known {
		t.emit(wire.EventReceipt, func(n int64) any { return wire.ReceiptData{N: n, Receipt: rc} })
	}
}

// close writes the end of a run, and of its conversation's newest turn when it is the root.
func (r *run) close(tx txn, s wire.RunState, final *wire.FinalData, failed *wire.ErrorData) error {
	end := endRow{state: s, claims: "[]"}
	line := ""
	if final != nil {
		end.verdict, line = string(final.Verdict), final.Text
		end.claims, end.final = asJSON(final.Claims), asJSON(final)
	}
	if failed != nil {
		end.failed, line = asJSON(failed), failed.Title
	}
	now := micros(r.t.rt.d.Now())
	err := tx.exec("keep end", `UPDATE runs SET state = ?, verdict = ?, claims = ?, final = ?, error = ?, active_ms = ?, ended_at = ?, model = ? WHERE id = ?`,
		string(end.state), end.verdict, end.claims, end.final, end.failed, r.watch.active().Milliseconds(), now, r.t.rt.d.Model.Name(), r.id)
	if err != nil || r.parent != nil {
		return err
	}
	if err := tx.exec("keep end", "DELETE FROM run_cancels WHERE run_id = ?", r.id); err != nil {
		return err
	}
	return tx.exec("keep end", "UPDATE sessions SET state = ?, verdict = iif(? = '', verdict, ?), last_line = ?, updated_at = ? WHERE id = ?",
		string(s), end.verdict, end.verdict, gist(line), now, r.t.session)
}

// endRow is what the table keeps of an end.
type endRow struct {
	state                          wire.RunState
	verdict, claims, final, failed string
}

// asJSON writes a value of ours, which always marshals.
func asJSON(v any) string {
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
