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
	for _, was := range []wire.ApprovalState{wire.ApprovalDenied, wire.ApprovalAllowed} {
		a := pendingOf(t, d, n.Order.CustomerID, srv.ID)
		for _, u := range []wire.ApprovalUpdate{{State: was}, {State: map[wire.ApprovalState]wire.ApprovalState{
			wire.ApprovalDenied: wire.ApprovalAllowed, wire.ApprovalAllowed: wire.ApprovalDenied,
		}[was], DecidedBy: &by}} {
			apply := func(_ context.Context, a *approval.Item) error { return a.Apply(u, t0) }
			got, err := s.Change(t.Context(), n.Order.CustomerID, a.ID, apply)
			if err != nil || got.State != u.State || u.DecidedBy != nil && *got.DecidedBy != by {
				t.Errorf("%s: %+v, %v", was, got, err)
			}
		}
	}
}
