package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/team"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Dispatch runs task as a delegated run of agent target and returns its answer and its id. callID is the id of the
// agent_dispatch call, which must be with the gate: a repeat goes on with the same run. A refusal is a *tool.Refused.
func (r *Runtime) Dispatch(ctx context.Context, callID, runID, _, target, task, background string) (text, childRunID string, err error) {
	c := r.inFlight.find(callID)
	if c == nil || c.run.id != runID {
		return "", "", fmt.Errorf("dispatch: run %s does not make the call %s", runID, callID)
	}
	child, err := r.childFor(c, target, task, background)
	if err != nil {
		return "", "", err
	}
	if child.state.Open() {
		if err := child.executeChild(ctx, c); err != nil {
			return "", child.id, err
		}
	}
	text, err = child.answerText()
	return text, child.id, err
}

// executeChild runs a delegated run to its end. While it is at work, the one that delegated needs no place in a lane.
func (r *run) executeChild(ctx context.Context, c *call) error {
	c.run.setWaiting(true)
	defer c.run.setWaiting(false)
	defer r.isOver()
	release := context.AfterFunc(ctx, func() { r.stop(context.Cause(ctx)) })
	defer release()
	err := r.execute()
	if err != nil && isShutdown(err) {
		c.cancel(gate.ErrClosing) // tells the gate that the call goes on in the next process
		return gate.ErrClosing
	}
	return r.finishChild(err)
}

// childFor finds the run of a dispatch that was made before, or makes a new one.
func (r *Runtime) childFor(c *call, target, task, background string) (*run, error) {
	if known := c.childRun(); known != nil {
		return known, nil
	}
	if err := r.mayDispatch(c.run, target); err != nil {
		return nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("run id: %w", err)
	}
	if background != "" {
		task += "\n\nBackground from " + c.run.agent + ":\n" + background
	}
	child := c.run.newChild(id.String(), c.ID, target, task)
	child.addTaint(c.run.sources())
	return child, c.run.t.recordChild(child, c)
}

// newChild makes a run that this one delegates. It is not on record yet.
func (r *run) newChild(id, callID, agent, task string) *run {
	child := &run{
		rt: r.rt, t: r.t, parent: r, parentCall: callID, id: id, agent: agent, text: task, depth: r.depth + 1, attempt: 1,
		lane: r.rt.sub, state: wire.RunQueued,
	}
	child.initClock(r.ctx, 0)
	return child
}

// mayDispatch refuses a chain that is too long or comes back to one of its own, colleagues that are not there, and more
// runs than one message may make: each has steps and calls of its own, so that without it one message could cost any sum.
func (r *Runtime) mayDispatch(from *run, target string) error {
	if from.t.sub != nil {
		return &tool.Refused{Text: "You are a sub-agent: do the task yourself, and say at the end what is left."}
	}
	if err := r.mayHandTo(from, target); err != nil {
		return err
	}
	if from.depth+1 > r.limits.Depth {
		const deep = "This task was handed on %d times already; do it yourself or say what is in the way."
		return &tool.Refused{Text: fmt.Sprintf(deep, r.limits.Depth)}
	}
	for p := from; p != nil; p = p.parent {
		if p.agent == target {
			return &tool.Refused{Text: r.nameOf(target) + " already works on the task that this belongs to; it cannot be handed back."}
		}
	}
	if !from.t.countHandoff(r.limits.Handed) {
		return &tool.Refused{Text: fmt.Sprintf("Of this message %d tasks were handed on already; answer with what you have.", r.limits.Handed)}
	}
	return nil
}

// mayHandTo refuses colleagues that are not there or switched off, and those that the owner has not let this agent ask.
func (r *Runtime) mayHandTo(from *run, target string) error {
	agent, err := r.team.Agent(target)
	if err != nil {
		return &tool.Refused{Text: fmt.Sprintf("There is no colleague %q.", target)}
	}
	if r.config().Agents[target].Off {
		return &tool.Refused{Text: agent.Name + " is switched off by the owner."}
	}
	if from.agent != team.Dispatcher && !slices.Contains(r.config().Agents[from.agent].Asks, target) {
		const no = "The owner has not let you hand tasks to %s. Say what is needed; the front desk can ask."
		return &tool.Refused{Text: fmt.Sprintf(no, agent.Name)}
	}
	return nil
}

