package public_test

import (
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/work"
)

// replaced has another server take the place of the customer's.
func (h *hub) replaced(t *testing.T) order.Order {
	t.Helper()
	by := audit.Actor{Kind: audit.Staff, Name: "staff@example.com", Role: "MANAGER"}
	was, err := h.orders.Of(t.Context(), h.customer(t))
	if err != nil {
		t.Fatal(err)
	}
	o, err := h.orders.Replace(t.Context(), was.CustomerID, was.ID, "", by)
	if err != nil {
		t.Fatal(err)
	}
	var id string
	err = h.db.Pool.QueryRow(t.Context(), `INSERT INTO servers (id, customer_id, order_id, slug, provider, state, next, created_at)
		VALUES (gen_random_uuid(), $1, $2, $3, 'local', 'new', true, now()) RETURNING id`, o.CustomerID, o.ID, o.Slug).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	for o.State != order.Fulfilled {
		job := work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt}
		if o, err = h.orders.Advance(t.Context(), job, "step done", id); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// away makes the tab a page of the portal that follows nothing; drawn has a card of a server come up there.
const (
	away = `void (history.replaceState(null, "", "/app/inbox"),
		document.querySelector("[data-order]").closest("main").replaceChildren())`
	drawn = `(server => {
		document.querySelector("main").innerHTML = '<form id="card"></form>';
		document.querySelector("#card").dataset.sign = "gatehouse-call-v1\n" + server + "\nx";
		document.dispatchEvent(new Event("htmx:after:swap")) })`
)

// TestFirstKey_replacedInABrowser: the browser whose key was taken over by the server that replaced its own goes on with it, once
// that server says that it is its only one: on the page of the order, and by itself where a card of the new server comes up. The
// former server keeps its key. A key that the new server does not confirm is not copied, and not lost.
func TestFirstKey_replacedInABrowser(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	first := ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))
	second := ed25519.NewKeyFromSeed([]byte("the seed of another test server."))
	same := func(*wire.Vouched) {}
	for name, c := range map[string]struct {
		portal bool
		change func(*wire.Vouched)
		kept   bool
	}{
		"on the page of the order": {false, same, true},
		"on a page of the portal":  {true, same, true},
		"signed by nobody":         {false, func(v *wire.Vouched) { v.Sig = strings.Repeat("0", 128) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			p := h.tab(t)
			own := p.orderIn("0")
			h.advance(t, h.customer(t), order.Fulfilled)
			h.reports(t, first, same, keyOf(own))
			p.until("the word about the key", noticeNow)
			old := wire.ApproverKeyIDOf(own) + "," + wire.CardKey(first) + ",false,36"
			if got := p.ring(); got != old {
				t.Fatalf("the ring holds %q, want %q", got, old)
			}
			if c.portal {
				eval[any](p, away)
			}
			now := h.replaced(t)
			if now.ApproverKey != own {
				t.Fatalf("the new order has the key %q", now.ApproverKey)
			}
			h.reports(t, second, c.change, keyOf(own))
			if c.portal {
				eval[any](p, "void "+drawn+`("`+now.ServerID+`")`)
			}
			about := `document.querySelector("[data-first-key]")?.dataset.server === "` + now.ServerID + `" && `
			p.until("the new server's word", about+noticeNow)
			said, want := "refused", []string{old}
			if c.kept {
				said, want = "kept", append(want, wire.ApproverKeyIDOf(own)+","+wire.CardKey(second)+",false,36")
			}
			if got := eval[string](p, noticeNow); got != said {
				t.Errorf("the page says %q, want %q", got, said)
			}
			got := strings.Split(p.ring(), ";")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("the ring holds %q, want %q", got, want)
			}
		})
	}
}
