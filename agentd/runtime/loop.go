package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/runtime/transcript"
	"gatehouse/agentd/wire"
)

// execute takes the run through its lane and its loop. The error says why there is no answer; gate.ErrClosing leaves the
// run to the next process.
func (r *run) execute() (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.rt.log.Error("run panicked", "run_id", r.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errInternal
		}
		if err != nil && r.ctx.Err() != nil {
			err = context.Cause(r.ctx) // whatever failed, it failed because of that
		}
	}()
	if err := r.enterLane(); err != nil {
		return err
	}
	defer r.leaveLane()
	if r.rt.isClosing() {
		return gate.ErrClosing
	}
	r.recordState(wire.RunRunning)
	if err := r.prepare(); err != nil {
		return err
	}
	return r.loop()
}

// prepare builds what the model reads before the next step.
func (r *run) prepare() error {
	if err := errors.Join(r.inheritTaint(r.ctx), r.inheritReport(r.ctx)); err != nil {
		return err
	}
	if err := r.buildPrompt(r.ctx); err != nil {
		return err
	}
	if r.resumed {
		return r.loadTranscript(r.ctx)
	}
	return nil
}

// loop goes from the model to the tools and back until the model has nothing more to call.
func (r *run) loop() error {
	for {
		if err := r.runCalls(); err != nil {
			return err
		}
		if r.rt.isClosing() {
			return gate.ErrClosing
		}
		if r.finished && r.checkAnswer() {
			return nil
		}
		if err := r.takeWaiting(); err != nil {
			return err
		}
		if err := r.nextStep(); err != nil {
			return r.useFirstAnswer(err)
		}
	}
}

// nextStep asks the model for the next step. A step that a former process had begun is a new attempt.
func (r *run) nextStep() error {
	if r.steps >= r.maxSteps() {
		return &limitError{what: fmt.Sprintf("%d steps without an answer", r.steps)}
	}
	if n, most := r.t.tokens(), r.t.maxTokens(); n >= most {
		const used = "%d tokens were used for this message, with the tasks that were handed on; %d is the most"
		return &limitError{what: fmt.Sprintf(used, n, most)}
	}
	if err := r.paused(); err != nil {
		return err
	}
	if _, err := r.rt.team.Agent(r.agent); err != nil { // it was put away meanwhile
		return noAgent(r.agent, err)
	}
	r.model = r.rt.modelOf(r.agent) // the owner may have chosen another one meanwhile
	reply, err := r.modelReply()
	for llm.Again(r.ctx, r.model, err) && !r.rt.isClosing() {
		r.nextAttempt()
		reply, err = r.modelReply()
	}
	if err != nil {
		return err
	}
	r.steps++
	r.addUsage(reply.Usage)
	reply.Text = redact.Text(reply.Text) // before anything is cut from it
	if len(reply.Calls) == 0 {
		r.finished, r.answer = true, reply.Text
	}
	return r.recordStep(reply)
}

// modelName is the model that was asked last, or would be asked next.
func (r *run) modelName() string {
	if r.model == nil {
		return r.rt.modelOf(r.agent).Name()
	}
	return r.model.Name()
}

// paused says that nothing more is asked of models for now.
func (r *run) paused() error {
	cfg := r.rt.config()
	if cfg.Spend.Paused == "" {
		return nil
	}
	p := &pausedError{why: cfg.Spend.Paused}
	if since := cfg.Spend.PausedSince; !since.IsZero() {
		p.since = since.In(zoneOf(cfg.TimeZone)).Format(time.DateOnly)
	}
	return p
}

// askModel streams one answer of the model.
func (r *run) askModel() (llm.Reply, error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	release := context.AfterFunc(r.rt.closing, func() { cancel(gate.ErrClosing) })
	defer release()
	r.resetPartial()
	step := r.steps + 1
	pieces := &deltaBuffer{redactor: redact.Current().Stream(), emit: func(s string) {
		r.t.events.Emit(wire.EventDelta, func(n int64) any {
			return wire.DeltaData{N: n, RunID: r.id, Agent: r.agent, Step: step, Attempt: r.attempt, Text: s}
		})
	}}
	defer pieces.end()
	return llm.Ask(ctx, r.model, r.request(), func(s string) {
		r.addPartial(s)
		pieces.add(s)
	})
}

func (r *run) addUsage(u llm.Usage) {
	r.usage.Input += u.Input
	r.usage.Output += u.Output
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	r.t.usage.Input += u.Input
	r.t.usage.Output += u.Output
}

// tokens is what the message has cost so far, in this process and former ones.
func (t *tree) tokens() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.usage.Input + t.usage.Output
}

// maxTokens is the most that it may cost.
func (t *tree) maxTokens() int64 {
	switch {
	case t.sub != nil:
		return t.rt.limits.SubTokens
	case t.origin.Stranger():
		return min(t.rt.limits.Tokens, strangerTokens)
	}
	return t.rt.limits.Tokens
}

// recordStep puts the step on record. Calls are durable before the gate sees them; an answer is stored with the end of the run.
func (r *run) recordStep(reply llm.Reply) error {
	now := r.rt.now()
	calls, err := r.newCalls(reply)
	if err != nil {
		return err
	}
	e := transcript.Entry{RunID: r.id, Kind: transcript.Assistant, Step: r.steps, Text: reply.Text, At: now}
	for _, c := range calls {
		e.Calls = append(e.Calls, transcript.Call{ID: c.ID, Ref: c.ref, Tool: c.Tool, Args: c.Args, Agent: c.Agent})
	}
	used := r.usage
	change := func(tx txn) error { return r.insertStep(tx, e, calls, used) }
	r.pendingCalls = calls
	r.messages = append(r.messages, e.Message(map[string]string{}))
	if len(calls) == 0 {
		r.t.later(change)
		return nil
	}
	if err := r.t.write(change); err != nil {
		return fmt.Errorf("keep step: %w", err)
	}
	return nil
}

func (r *run) insertStep(tx txn, e transcript.Entry, calls []*call, used wire.Usage) error {
	if err := insertEntry(tx, e); err != nil {
		return err
	}
	for _, c := range calls {
		if err := insertCall(tx, c, e.At); err != nil {
			return err
		}
	}
	return tx.exec("keep step", "UPDATE runs SET steps = ?, usage_in = ?, usage_out = ?, model = ? WHERE id = ?",
		e.Step, used.Input, used.Output, r.modelName(), r.id)
}
