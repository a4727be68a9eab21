package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// bell wakes those who wait for a change of sub-agents.
type bell struct {
	mu   sync.Mutex
	rung chan struct{}
}

func newBell() *bell { return &bell{rung: make(chan struct{})} }

// next is closed at the next change. Listen first, then look, so that no change is missed.
func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rung
}

func (b *bell) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.rung)
	b.rung = make(chan struct{})
}

// CheckSubs says how the sub-agents of the conversation stand, for a call of subagent_check that is with the gate; ids pick
// some of them. With wait, it returns when those that this message began have ended, or wait for a person. What it says of one
// that has ended counts as told. A refusal is a *tool.Refused.
func (r *Runtime) CheckSubs(ctx context.Context, callID, runID string, ids []string, wait bool) (text string, n int, err error) {
	c := r.inFlight.find(callID)
	if c == nil || c.run.id != runID {
		return "", 0, fmt.Errorf("check: run %s does not make the call %s", runID, callID)
	}
	if err := r.noSub(c.run); err != nil {
		return "", 0, err
	}
	all, err := r.lookAtSubs(ctx, c, ids, wait)
	if err != nil {
		return "", 0, err
	}
	if len(all) == 0 {
		return "There are no such sub-agents in this conversation.", 0, nil
	}
	var b strings.Builder
	for _, s := range all {
		b.WriteString("- " + s.words() + "\n")
	}
	return b.String(), len(all), r.collect(ctx, c.run, all)
}

// noSub refuses to a sub-agent what is for those who have some.
func (r *Runtime) noSub(from *run) error {
	if from.t.sub != nil {
		return &tool.Refused{Text: "You are a sub-agent: there are none below you."}
	}
	return nil
}

// lookAtSubs reads the sub-agents of a conversation, and waits for those of the message as long as it is told to.
func (r *Runtime) lookAtSubs(ctx context.Context, c *call, ids []string, wait bool) ([]subRow, error) {
	const ofIt = "s.parent_session = ? AND (s.state = '' OR s.told IN ('', ?) OR s.ended_at > ?)"
	mine := c.run.t.root.id
	for {
		changed := r.subs.next()
		all, err := subsWhere(ctx, r.store.Read(), ofIt, c.run.t.session, mine, micros(r.now().Add(-keptAfter)))
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			all = slices.DeleteFunc(all, func(s subRow) bool { return !slices.Contains(ids, s.ID) })
		}
		atWork := slices.ContainsFunc(all, func(s subRow) bool {
			return s.parentRoot == mine && s.Ended == "" && s.Run != wire.RunParked
		})
		if !wait || !atWork {
			return all, nil
		}
		if err := c.awaitSubs(ctx, changed); err != nil {
			return nil, err
		}
	}
}

// awaitSubs waits for a change. Meanwhile the run needs no place in its lane, and its time stands still.
func (c *call) awaitSubs(ctx context.Context, changed <-chan struct{}) error {
	c.run.setWaiting(true)
	defer c.run.setWaiting(false)
	c.run.watch.stop()
	defer c.run.watch.start()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.run.rt.closing.Done():
		c.cancel(gate.ErrClosing) // tells the gate that the call goes on in the next process
		return gate.ErrClosing
	}
}

// takeOver has a run that reads of sub-agents take over what stands behind them: behind the task of one at work as behind a result.
func (r *Runtime) takeOver(ctx context.Context, to *run, all []subRow) error {
	for _, s := range all {
		behind, err := taint.OfRun(ctx, r.store, s.ID)
		if err != nil {
			return err
		}
		to.addTaint(behind)
	}
	return nil
}

// collect notes that a run was told of the ends among these, and takes over what stands behind all of them.
func (r *Runtime) collect(ctx context.Context, to *run, all []subRow) error {
	if err := r.takeOver(ctx, to, all); err != nil {
		return err
	}
	return to.t.write(func(tx txn) error {
		for _, s := range all {
			if s.Ended == "" {
				continue
			}
			err := tx.exec("keep report", "UPDATE subagents SET told = ? WHERE id = ? AND told = ''", to.t.root.id, s.ID)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
