package public_test

import (
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/web"
	settings "gatehouse/views/portal/account"
)

// aCode is a recovery code as a server makes one.
const aCode = "ABCD-EFGH-IJKL-MNOP-QRST-UVWX"

// keeping is what browsers said about recovery codes that were written down.
type keeping struct {
	mu     sync.Mutex
	proofs []string
}

func (k *keeping) route() web.Route {
	return web.Route{
		Method: http.MethodPost, Path: settings.RecoveryKeptPath, For: web.Customer,
		Right: account.Manage, Do: func(c echo.Context) error {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.proofs = append(k.proofs, c.FormValue("proof"))
			return c.JSON(http.StatusOK, struct{}{})
		},
	}
}

func (k *keeping) said() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.proofs
}

// boxOf is the key for boxes that came with the only order, which its approver key must have signed.
func (h *hub) boxOf(t *testing.T) *wire.BoxKey {
	t.Helper()
	o, err := h.orders.Of(t.Context(), h.customer(t))
	if err != nil {
		t.Fatal(err)
	}
	box, err := wire.ParseBoxKey(o.ApproverBox, wire.ApproverKeyIDOf(o.ApproverKey))
	if err != nil {
		t.Fatalf("the order has the box key %q: %v", o.ApproverBox, err)
	}
	return box
}

// sealedTo is a recovery code as the server signs it.
func sealedTo(t *testing.T, boxKey, keyID, serverID string, signed ed25519.PrivateKey) *wire.SealedRecovery {
	t.Helper()
	box, err := wire.SealSecret(boxKey, wire.RecoveryPurpose(keyID), []byte(aCode))
	if err != nil {
		t.Fatal(err)
	}
	return wire.VouchRecovery(serverID, keyID, box, signed)
}

// codeShown is the code as the page shows it, or which other side of it shows.
const codeShown = `document.querySelector("[data-recovery]") && ["shown", "check", "done", "failed"].filter(n =>
	document.querySelector("[data-recovery-" + n + "]").checkVisibility()).join() + " " +
	[...document.querySelectorAll("[data-recovery-code] span")].map(s => s.textContent).join("-")`

// TestRecovery_inABrowser: the browser that ordered shows the code once, and only a server's own; it says that the code was
// kept when four groups were typed, and has nothing left to open it with. The hub's tables never hold it.
func TestRecovery_inABrowser(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	identity := ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))
	h := start(t)
	p := h.tab(t)
	own := p.orderIn("0")
	h.advance(t, h.customer(t), order.Fulfilled)
	p.until("the end", `document.querySelector('#progress[data-state=FULFILLED]')`)
	o, err := h.orders.Of(t.Context(), h.customer(t))
	if err != nil {
		t.Fatal(err)
	}
	id := wire.ApproverKeyIDOf(own)
	sealed := sealedTo(t, h.boxOf(t).Key, id, o.ServerID, identity)
	h.reportsCode(t, sealed, identity, func(*wire.Vouched) {}, keyOf(own))
	p.until("the code", codeShown+` === "shown `+aCode+`"`)
	h.wantNoCode(t)

	other, b := h.tab(t), h.browser(t)
	b.post("/auth/sign-in", "email", "owner@example.com", "password", password)
	other.as(b)
	other.open("/onboard")
	other.until("nothing elsewhere", `document.querySelector("[data-recovery]") && `+codeShown+` === " "`)

	p.do(chromedp.Click(chromedp.CSS("[data-recovery-next]")))
	p.typeGroups("ZZZZ")
	p.until("a refusal", `document.querySelector("[data-recovery-check] .form-failed")?.checkVisibility()`)
	if said := h.kept.said(); len(said) != 0 {
		t.Errorf("wrong groups were sent: %q", said)
	}
	p.typeGroups("")
	p.until("the word that it was kept", codeShown+` === "done "`)
	secret, err := wire.CodeKey(aCode)
	if err != nil {
		t.Fatal(err)
	}
	if said := h.kept.said(); len(said) != 1 || said[0] != wire.CodeMAC(secret, wire.KeptText(o.ServerID)) {
		t.Errorf("said %q", said)
	}
	p.open("/onboard") // the box is there until the server's report erases it
	p.until("no way to open it again", codeShown+` === "failed "`)
	h.reports(t, identity, func(*wire.Vouched) {}, keyOf(own))
	p.open("/onboard")
	p.until("nothing of it", `document.querySelector("[data-first-key]") && !document.querySelector("[data-recovery]")`)
	var left int
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT count(recovery) FROM approver_lists").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d boxes are left, %v", left, err)
	}
}

