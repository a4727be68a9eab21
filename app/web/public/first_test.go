package public_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/seeded"
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
	h.reportsCode(t, nil, signed, change, keys...)
}

// reportsCode is the same with the recovery code that waits for its browser.
func (h *hub) reportsCode(
	t *testing.T, sealed *wire.SealedRecovery, signed ed25519.PrivateKey, change func(*wire.Vouched), keys ...wire.ApproverKey,
) {
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
	state := wire.ApproverState{Keys: keys, Vouched: v, Recovery: sealed}
	if err := (&db.Approvers{DB: h.db}).Report(t.Context(), server.ID(o.ServerID), state); err != nil {
		t.Fatal(err)
	}
	n := relay.Notice{Kind: relay.KindServer, CustomerID: string(o.CustomerID), ID: o.ServerID}
	_ = h.relay.Notify(n) // pages look again by themselves
}

// notices are the answers of the page about the key of this browser, and which of them shows.
const (
	notices   = `["kept", "refused", "unchecked"]`
	noticeNow = `document.querySelector("[data-kept]") && ` + notices +
		`.filter(n => document.querySelector("[data-" + n + "]").checkVisibility()).join()`
)

// without makes the browser one that lacks Ed25519.
const without = `for (const name of ["generateKey", "importKey"]) { const whole = crypto.subtle[name].bind(crypto.subtle);
	crypto.subtle[name] = (...args) => args.includes("Ed25519")
		? Promise.reject(new DOMException("", "NotSupportedError")) : whole(...args) }`

// orderIn orders in a tab and gives the key that came with the order.
func (p *tab) orderIn(before string) string {
	p.t.Helper()
	p.open("/checkout?plan=build")
	eval[any](p, before)
	fields := map[string]string{"business": "The Bakery", "name": "The owner", "email": "owner@example.com", "password": password}
	for field, text := range fields {
		p.write("[name="+field+"]", text)
	}
	p.do(chromedp.Click(chromedp.CSS(`#checkout button[type=submit]`)))
	p.until("the live order", `location.pathname === "/onboard" && document.querySelector('.live[data-state=live]')`)
	return p.hub.ordered(p.t)
}

// ring lists the keys that this browser holds.
func (p *tab) ring() string {
	p.t.Helper()
	return eval[string](p, `new Promise(done => { const r = indexedDB.open("gatehouse", 1);
		r.onupgradeneeded = () => r.result.createObjectStore("keys", { keyPath: "server" });
		r.onsuccess = () => {
			const all = r.result.transaction("keys", "readwrite").objectStore("keys").getAll();
			const line = k => [k.id, k.card, k.private.extractable, k.server.length].join();
			all.onsuccess = () => { r.result.close(); done(all.result.map(line).join(";")) } } })`)
}

// TestFirstKey_inABrowser: the browser that orders makes a key, and takes it into use only when the server says itself that
// it is its only one. Another browser is told nothing but the words to compare.
func TestFirstKey_inABrowser(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	identity := ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))
	another := ed25519.NewKeyFromSeed([]byte("the seed of another test server."))
	same := func(*wire.Vouched) {}
	type first struct {
		name   string
		with   []wire.ApproverKey // beside the key that came with the order
		change func(*wire.Vouched)
		swap   string // replaces the key of the order
		later  string // a script that runs after the order
		shown  string
	}
	kept := first{"its own key alone", nil, same, "", "", "kept"}
	for _, c := range append(seeded.Sample([]first{
		{"another key too", []wire.ApproverKey{keyOf(aKey(t).SPKI())}, same, "", "", "refused"},
		{"signed by nobody", nil, func(v *wire.Vouched) { v.Sig = strings.Repeat("0", 128) }, "", "", "refused"},
		{"another server's word", nil, func(v *wire.Vouched) { v.Key = wire.CardKey(another) }, "", "", "refused"},
		{"another key in its way", nil, same, aKey(t).SPKI(), "", "refused"},
		{"no means to check", nil, same, "", without, "unchecked"},
	}, 2), kept) {
		t.Run(c.name, func(t *testing.T) {
			h := start(t)
			p := h.tab(t)
			own := p.orderIn("0")
			if _, err := wire.ParseApproverKey(wire.BrowserKey, own); err != nil {
				t.Fatalf("the order has the key %q: %v", own, err)
			}
			eval[any](p, c.later)
			spki := own
			if c.swap != "" {
				spki = c.swap
				if _, err := h.db.Pool.Exec(t.Context(), "UPDATE orders SET approver_key = $1", spki); err != nil {
					t.Fatal(err)
				}
			}
			h.advance(t, h.customer(t), order.Fulfilled)
			p.until("the end", `document.querySelector('#progress[data-state=FULFILLED]')`)
			h.reports(t, identity, c.change, append([]wire.ApproverKey{keyOf(spki)}, c.with...)...)
			p.until("the word about the key", noticeNow)
			if got := eval[string](p, noticeNow); got != c.shown {
				t.Errorf("the page says %q, want %q", got, c.shown)
			}
			want := map[string]string{
				"kept":      wire.ApproverKeyIDOf(own) + "," + wire.CardKey(identity) + ",false,36",
				"unchecked": wire.ApproverKeyIDOf(own) + ",,false," + strconv.Itoa(len("pending ")+len(wire.ApproverKeyIDOf(own))),
			}[c.shown]
			if got := p.ring(); got != want {
				t.Errorf("the ring holds %q, want %q", got, want)
			}
			p.compares(spki)
			if c.shown != kept.shown && os.Getenv("GATEHOUSE_SOAK") == "" {
				return // another browser sees the same
			}
			other, b := h.tab(t), h.browser(t)
			b.post("/auth/sign-in", "email", "owner@example.com", "password", password)
			other.as(b)
			other.open("/onboard")
			other.compares(spki)
			if got := other.ring() + other.ring() + eval[string](other, noticeNow); got != "" {
				t.Errorf("another browser holds or says %q", got)
			}
		})
	}
}

