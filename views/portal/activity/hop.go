package activity

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Hop is one run of a tree: of the message itself, handed on, or of a sub-agent.
type Hop struct {
	Run    portal.RunProps
	Sub    string // where a sub-agent stands; empty: it is none
	Level  int    // how high it may stand now; 0: the server does not say
	Tokens int64  // of this run alone
	Alone  bool   // its server can stop it alone
	Below  []Hop
}

// open says whether the run, or one below it, will still do something.
func (h Hop) open() bool {
	for _, b := range h.Below {
		if b.open() {
			return true
		}
	}
	return ui.RunOpen(h.Run.State)
}

// Subs are the runs of the sub-agents among these.
func (h Hop) Subs() (ids []string) {
	if h.Sub != "" {
		ids = append(ids, h.Run.ID)
	}
	for _, b := range h.Below {
		ids = append(ids, b.Subs()...)
	}
	return ids
}

// subWords are the words for where a sub-agent stands.
var subWords = map[string]i18n.Key{
	"spawned": "portal.sub.spawned", "running": "portal.sub.running", "completed": "portal.sub.completed", "failed": "portal.sub.failed",
	"timed_out": "portal.sub.timed_out", "stopped": "portal.sub.stopped",
}

// word says where a run stands.
func (h Hop) word(ctx context.Context) string {
	if key, ok := subWords[h.Sub]; ok && h.Run.State != "parked" {
		return i18n.T(ctx, key)
	}
	return ui.RunWord(ctx, h.Run.State)
}
