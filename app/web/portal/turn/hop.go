package turn

import (
	"gatehouse/agentd/wire"
	"gatehouse/views/portal/activity"
)

// Hops are the runs of a message, each below the one that handed the work on or began it.
func Hops(run wire.Run, names Names) activity.Hop {
	top := hop(run.RunInfo, names)
	top.Below = hopsBelow(run, run.ID, names, map[string]bool{run.ID: true})
	return top
}

func hopsBelow(run wire.Run, id string, names Names, seen map[string]bool) (all []activity.Hop) {
	for _, i := range run.Tree {
		if i.ParentID != id || seen[i.ID] {
			continue
		}
		seen[i.ID] = true
		h := hop(i, names)
		h.Run.Root = run.ID // where its line stands
		h.Below = hopsBelow(run, i.ID, names, seen)
		all = append(all, h)
	}
	return all
}

func hop(i wire.RunInfo, names Names) activity.Hop {
	h := activity.Hop{Run: Line(i, names(i.Agent)), Level: i.Level, Tokens: i.Tokens, Alone: i.Level > 0}
	if i.Sub != nil {
		h.Sub = string(i.Sub.State)
	}
	return h
}
