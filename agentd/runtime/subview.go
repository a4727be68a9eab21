package runtime

import (
	"context"

	"gatehouse/agentd/wire"
)

// addSubs adds to the record of a root run the sub-agents that its runs began, and says of all of them how high they stand.
func (r *Runtime) addSubs(ctx context.Context, v *wire.Run) error {
	begun, err := subsWhere(ctx, r.store.Read(), "s.parent_root = ?", v.ID)
	if err != nil {
		return err
	}
	for _, s := range begun {
		rows, err := r.runsWhere(ctx, "id = ?", s.ID)
		if err != nil {
			return err
		}
		for _, row := range rows {
			i := r.info(row)
			i.ParentID, i.Depth = s.parentRun, depthIn(*v, s.parentRun)+1
			v.Tree = append(v.Tree, i)
		}
	}
	self := []wire.RunInfo{v.RunInfo}
	if err := r.markSubs(ctx, self); err != nil {
		return err
	}
	v.RunInfo = self[0]
	if err := r.markSubs(ctx, v.Tree); err != nil {
		return err
	}
	return r.fillLevels(ctx, v)
}

// depthIn is how deep a run stands in the tree of a record.
func depthIn(v wire.Run, id string) int {
	for _, i := range v.Tree {
		if i.ID == id {
			return i.Depth
		}
	}
	return 0
}

// markSubs says of those runs that are sub-agents how they stand, and whose they are.
func (r *Runtime) markSubs(ctx context.Context, all []wire.RunInfo) error {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	known, err := subsWhere(ctx, r.store.Read(), "s.id IN (SELECT value FROM json_each(?))", toJSON(ids))
	if err != nil {
		return err
	}
	for i := range all {
		for _, s := range known {
			if s.ID == all[i].ID {
				all[i].Sub = s.of()
			}
		}
	}
	return nil
}

// of says whose a sub-agent is.
func (s subRow) of() *wire.SubOf {
	o := &wire.SubOf{State: s.state(), Run: s.parentRun, Root: s.parentRoot, Told: s.Told, CallID: s.callID}
	if o.Told == nobody {
		o.Told = ""
	}
	return o
}

// fillLevels says how high each run of a record may stand now: no higher than any that stands above it.
func (r *Runtime) fillLevels(ctx context.Context, v *wire.Run) error {
	rows, err := r.runsWhere(ctx, "id = ?", v.ID)
	if err != nil || len(rows) == 0 {
		return err
	}
	cfg := r.config()
	v.Level = levelOf(cfg, v.Agent)
	if limit := rows[0].LevelCap; limit > 0 {
		v.Level = min(v.Level, limit)
	}
	if v.Sub != nil {
		known, err := subsWhere(ctx, r.store.Read(), "s.id = ?", v.ID)
		if err != nil {
			return err
		}
		for _, s := range known {
			v.Level = min(v.Level, lowestOf(cfg, s.chain))
		}
	}
	at := map[string]int{v.ID: v.Level}
	for i := range v.Tree {
		v.Tree[i].Level = levelOf(cfg, v.Tree[i].Agent)
		if above := at[v.Tree[i].ParentID]; above > 0 {
			v.Tree[i].Level = min(v.Tree[i].Level, above)
		}
		at[v.Tree[i].ID] = v.Tree[i].Level
	}
	return nil
}

// lowestOf is the lowest level of some agents.
func lowestOf(cfg wire.Config, agents []string) int {
	lowest := levelOf(cfg, agents[0])
	for _, a := range agents {
		lowest = min(lowest, levelOf(cfg, a))
	}
	return lowest
}
