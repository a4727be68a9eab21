package db_test

import (
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