// typeGroups fills in what is asked for, or the same wrong text everywhere.
func (p *tab) typeGroups(wrong string) {
	p.t.Helper()
	groups, _ := json.Marshal(strings.Split(aCode, "-")) // strings always have JSON
	eval[any](p, `for (const label of document.querySelectorAll(".recovery-groups label")) {
		const n = Number(label.innerText.match(/\d+/)[0]);
		label.querySelector("input").value = "`+wrong+`" || (`+string(groups)+`)[n - 1].toLowerCase() }; 0`)
	p.do(chromedp.Click(chromedp.CSS("[data-recovery-check] button[type=submit]")))
}

// wantNoCode fails if the hub's tables hold the code.
func (h *hub) wantNoCode(t *testing.T) {
	t.Helper()
	for _, table := range []string{"orders", "approver_lists", "approver_keys", "order_events", "users"} {
		var all string
		if err := h.db.Pool.QueryRow(t.Context(), "SELECT coalesce(json_agg(t)::text, '') FROM "+table+" AS t").Scan(&all); err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{aCode, strings.ReplaceAll(aCode, "-", "")} {
			if strings.Contains(all, form) {
				t.Errorf("table %s holds the code", table)
			}
		}
	}
}

// TestRecovery_notTheirs: a code that the browser's own server did not seal and sign for it is never shown.
func TestRecovery_notTheirs(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	identity := ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))
	another := ed25519.NewKeyFromSeed([]byte("the seed of another test server."))
	_, foreign, err := wire.NewSecretKey()
	if err != nil {
		t.Fatal(err)
	}
	type sealed struct {
		name string
		make func(boxKey, keyID, serverID string) *wire.SealedRecovery
	}
	for _, c := range seeded.Sample([]sealed{
		{"sealed to another key", func(_, id, srv string) *wire.SealedRecovery { return sealedTo(t, foreign, id, srv, identity) }},
		{"signed by another server", func(box, id, srv string) *wire.SealedRecovery { return sealedTo(t, box, id, srv, another) }},
		{"signed as another server's", func(box, id, _ string) *wire.SealedRecovery { return sealedTo(t, box, id, "another", identity) }},
		{"another box under the words", func(box, id, srv string) *wire.SealedRecovery {
			s := sealedTo(t, box, id, srv, identity)
			s.Box = sealedTo(t, box, id, srv, identity).Box
			return s
		}},
	}, 2) {
		t.Run(c.name, func(t *testing.T) {
			h := start(t)
			p := h.tab(t)
			own := p.orderIn("0")
			h.advance(t, h.customer(t), order.Fulfilled)
			p.until("the end", `document.querySelector('#progress[data-state=FULFILLED]')`)
			o, err := h.orders.Of(t.Context(), h.customer(t))
			if err != nil {
				t.Fatal(err)
			}
			h.reportsCode(t, c.make(h.boxOf(t).Key, wire.ApproverKeyIDOf(own), o.ServerID), identity, func(*wire.Vouched) {}, keyOf(own))
			p.until("that it cannot be shown", codeShown+` === "failed "`)
		})
	}
}

// TestCheckout_box: what a form brings as a key for boxes is one of its own approver key, or the order is not made.
func TestCheckout_box(t *testing.T) {
	t.Parallel()
	key, other := aKey(t), aKey(t)
	_, boxKey, err := wire.NewSecretKey()
	if err != nil {
		t.Fatal(err)
	}
	box := func(keyID, boxKey string) string {
		b, _ := json.Marshal(wire.BoxKey{Key: boxKey, Signature: wire.Signature{KeyID: keyID, Sig: "AA"}}) // strings always have JSON
		return string(b)
	}
	good := box(key.KeyID, boxKey)
	h := start(t)
	for name, c := range map[string]struct {
		key, box string
		status   int
	}{
		"its own":          {key.SPKI(), good, http.StatusSeeOther},
		"of another key":   {key.SPKI(), box(other.KeyID, boxKey), http.StatusUnprocessableEntity},
		"without a key":    {"", good, http.StatusUnprocessableEntity},
		"no point":         {key.SPKI(), box(key.KeyID, "AAAA"), http.StatusUnprocessableEntity},
		"more than one":    {key.SPKI(), good + good, http.StatusUnprocessableEntity},
		"more than it has": {key.SPKI(), strings.Replace(good, "{", `{"x":1,`, 1), http.StatusUnprocessableEntity},
		"too long":         {key.SPKI(), strings.Replace(good, "{", "{"+strings.Repeat(" ", 4000), 1), http.StatusUnprocessableEntity},
		"no JSON":          {key.SPKI(), "box", http.StatusUnprocessableEntity},
	} {
		a := h.browser(t).fill("/checkout?plan=build", "/checkout", "business", "The Bakery", "name", "The owner",
			"email", strings.ReplaceAll(name, " ", "-")+"@example.com", "password", password, "approver_key", c.key, "approver_box", c.box)
		if a.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", name, a.StatusCode, c.status)
		}
	}
}
