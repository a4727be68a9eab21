package turn

import (
	"gatehouse/agentd/wire"
	"gatehouse/app/web/inbox/card"
)

// ask is one approval as its server reports it, and as the hub told it when a person decided: the hub knows first, the
// server knows last.
type ask struct {
	server *wire.Approval
	hub    *wire.Approval
	dirty  bool // changed since the last look
}

// approval takes over a question of a run, or how it stands now.
func (t *Turn) approval(d wire.ApprovalData) {
	if !plain(d.ID) {
		return
	}
	t.begins()
	a := t.asks[d.ID]
	if a == nil {
		a = &ask{hub: t.told[d.ID]}
		t.asks[d.ID] = a
		w := t.workOf(d.Approval.RunID, d.Agent)
		w.items = append(w.items, item{ask: a})
	}
	a.server, a.dirty, t.foot = &d.Approval, true, true
}

// Told takes over what the hub knows of an approval, which may be a decision that the server has not applied yet. It
// never turns back what the server reports, and adds nothing that the run does not ask itself.
func (t *Turn) Told(a wire.Approval) {
	t.told[a.ID] = &a
	if known := t.asks[a.ID]; known != nil {
		known.hub, known.dirty, t.foot = &a, true, true
	}
}

// now is what the page shows of a.
func (a *ask) now() wire.Approval {
	if a.hub == nil || !card.Further(a.hub, a.server) {
		return *a.server
	}
	return card.WithContents(*a.hub, *a.server)
}
