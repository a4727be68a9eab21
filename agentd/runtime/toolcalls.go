package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime/transcript"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/wire"
)

// runCalls makes the pending calls: green ones in parallel, each other one alone, in the order of the model.
func (r *run) runCalls() error {
	for len(r.pendingCalls) > 0 {
		n := r.parallelCalls()
		if r.callsMade += n; r.callsMade > r.rt.limits.Calls {
			return &limitError{what: fmt.Sprintf("more than %d tool calls", r.rt.limits.Calls)}
		}
		if err := r.runParallel(r.pendingCalls[:n]); err != nil {
			return err
		}
		r.pendingCalls = r.pendingCalls[n:]
	}
	return nil
}

// parallelCalls is how many of the pending calls may be made at once.
func (r *run) parallelCalls() int {
	n := 0
	for n < len(r.pendingCalls) && r.rt.isGreen(r.pendingCalls[n]) {
		n++
	}
	return max(n, 1)
}

func (rt *Runtime) isGreen(c *call) bool {
	return rt.tiers != nil && rt.tiers.Tier(c.Tool, json.RawMessage(c.Args)) == policy.Green
}

// runParallel makes calls at once and records their results in order.
func (r *run) runParallel(calls []*call) error {
	type result struct {
		out gate.Outcome
		err error
	}
	got := make([]chan result, len(calls))
	for i, c := range calls {
		got[i] = make(chan result, 1)
		go func() {
			out, err := r.runCall(c)
			got[i] <- result{out, err}
		}()
	}
	var first error
	for i, c := range calls {
		res := <-got[i]
		if res.err == nil && first == nil {
			res.err = r.recordResult(c, res.out)
		}
		if first == nil {
			first = res.err
		}
	}
	return first
}

// runCall takes one call through the gate. When the run is stopped, it does not wait for a tool that is slow to notice: the
// gate goes on watching the tool and writes its receipt.
func (r *run) runCall(c *call) (gate.Outcome, error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	c.cancel = cancel
	if err := r.beginCall(c); err != nil {
		cancel(nil)
		return gate.Outcome{}, err
	}
	r.rt.inFlight.add(c)
	type result struct {
		out gate.Outcome
		err error
	}
	got := make(chan result, 1)
	r.rt.work.Go(func() {
		defer cancel(nil)
		defer r.rt.inFlight.remove(c)
		out, err := r.rt.doer.Do(ctx, r.gateCall(c), c.onParked())
		if err == nil {
			r.trackFiles(c, out) // here, because nobody waits for a call whose run was stopped
		}
		got <- result{out, err}
	})
	select {
	case res := <-got:
		return res.out, res.err
	case <-r.ctx.Done():
	}
	late := time.NewTimer(stopPatience)
	defer late.Stop()
	select {
	case <-got:
	case <-late.C:
	}
	return gate.Outcome{}, context.Cause(r.ctx)
}

// beginCall finds out what must be known before the gate sees a call.
func (r *run) beginCall(c *call) error {
	var began time.Time
	if c.resumed {
		var at int64
		row := r.rt.store.Read().QueryRowContext(context.WithoutCancel(r.ctx), "SELECT created_at FROM run_calls WHERE id = ?", c.ID)
		if err := row.Scan(&at); err != nil {
			return fmt.Errorf("read call: %w", err)
		}
		began = time.UnixMicro(at)
	}
	c.track(began)
	return nil
}

// track begins to follow the files of a call that can have changed files since began; zero: from now on.
func (c *call) track(began time.Time) {
	made := taint.Call{ID: c.ID, Tool: c.Tool, Args: c.Args}
	c.files = c.run.rt.files.Track(context.WithoutCancel(c.run.ctx), made, began)
}

func (r *run) gateCall(c *call) gate.Call {
	cfg := r.rt.config()
	return gate.Call{
		ID: c.ID, RunID: r.id, RootRunID: r.t.root.id, SessionID: r.t.session, Agent: c.actor(), Tool: c.Tool,
		Args: json.RawMessage(c.Args), Reason: c.reason, Level: min(r.level(cfg), levelOf(cfg, c.actor())), Origin: r.t.origin,
		Depth: r.depth, Taint: r.sources().With(c.files.Foreseen()), Request: r.t.request(), BudgetRoot: r.t.budget,
	}
}

// onParked is what the gate calls when the call starts or stops waiting for a person. A process that closes does not wait.
func (c *call) onParked() func(bool) {
	var release func() bool
	return func(begins bool) {
		c.run.setParked(begins)
		c.run.setWaiting(begins)
		if begins {
			release = context.AfterFunc(c.run.rt.closing, func() { c.cancel(gate.ErrClosing) })
			return
		}
		c.files.Restart()
		if release != nil {
			release()
		}
	}
}

// recordResult records a result and shows it to the model.
func (r *run) recordResult(c *call, out gate.Outcome) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if errors.Is(context.Cause(r.rt.closing), gate.ErrClosing) && out.State == wire.ToolStopped {
		return gate.ErrClosing
	}
	result := r.resultText(c, out)
	warning, tooOften := r.loopDetector.count(c.Tool, c.Args, result)
	text := result + warning
	now, step := r.rt.now(), r.steps
	r.messages = append(r.messages, llm.Message{Role: llm.ToolReply, Text: text, CallID: c.ref})
	r.absorb(c, out)
	entry := transcript.Entry{RunID: r.id, Kind: transcript.Tool, Step: step, Text: text, CallID: c.ID, At: now}
	r.t.later(func(tx txn) error {
		if err := insertEntry(tx, entry); err != nil {
			return err
		}
		return tx.exec("keep result", "UPDATE run_calls SET result = ?, state = ?, ended_at = iif(ended_at = 0, ?, ended_at) WHERE id = ?",
			truncate(result, maxResult), string(out.State), micros(now), c.ID)
	})
	if child := c.childID(); c.resumed {
		r.t.events.Emit(wire.EventTool, func(n int64) any {
			return wire.ToolData{
				N: n, RunID: r.id, Agent: c.actor(), CallID: c.ID, Tool: c.Tool, Tier: out.Tier, State: out.State,
				Summary: out.Result.Summary, Target: c.target, Child: child,
			}
		})
	}
	if tooOften {
		return &limitError{what: fmt.Sprintf("the same call of %s again and again with the same result", c.Tool)}
	}
	return nil
}

// resultText is what the model reads of an outcome: the text, its state when it is not done, and what a person edited.
func (r *run) resultText(c *call, out gate.Outcome) string {
	if out.State != wire.ToolDone {
		return "[" + string(out.State) + "] " + out.Text
	}
	if out.Tier == string(policy.Green) {
		return out.Text // nobody was asked
	}
	all, err := r.rt.receipts.OfRuns(context.WithoutCancel(r.ctx), r.id)
	if err != nil {
		r.rt.log.Error("receipts of a call not read", "call_id", c.ID, "error", err)
		return out.Text
	}
	for _, rc := range all {
		var body struct {
			Args json.RawMessage `json:"args"`
		}
		if rc.CallID == c.ID && rc.Type == "call.started" && json.Unmarshal(rc.Body, &body) == nil && len(body.Args) > 0 {
			return out.Text + "\n\n[Runtime: a person edited this call before allowing it. What ran: " + string(body.Args) + "]"
		}
	}
	return out.Text
}
