package jobs_test

import (
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/order"
	"gatehouse/app/server"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// TestOrder_replacedKey: a server in place of another begins with the key of the order only while the former one lists it as a
// key of the business; else it begins without one, and a code enrolls the first.
func TestOrder_replacedKey(t *testing.T) {
	t.Parallel()
	key, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	other, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		listed string // by the former server; empty: no key
		holder wire.Holder
		kept   bool
	}{
		"it still counts":    {key.SPKI(), wire.HolderPerson, true},
		"it was revoked":     {other.SPKI(), wire.HolderPerson, false},
		"there is none":      {"", "", false},
		"it is of our staff": {key.SPKI(), wire.HolderStaff, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, dbtest.New(t))
			b.work(t, b.deps(time.Now))
			_, o := b.checkout(t)
			was := b.reaches(t, o, order.Fulfilled)
			const sent = "UPDATE orders SET approver_key = $1, approver_passkey = 'AAEC', approver_box = '{}' WHERE id = $2"
			if _, err := b.db.Pool.Exec(t.Context(), sent, key.SPKI(), o.ID); err != nil {
				t.Fatal(err)
			}
			var state wire.ApproverState
			if c.listed != "" {
				state.Keys = []wire.ApproverKey{{
					KeyID: wire.ApproverKeyIDOf(c.listed), SPKI: c.listed, Kind: wire.BrowserKey, Holder: c.holder, Label: "k",
					AddedBy: wire.AddedByOrder, CreatedAt: time.Now().UTC(),
				}}
			}
			if err := (&db.Approvers{DB: b.db}).Report(t.Context(), server.ID(was.ServerID), state); err != nil {
				t.Fatal(err)
			}
			b.host.mu.Lock()
			b.host.fail = func(string) error { return order.Final("Not yet.", nil) }
			b.host.mu.Unlock()
			next, err := b.orders.Replace(t.Context(), o.CustomerID, o.ID, "", manager)
			if err != nil {
				t.Fatal(err)
			}
			want := [3]string{}
			if c.kept {
				want = [3]string{key.SPKI(), "AAEC", "{}"}
			}
			for _, got := range []order.Order{next, b.reaches(t, next, order.Failed)} {
				if [3]string{got.ApproverKey, got.Passkey, got.ApproverBox} != want {
					t.Errorf("the new order has %q, %q, %q; want %q", got.ApproverKey, got.Passkey, got.ApproverBox, want)
				}
			}
		})
	}
}
