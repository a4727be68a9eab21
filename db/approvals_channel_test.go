package db_test

import (
	"context"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/db"
)

// TestApprovals_byChannel: the first answer is the owner's by a channel, and takes the place of what the hub has stored.
func TestApprovals_byChannel(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	n, srv := withServer(t, d)
	s := &db.Approvals{DB: d}
	by := wire.DecidedBy{Name: "owner@example.com", Role: "owner", Channel: wire.ChannelTelegram, Method: wire.PairedIdentity, Time: t0}
	type answers struct{ stored, first wire.ApprovalState }
	for _, c := range []answers{
		{wire.ApprovalDenied, wire.ApprovalAllowed},
		{wire.ApprovalAllowed, wire.ApprovalDenied},
		{wire.ApprovalAllowed, wire.ApprovalAllowed},
		{wire.ApprovalDenied, wire.ApprovalDenied},
	} {
		a := pendingOf(t, d, n.Order.CustomerID, srv.ID)
		for _, u := range []wire.ApprovalUpdate{{State: c.stored}, {State: c.first, DecidedBy: &by}} {
			apply := func(_ context.Context, a *approval.Item) error { return a.Apply(u, t0) }
			got, err := s.Change(t.Context(), n.Order.CustomerID, a.ID, apply)
			if err != nil || got.State != u.State || u.DecidedBy != nil && *got.DecidedBy != by {
				t.Errorf("%+v: %+v, %v", c, got, err)
			}
		}
	}
}
