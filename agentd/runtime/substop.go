package runtime

import (
	"context"
	"fmt"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// StopSub stops a sub-agent of the conversation, for a call of subagent_stop that is with the gate. It returns when that is
// durable. A refusal is a *tool.Refused.
func (r *Runtime) StopSub(ctx context.Context, callID, runID, id string) (task string, err error) {
	c := r.inFlight.find(callID)
	if c == nil || c.run.id != runID {
		return "", fmt.Errorf("stop: run %s does not make the call %s", runID, callID)
	}
	if err := r.noSub(c.run); err != nil {
		return "", err
	}
	known, err := subsWhere(ctx, r.store.Read(), "s.id = ? AND s.parent_session = ?", id, c.run.t.session)
	switch {
	case err != nil:
		return "", err
	case len(known) == 0:
		return "", &tool.Refused{Text: "There is no such sub-agent in this conversation."}
	case known[0].Ended != "":
		return "", &tool.Refused{Text: "It has ended already: " + string(known[0].Ended) + "."}
	}
	if err := r.takeOver(ctx, c.run, known); err != nil {
		return "", err
	}
	by := c.run.t.origin
	return preview(known[0].Task), write(ctx, r.store, func(tx txn) error { return r.stopSub(tx, id, by) })
}

// stopSubs stops the open sub-agents of a root run once tx is durable.
func (r *Runtime) stopSubs(tx txn, root string, by wire.Origin) error {
	open, err := subsWhere(context.Background(), tx.tx, "s.parent_root = ? AND s.state = ''", root)
	if err != nil {
		return err
	}
	for _, s := range open {
		if err := r.stopSub(tx, s.ID, by); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runtime) stopSub(tx txn, id string, by wire.Origin) error {
	return r.AcceptCancel(context.Background(), tx.tx, wire.RunCancel{RunID: id, By: by})
}

// openSubsOf are the sub-agents of a conversation, or of a root run, that have not ended.
func (r *Runtime) openSubsOf(ctx context.Context, column, id string) ([]subRow, error) {
	return subsWhere(ctx, r.store.Read(), "s."+column+" = ? AND s.state = ''", id)
}
