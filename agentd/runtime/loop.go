package runtime

import (
	"context"
	"fmt"
	"runtime/debug"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// live takes the run through its lane and its loop. The error says why there is no answer; gate.ErrClosing leaves the
// run to the next life of the process.
func (r *run) live() (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.t.rt.d.Log.Error("run panicked", "run_id", r.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errInternal
		}
		if err != nil && r.ctx.Err() != nil {
			err = context.Cause(r.ctx) // whatever failed, it failed because of that
		}
	}()
	if err := r.enter(); err != nil {
		return err
	}
	defer r.exit()
	if r.t.rt.isClosing() {
		return gate.ErrClosing
	}
	r.note(wire.RunRunning)
	if err := r.prepare(); err != nil {
		return err
	}
	return r.loop()
}

// prepare builds what the model reads before the next step.
func (r *run) prepare() error {
	if err := r.inheritTaint(r.ctx); err != nil {
		return err
	}
	if err := r.brief(r.ctx); err != nil {
		return err
	}
	if r.revived {
		return r.readBack(r.ctx)
	}
	return nil
}

// loop goes from the model to the tools and back until the model has nothing more to call.
func (r *run) loop() error {
	for {
		if err := r.act(); err != nil {
			return err
		}
		if r.t.rt.isClosing() {
			return gate.ErrClosing
		}
		if r.finished && r.check() {
			return nil
		}
		if err := r.think(); err != nil {
			return r.fallBack(err)
		}
	}
}

// think asks the model for the next step. A repeated step of a former life has a higher attempt.
func (r *run) think() error {
	if r.steps >= r.t.rt.limits.Steps {
		return &limited{fmt.Sprintf("%d steps without an answer", r.steps)}
	}
	if n := r.t.tokens(); n >= r.t.rt.limits.Tokens {
		return &limited{fmt.Sprintf("%d tokens were used for this message, with the tasks that were handed on; %d is the most", n, r.t.rt.limits.Tokens)}
	}
	reply, err := r.step()
	for llm.Again(r.ctx, r.t.rt.d.Model, err) && !r.t.rt.isClosing() {
		r.anew()
		reply, err = r.step()
	}
	if err != nil {
		return err
	}
	r.steps++
	r.count(reply.Usage)
	reply.Text = redact.Text(reply.Text) // before anything is cut from it
	if len(reply.Calls) == 0 {
		r.finished, r.answer = true, reply.Text
	}
	return r.keep(reply)
}

// ask streams one answer of the model.
func (r *run) ask() (llm.Reply, error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	release := context.AfterFunc(r.t.rt.closing, func() { cancel(gate.ErrClosing) })
	defer release()
	r.hush()
	step := r.steps + 1
	pieces := &coalescer{clean: redact.Current().Stream(), out: func(s string) {
		r.t.emit(wire.EventDelta, func(n int64) any {
			return wire.DeltaData{N: n, RunID: r.id, Agent: r.agent, Step: step, Attempt: r.attempt, Text: s}
		})
	}}
	defer pieces.end()
	return llm.Ask(ctx, r.t.rt.d.Model, llm.Request{Agent: r.agent, Messages: r.messages, Tools: r.t.rt.d.Team.Tools(r.agent)}, func(s string) {
		r.say(s)
		pieces.add(s)
	})
}

func (r *run) count(u llm.Usage) {
	r.usage.Input += u.Input
	r.usage.Output += u.Output
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	r.t.usage.Input += u.Input
	r.t.usage.Output += u.Output
}

// tokens is what the message has cost so far, in every life of the process.
func (t *tree) tokens() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.usage.Input + t.usage.Output
}

// keep puts the step on record. Calls are durable before the gate sees them; an answer is kept with its end.
func (r *run) keep(reply llm.Reply) error {
	now := r.t.rt.d.Now()
	calls, err := r.calls(reply)
	if err != nil {
		return err
	}
	e := entry{RunID: r.id, Kind: kindAssistant, Step: r.steps, Text: reply.Text, At: now}
	for _, c := range calls {
		e.Calls = append(e.Calls, noted{ID: c.ID, Ref: c.ref, Tool: c.Tool, Args: c.Args, Agent: c.Agent})
	}
	used := r.usage
	change := func(tx txn) error { return r.insertStep(tx, e, calls, used) }
	r.open = calls
	r.messages = append(r.messages, e.message(map[string]string{}))
	if len(calls) == 0 {
		r.t.later(change)
		return nil
	}
	if err := r.t.write(change); err != nil {
		return fmt.Errorf("keep step: %w", err)
	}
	return nil
}

func (r *run) insertStep(tx txn, e entry, calls []*call, used wire.Usage) error {
	if err := insertEntry(tx, e); err != nil {
		return err
	}
	for _, c := range calls {
		if err := insertCall(tx, c, e.At); err != nil {
			return err
		}
	}
	return tx.exec("keep step", "UPDATE runs SET steps = ?, usage_in = ?, usage_out = ?, model = ? WHERE id = ?",
		e.Step, used.Input, used.Output, r.t.rt.d.Model.Name(), r.id)
}
