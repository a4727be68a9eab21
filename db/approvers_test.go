package db_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// TestApprovers_vouched: the signature over the list of keys is that of the newest report, and goes with one that has none.
func TestApprovers_vouched(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n, srv := withServer(t, d)
	keys := &db.Approvers{DB: d}
	signed := wire.Vouched{Key: "card key", Sig: "signature"}
	newer := wire.Vouched{Key: "card key", Sig: "newer"}
	for _, told := range []*wire.Vouched{nil, &signed, &newer, &newer, nil} {
		must(t, keys.Report(t.Context(), srv.ID, wire.ApproverState{Vouched: told}))
		ring, err := keys.Of(t.Context(), n.Order.CustomerID)
		if err != nil || (ring.Vouched == nil) != (told == nil) || told != nil && *ring.Vouched != *told {
			t.Errorf("told %+v, kept %+v, %v", told, ring.Vouched, err)
		}
	}
}

// TestApprovers_recovery: the sealed recovery code is that of the newest report, and nothing of it stays when one comes without.
func TestApprovers_recovery(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	n, srv := withServer(t, d)
	keys := &db.Approvers{DB: d}
	vouched := wire.Vouched{Key: "card key", Sig: "signature"}
	one := wire.SealedRecovery{KeyID: "k", Box: "first box", Sig: "s"}
	two := wire.SealedRecovery{KeyID: "k", Box: "second box", Sig: "s"}
	for _, told := range []*wire.SealedRecovery{nil, &one, &one, &two, nil} {
		must(t, keys.Report(t.Context(), srv.ID, wire.ApproverState{Vouched: &vouched, Recovery: told}))
		ring, err := keys.Of(t.Context(), n.Order.CustomerID)
		if err != nil || (ring.Recovery == nil) != (told == nil) || told != nil && *ring.Recovery != *told {
			t.Errorf("told %+v, kept %+v, %v", told, ring.Recovery, err)
		}
	}
	var left string
	must(t, d.Pool.QueryRow(t.Context(), "SELECT coalesce(json_agg(l)::text, '') FROM approver_lists AS l").Scan(&left))
	if strings.Contains(left, "box") {
		t.Errorf("left is %s", left)
	}
}