// nameOf is what people call an agent.
func (r *Runtime) nameOf(agent string) string {
	a, err := r.team.Agent(agent)
	if err != nil {
		return agent
	}
	return a.Name
}

// countHandoff counts a task that is handed on. It reports false when there are most already.
func (t *tree) countHandoff(most int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.handoffs >= most {
		return false
	}
	t.handoffs++
	return true
}

// recordChild puts a delegated run on record and shows it on the chip of its call.
func (t *tree) recordChild(child *run, c *call) error {
	row := runRow{
		ID: child.id, RootID: t.root.id, ParentID: child.parent.id, ParentCall: c.ID, SessionID: t.session, Agent: child.agent,
		Text: child.text, Origin: []byte(toJSON(t.origin)), Depth: child.depth, SentAt: t.rt.now(), CreatedAt: t.rt.now(),
	}
	err := t.write(func(tx txn) error {
		if _, err := insertRun(tx, row); err != nil {
			return err
		}
		return tx.exec("keep dispatch", "UPDATE run_calls SET target = ?, child = ? WHERE id = ?", child.agent, child.id, c.ID)
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.runs = append(t.runs, child)
	t.mu.Unlock()
	t.rt.mu.Lock()
	t.rt.byRun[child.id] = t
	t.rt.mu.Unlock()
	t.events.Emit(wire.EventTool, func(n int64) any {
		return wire.ToolData{
			N: n, RunID: c.run.id, Agent: c.run.agent, CallID: c.ID, Tool: c.Tool, Tier: "green", State: wire.ToolRunning,
			Summary: "Ask " + child.agent + ": " + preview(child.text), Target: child.agent, Child: child.id,
		}
	})
	return nil
}

// finishChild puts the end of a delegated run on record. A tree that was stopped as a whole is an error.
func (r *run) finishChild(err error) error {
	if err != nil {
		data := r.errorData(err)
		data.RunID = r.id
		r.state, r.errorJSON = stateOf(err), toJSON(data)
		keep := func(tx txn) error {
			if err := r.recordEnd(tx, r.state, nil, &data); err != nil {
				return err
			}
			return r.appendStopReceipt(tx, err, data)
		}
		if err := r.t.write(keep); err != nil {
			return err
		}
		if r.t.ctx.Err() != nil {
			return context.Cause(r.t.ctx)
		}
		return nil
	}
	final := wire.FinalData{
		RunID: r.id, Agent: r.agent, Text: r.answer, Verdict: r.checked.Verdict, Claims: r.checked.Claims, Usage: r.usage,
	}
	r.state, r.finalJSON = wire.RunDone, toJSON(final)
	return r.t.write(func(tx txn) error { return r.recordEnd(tx, wire.RunDone, &final, nil) })
}

// answerText is what the agent that delegated reads of a run that has ended.
func (r *run) answerText() (string, error) {
	if r.state != wire.RunDone {
		var e wire.ErrorData
		if err := json.Unmarshal([]byte(r.errorJSON), &e); err != nil {
			return "", errors.Join(errors.New("a delegated run ended without a word"), err)
		}
		return "", &tool.Refused{Text: fmt.Sprintf("%s could not finish: %s. %s", r.agent, e.Title, e.Detail)}
	}
	var f wire.FinalData
	if err := json.Unmarshal([]byte(r.finalJSON), &f); err != nil {
		return "", fmt.Errorf("answer of run %s: %w", r.id, err)
	}
	return doubted(f), nil
}

// doubted is an answer as the run reads it that asked for it: with a mark where the receipts do not show what it says.
func doubted(f wire.FinalData) string {
	switch f.Verdict {
	case wire.VerdictNotProven, wire.VerdictContradicted, wire.VerdictPartly:
		return f.Text + "\n\n[Runtime: some of this is not shown by the receipts. Do not pass it on as done.]"
	}
	return f.Text
}
