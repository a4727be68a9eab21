package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/runtime/transcript"
	"gatehouse/agentd/wire"
)

// getRun gives everything a page shows of one root run.
func (r *Runtime) getRun(ctx context.Context, p wire.RunParams) (wire.Run, error) {
	row, err := r.syncedRow(ctx, p.RunID)
	if err != nil {
		return wire.Run{}, err
	}
	v, err := r.view(ctx, row)
	if err == nil {
		v.Used = r.usedBy(ctx, row.ID)
	}
	return v, err
}

func (r *Runtime) view(ctx context.Context, root runRow) (wire.Run, error) {
	members, err := r.runsWhere(ctx, "root_id = ? ORDER BY seq", root.ID)
	if err != nil {
		return wire.Run{}, err
	}
	v := wire.Run{RunInfo: r.info(root), Claims: []wire.Claim{}, Tree: []wire.RunInfo{}, Usage: wire.Usage{Model: root.Model}}
	ids, agents := make([]string, len(members)), map[string]string{}
	for i, m := range members {
		ids[i], agents[m.ID] = m.ID, m.Agent
		v.Usage.Input, v.Usage.Output = v.Usage.Input+m.UsageIn, v.Usage.Output+m.UsageOut
		if m.Depth > 0 {
			v.Tree = append(v.Tree, r.info(m))
		}
	}
	if err := r.addSubs(ctx, &v); err != nil {
		return wire.Run{}, err
	}
	self := []wire.RunInfo{v.RunInfo}
	if err := cmp.Or(root.fillEnd(&v), r.fillDid(ctx, self)); err != nil {
		return wire.Run{}, err
	}
	v.Did, v.DidMore = self[0].Did, self[0].DidMore
	if v.Steps, err = r.stepsOf(ctx, ids, agents); err != nil {
		return wire.Run{}, err
	}
	if v.Calls, err = r.callsOf(ctx, root.ID); err != nil {
		return wire.Run{}, err
	}
	if v.Asked, err = r.approvals.OfRuns(ctx, ids); err != nil {
		return wire.Run{}, err
	}
	return v, nil
}

// usedBy is what a root run used. A meter that does not answer keeps nobody from seeing what the run did.
func (r *Runtime) usedBy(ctx context.Context, root string) []wire.RunUse {
	if r.used == nil {
		return nil
	}
	all, err := r.used(ctx, root)
	if err != nil {
		r.log.WarnContext(ctx, "what a run used is not known", "run", root, "error", err)
		return nil
	}
	return all
}

// fillEnd fills in how a run ended.
func (row runRow) fillEnd(v *wire.Run) error {
	if row.Final != "" {
		v.Final = &wire.FinalData{}
		if err := json.Unmarshal([]byte(row.Final), v.Final); err != nil {
			return fmt.Errorf("answer of run %s: %w", row.ID, err)
		}
		v.Claims = v.Final.Claims
	}
	if row.Error != "" {
		v.Error = &wire.ErrorData{}
		if err := json.Unmarshal([]byte(row.Error), v.Error); err != nil {
			return fmt.Errorf("error of run %s: %w", row.ID, err)
		}
	}
	return nil
}

// info is a run as lists show it.
func (r *Runtime) info(row runRow) wire.RunInfo {
	from := originOf(row)
	return wire.RunInfo{
		ID: row.ID, RootID: row.RootID, ParentID: row.ParentID, SessionID: row.SessionID, Agent: row.Agent,
		State: wire.RunState(row.State), Task: truncate(r.shown(row.Text, from), 200), Channel: from.Channel, Depth: row.Depth,
		Verdict: wire.Verdict(row.Verdict), Worst: row.Worst, Calls: row.Calls,
		CreatedAt: row.CreatedAt, StartedAt: row.StartedAt, EndedAt: row.EndedAt, Tokens: row.UsageIn + row.UsageOut,
	}
}

func (r *Runtime) stepsOf(ctx context.Context, ids []string, agents map[string]string) ([]wire.Step, error) {
	entries, err := transcript.OfRuns(ctx, r.store.Read(), ids...)
	if err != nil {
		return nil, err
	}
	steps := []wire.Step{}
	for _, e := range entries {
		if e.Kind != transcript.Assistant {
			continue
		}
		s := wire.Step{RunID: e.RunID, Agent: agents[e.RunID], N: e.Step, Text: e.Text, Calls: []string{}, Time: e.At}
		for _, c := range e.Calls {
			s.Calls = append(s.Calls, c.ID)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func (r *Runtime) callsOf(ctx context.Context, root string) ([]wire.CallInfo, error) {
	rows, err := r.store.Read().QueryContext(ctx, `SELECT id, run_id, agent, tool, args, state, action, tier, summary, result,
		target, child, approval_id, started_at, ended_at FROM run_calls WHERE root_id = ? ORDER BY id`, root)
	if err != nil {
		return nil, fmt.Errorf("read calls: %w", err)
	}
	defer rows.Close()
	calls := []wire.CallInfo{}
	for rows.Next() {
		var c wire.CallInfo
		var args string
		var started, ended int64
		err := rows.Scan(&c.ID, &c.RunID, &c.Agent, &c.Tool, &args, &c.State, &c.Action, &c.Tier, &c.Summary, &c.Result,
			&c.Target, &c.Child, &c.ApprovalID, &started, &ended)
		if err != nil {
			return nil, fmt.Errorf("read calls: %w", err)
		}
		c.Args, c.StartedAt, c.EndedAt = asRawJSON(args), fromMicros(started), fromMicros(ended)
		calls = append(calls, c)
	}
	return calls, rows.Err()
}

// asRawJSON is what a page gets of arguments: as they are, or as a text when the model wrote no JSON.
func asRawJSON(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return json.RawMessage(toJSON(args))
}
