package public_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
	"gatehouse/app/order"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/db"
)

// keyOf is a browser's key as a server reports it.
func keyOf(spki string) wire.ApproverKey {
	return wire.ApproverKey{
		KeyID: wire.ApproverKeyIDOf(spki), SPKI: spki, Kind: wire.BrowserKey, Holder: wire.HolderPerson, Label: "k",
		AddedBy: wire.AddedByOrder, CreatedAt: time.Now().UTC(),
	}
}

// ordered is the key that came with the only order.
func (h *hub) ordered(t *testing.T) string {
	t.Helper()
	o, err := h.orders.Of(t.Context(), h.customer(t))
	if err != nil {
		t.Fatal(err)
	}
	return o.ApproverKey
}

func aKey(t *testing.T) wire.Signer {
	t.Helper()
	s, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCheckout_key: what a form brings as a key is a key, or the order is not made; one without goes on.
func TestCheckout_key(t *testing.T) {
	t.Parallel()
	good := aKey(t).SPKI()
	for name, c := range map[string]struct {
		key, email string
		status     int
		kept, back string // on the order; in the form that comes again
	}{
		"none":          {"", "owner@example.com", http.StatusSeeOther, "", ""},
		"a key":         {good, "owner@example.com", http.StatusSeeOther, good, ""},
		"no key":        {"AAAA", "owner@example.com", http.StatusUnprocessableEntity, "", ""},
		"padded":        {good + "=", "owner@example.com", http.StatusUnprocessableEntity, "", ""},
		"to be mended":  {good, "no address", http.StatusUnprocessableEntity, "", good},
		"worse than so": {"AAAA", "no address", http.StatusUnprocessableEntity, "", ""},
	} {
		h := start(t)
		a := h.browser(t).fill("/checkout?plan=build", "/checkout", "business", "The Bakery", "name", "The owner", "email", c.email,
			"password", password, "approver_key", c.key)
		if a.StatusCode != c.status {
			t.Errorf("%s: status %d", name, a.StatusCode)
			continue
		}
		if c.status == http.StatusSeeOther {
			if got := h.ordered(t); got != c.kept {
				t.Errorf("%s: kept %q", name, got)
			}
			continue
		}
		if got := a.doc(t).Find(`[name=approver_key]`).AttrOr("value", "?"); got != c.back {
			t.Errorf("%s: the form has %q", name, got)
		}
	}
}

// reports is a server's word about its keys.
func (h *hub) reports(t *testing.T, signed ed25519.PrivateKey, change func(*wire.Vouched), keys ...wire.ApproverKey) {
	t.Helper()
	o, err := h.orders.Of(t.Context(), h.customer(t))
	if err != nil {
		t.Fatal(err)
	}
	v, err := wire.VouchKeys(o.ServerID, keys, signed)
	if err != nil {
		t.Fatal(err)
	}
	change(v)
	if err := (&db.Approvers{DB: h.db}).Report(t.Context(), server.ID(o.ServerID), wire.ApproverState{Keys: keys, Vouched: v}); err != nil {
		t.Fatal(err)
	}
	n := relay.Notice{Kind: relay.KindServer, CustomerID: string(o.CustomerID), ID: o.ServerID}
	_ = h.relay.Notify(n) // pages look again by themselves
}

// TestFirstKey_inABrowser: the browser that orders makes a key, and takes it into use only when the server says itself that
// it is its only one.
func TestFirstKey_inABrowser(t *testing.T) {
	t.Parallel()
	identity := ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))
	another := ed25519.NewKeyFromSeed([]byte("the seed of another test server."))
	for name, c := range map[string]struct {
		with   []wire.ApproverKey // beside the key that came with the order
		change func(*wire.Vouched)
		taken  bool
	}{
		"its own key alone":     {nil, func(*wire.Vouched) {}, true},
		"another key too":       {[]wire.ApproverKey{keyOf(aKey(t).SPKI())}, func(*wire.Vouched) {}, false},
		"signed by nobody":      {nil, func(v *wire.Vouched) { v.Sig = strings.Repeat("0", 128) }, false},
		"another server's word": {nil, func(v *wire.Vouched) { v.Key = wire.CardKey(another) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			p := h.tab(t)
			p.open("/checkout?plan=build")
			typed := map[string]string{"business": "The Bakery", "name": "The owner", "email": "owner@example.com", "password": password}
			for field, text := range typed {
				p.do(chromedp.SendKeys(chromedp.CSS("[name="+field+"]"), text))
			}
			p.do(chromedp.Click(chromedp.CSS(`#checkout button[type=submit]`)))
			p.until("the live order", `location.pathname === "/onboard" && document.querySelector('.live[data-state=live]')`)
			spki := h.ordered(t)
			if _, err := wire.ParseApproverKey(spki); err != nil {
				t.Fatalf("the order has the key %q: %v", spki, err)
			}
			h.advance(t, h.customer(t), order.Fulfilled)
			p.until("the end", `document.querySelector('#progress[data-state=FULFILLED]')`)
			h.reports(t, identity, c.change, append([]wire.ApproverKey{keyOf(spki)}, c.with...)...)
			shown, hidden := "kept", "refused"
			if !c.taken {
				shown, hidden = hidden, shown
			}
			p.until("the word about the key", `document.querySelector("[data-`+shown+`]")?.checkVisibility()`)
			if eval[bool](p, `document.querySelector("[data-`+hidden+`]").checkVisibility()`) {
				t.Error("the page says both")
			}
			inRing := eval[string](p, `new Promise(done => { const r = indexedDB.open("gatehouse", 1); r.onsuccess = () => {
				const all = r.result.transaction("keys").objectStore("keys").getAll();
				const line = k => [k.id, k.card, k.private.extractable, k.server.length].join();
				all.onsuccess = () => done(all.result.map(line).join(";")) } })`)
			want := ""
			if c.taken {
				want = wire.ApproverKeyIDOf(spki) + "," + wire.CardKey(identity) + ",false,36"
			}
			if inRing != want {
				t.Errorf("the ring holds %q, want %q", inRing, want)
			}
			if !c.taken {
				return
			}
			der, err := base64.RawURLEncoding.DecodeString(spki)
			if err != nil {
				t.Fatal(err)
			}
			text := eval[string](p, `document.querySelector("[data-kept]").innerText`)
			for _, words := range []string{wire.Words(der), wire.Words(identity.Public().(ed25519.PublicKey))} {
				if !strings.Contains(text, words) {
					t.Errorf("the page lacks %q: %s", words, text)
				}
			}
		})
	}
}
