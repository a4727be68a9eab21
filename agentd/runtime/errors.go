package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// errInternal ends a run for a reason that is ours and stands in the log.
var errInternal = errors.New("internal error")

// stoppedError says that a person stopped the run.
type stoppedError struct {
	by    wire.Origin
	alone bool   // only the run, not the sub-agents that it began
	next  string // the root run whose message takes its place; empty: it was stopped for good
}

func (s *stoppedError) Error() string { return "stopped by " + s.by.Channel }

// limitError says that a run used up what one run may take.
type limitError struct {
	what string
	time bool // it is the time at work
}

func (l *limitError) Error() string { return "limit: " + l.what }

// refusedError says that a message cannot be answered as it stands.
type refusedError struct{ title, detail string }

func (r *refusedError) Error() string { return r.title }

// pausedType is the type of the error of a run that a pause has ended.
const pausedType = "paused"

// pausedError says that the hub lets the team rest.
type pausedError struct {
	why   wire.PauseWhy
	since string // the day, where that is told
}

func (p *pausedError) Error() string { return "paused: " + string(p.why) }

func (p *pausedError) words() string {
	switch {
	case p.why == wire.PausedPayment:
		return "The team rests, because an invoice has not been paid. The owner finds it under Billing."
	case p.why == wire.PausedEnded && p.since != "":
		return "The plan has ended on " + p.since +
			", so the team rests. The owner finds under Billing what can be done until the server is deleted."
	case p.why == wire.PausedEnded:
		return "The plan has ended, so the team rests. The owner finds under Billing what can be done until the server is deleted."
	}
	return "The team rests. Whoever runs Gatehouse for you knows why."
}

// isShutdown reports whether err leaves the run to the next process.
func isShutdown(err error) bool { return errors.Is(err, gate.ErrClosing) }

// errorData puts err into words for people: what happened, what was kept, what to do. It is stored as it is made here, so it
// is redacted: the model or its endpoint may have said a secret.
func (r *run) errorData(err error) wire.ErrorData {
	e := wire.ErrorData{RunID: r.t.root.id, Text: redact.Text(r.partialText())}
	var stop *stoppedError
	var limit *limitError
	var model *llm.Error
	var no *refusedError
	var pause *pausedError
	switch {
	case errors.Is(err, store.ErrFull):
		e.Type, e.Title, e.Status = "internal", "The server's disk is full", http.StatusInsufficientStorage
		e.Detail = "Nothing more can be put on record, so nothing more is done. " + r.keptText() +
			" Make room on the server, then send the message again."
	case errors.As(err, &stop):
		e.Type, e.Title, e.Status = "stopped", "Stopped", http.StatusOK
		e.Detail, e.For = "Stopped by "+stop.byWhom()+". "+r.keptText(), stop.next
		if stop.next != "" {
			e.Detail = "Stopped, because you wrote something new. " + r.keptText()
		}
	case errors.As(err, &limit):
		e.Type, e.Title, e.Status = "limit", "Stopped at a limit", http.StatusUnprocessableEntity
		e.Detail = "The run was stopped: " + limit.what + ". " + r.keptText() + " Ask for a smaller step, or in other words."
	case errors.As(err, &model) && model.Kind == llm.Budget:
		what, help := model.Words()
		e.Type, e.Title, e.Status = pausedType, "The team is paused", http.StatusPaymentRequired
		e.Detail = fmt.Sprintf("%s (%s) %s %s", what, model.Detail, r.keptText(), help)
	case errors.As(err, &pause):
		e.Type, e.Title, e.Status = pausedType, "The team is paused", http.StatusPaymentRequired
		e.Detail = pause.words() + " " + r.keptText() + " Once that is settled, the team works again; then send the message again."
	case errors.As(err, &model):
		what, help := model.Words()
		e.Type, e.Title, e.Status = "model", strings.TrimSuffix(what, "."), http.StatusBadGateway
		e.Detail = fmt.Sprintf("%s (%s) %s %s", what, model.Detail, r.keptText(), help)
	case errors.As(err, &no):
		e.Type, e.Title, e.Status, e.Detail = "refused", no.title, http.StatusUnprocessableEntity, no.detail
	default:
		e.Type, e.Title, e.Status = "internal", "Something went wrong on the server", http.StatusInternalServerError
		e.Detail = "The run ended early. " + r.keptText() + " Send the message again; if it stays so, the server's log names the cause."
		r.rt.log.Error("run failed", "run_id", r.id, "error", err)
	}
	e.Detail = redact.Text(e.Detail)
	return e
}

func (s *stoppedError) byWhom() string {
	if s.by.Email != "" {
		return s.by.Email
	}
	return "a person"
}

// keptText says what stays of the run.
func (r *run) keptText() string {
	r.t.mu.Lock()
	n := r.t.root.callCount
	r.t.mu.Unlock()
	switch n {
	case 0:
		return "Your message is kept; no tool was used."
	case 1:
		return "Your message is kept, and so is what the one tool call of this run did; it is not repeated."
	}
	return fmt.Sprintf("Your message is kept, and so is what the %d tool calls of this run did; they are not repeated.", n)
}

func stateOf(err error) wire.RunState {
	var stop *stoppedError
	switch {
	case err == nil:
		return wire.RunDone
	case errors.As(err, &stop):
		return wire.RunStopped
	}
	return wire.RunFailed
}