// compares fails unless the page shows the six words of the key that came with the order, and those of the server's own.
func (p *tab) compares(spki string) {
	p.t.Helper()
	der, err := base64.RawURLEncoding.DecodeString(spki)
	if err != nil {
		p.t.Fatal(err)
	}
	card, err := hex.DecodeString(eval[string](p, `document.querySelector("[data-first-key]").dataset.card`))
	if err != nil {
		p.t.Fatal(err)
	}
	text := eval[string](p, `document.querySelector("[data-first-key]").innerText`)
	for _, words := range []string{wire.Words(der), wire.Words(card)} {
		if !strings.Contains(text, words) {
			p.t.Errorf("the page lacks %q: %s", words, text)
		}
	}
}

// TestCheckout_passkey: a key that is a passkey comes with the id of its credential, and is kept as one.
func TestCheckout_passkey(t *testing.T) {
	t.Parallel()
	good := aKey(t).SPKI()
	for name, c := range map[string]struct {
		key, passkey string
		status       int
	}{
		"a passkey":         {good, "AAEC", http.StatusSeeOther},
		"no credential":     {good, "a b", http.StatusUnprocessableEntity},
		"too long":          {good, strings.Repeat("AAAA", 400), http.StatusUnprocessableEntity},
		"one without a key": {"", "AAEC", http.StatusUnprocessableEntity},
	} {
		h := start(t)
		a := h.browser(t).fill("/checkout?plan=build", "/checkout", "business", "The Bakery", "name", "The owner",
			"email", "owner@example.com", "password", password, "approver_key", c.key, "approver_passkey", c.passkey)
		if a.StatusCode != c.status {
			t.Errorf("%s: status %d", name, a.StatusCode)
		}
		if a.StatusCode != http.StatusSeeOther {
			continue
		}
		o, err := h.orders.Of(t.Context(), h.customer(t))
		if err != nil || o.ApproverKey != c.key || o.Passkey != c.passkey || o.KeyKind() != wire.PasskeyKey {
			t.Errorf("%s: kept %q with %q, %v", name, o.ApproverKey, o.Passkey, err)
		}
	}
}

// TestFirstKey_passkeyNotConfirmed: who chooses a passkey and does not confirm it has ordered nothing, is told so, and orders
// without one when they like.
func TestFirstKey_passkeyNotConfirmed(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	p := start(t).tab(t)
	p.open("/checkout?plan=build")
	eval[any](p, `navigator.credentials.create = () => Promise.reject(new DOMException("", "NotAllowedError"))`)
	eval[any](p, `document.querySelector("[data-first-passkey-offer]").hidden = false`) // as on a device that has one
	fields := map[string]string{"business": "The Bakery", "name": "The owner", "email": "owner@example.com", "password": password}
	for field, text := range fields {
		p.write("[name="+field+"]", text)
	}
	p.do(chromedp.Click(chromedp.CSS(`[data-first-passkey]`)), chromedp.Click(chromedp.CSS(`#checkout button[type=submit]`)))
	p.until("the word that nothing was ordered", `document.querySelector("#checkout .error")?.textContent.includes("nothing was ordered")`)
	p.do(chromedp.Click(chromedp.CSS(`[data-first-passkey]`)), chromedp.Click(chromedp.CSS(`#checkout button[type=submit]`)))
	p.until("the live order", `location.pathname === "/onboard"`)
	o, err := p.hub.orders.Of(t.Context(), p.hub.customer(t))
	if err != nil || o.ApproverKey == "" || o.KeyKind() != wire.BrowserKey {
		t.Errorf("ordered with %q of kind %s, %v", o.ApproverKey, o.KeyKind(), err)
	}
}

// TestFirstKey_withoutEd25519: a browser that could not check the server's word makes no key, and orders all the same.
func TestFirstKey_withoutEd25519(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	p := start(t).tab(t)
	if got := p.orderIn(without); got != "" {
		t.Errorf("the order has the key %q", got)
	}
	if got := p.ring(); got != "" {
		t.Errorf("the ring holds %q", got)
	}
}
