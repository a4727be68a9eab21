package admin_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/agentd/wire"
	"gatehouse/app/order"
	"gatehouse/app/server"
	"gatehouse/db"
)

// serverOf is the server of a customer's order, with a key of the owner if there is to be one.
func (h *hub) serverOf(t *testing.T, o order.Order, owned bool) server.ID {
	t.Helper()
	s, err := h.servers.Of(t.Context(), o.CustomerID)
	must(t, err)
	if owned {
		h.report(t, s.ID, ownersKey)
	}
	return s.ID
}

var ownersKey = wire.ApproverKey{KeyID: "owners", SPKI: "AA", Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "The owner's", AddedBy: "code", CreatedAt: time.Now()}

// report says which keys are enrolled on a server.
func (h *hub) report(t *testing.T, id server.ID, keys ...wire.ApproverKey) {
	t.Helper()
	must(t, (&db.Approvers{DB: h.db}).Report(t.Context(), id, wire.ApproverState{Keys: keys}))
}

// ask sends a key as the script does.
func (h *hub) ask(t *testing.T, secret, spki string, id server.ID) int {
	t.Helper()
	_, text := h.get(t, secret, "/admin/keys")
	d, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	must(t, err)
	token := d.Find("form [name=csrf]").First().AttrOr("value", "") // of the sign-out
	status, _ := h.post(t, secret, "/admin/keys/"+string(id), url.Values{"csrf": {token}, "spki": {spki}, "kind": {"browser"}, "label": {"The owner's telephone"}})
	return status
}

func freshKey(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	must(t, err)
	return base64.RawURLEncoding.EncodeToString(der)
}

// TestKeys: a manager asks a server for a key under their own address, and their pages say how it stands with it, from the
// question to the end; nobody else's do.
func TestKeys(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.Fulfilled)
	id := h.serverOf(t, o, true)
	page := "/admin/keys/" + string(id)
	wants := func(what, list, text string) {
		t.Helper()
		for _, path := range []string{"/admin/keys", page} {
			if got := h.doc(t, h.manager, path).Find("#" + list).Text(); !strings.Contains(got, text) || !strings.Contains(got, "Some Bakery") {
				t.Errorf("%s: %s says %q", what, path, got)
			}
		}
	}
	if d := h.doc(t, h.manager, page); d.Find("form[data-asks]").AttrOr("data-server", "") != string(id) || d.Find("#asking, #keys, #over").Length() != 0 {
		t.Errorf("at first the page says %s", d.Find("main").Text())
	}
	spki := freshKey(t)
	if status := h.ask(t, h.manager, spki, id); status != http.StatusCreated {
		t.Fatalf("asked: %d", status)
	}
	wants("asked", "asking", "Call the owner")
	der, err := base64.RawURLEncoding.DecodeString(spki)
	must(t, err)
	key := wire.ApproverKey{KeyID: wire.ApproverKeyID(der), SPKI: spki, Kind: wire.BrowserKey, Holder: wire.HolderStaff, Label: "manager@example.com", AddedBy: "owners", CreatedAt: time.Now()}
	h.report(t, id, ownersKey, key)
	wants("added", "keys", "Never used")
	h.report(t, id, ownersKey)
	wants("taken back", "over", "Removed by the owner")
	if got := h.page(t, "/admin/keys"); strings.Contains(got, "Some Bakery") {
		t.Error("another of the staff sees it")
	}
}

// TestKeys_refused: Support may not ask and is told who may; nor is there anything to ask where no owner could vouch, at a
// server that is none or was cut off, for a customer, or with what is no key.
func TestKeys_refused(t *testing.T) {
	t.Parallel()
	h := start(t)
	with := h.serverOf(t, h.add(t, "Some Bakery", "someone@example.com", "some", order.Fulfilled), true)
	without := h.serverOf(t, h.add(t, "Other Bakery", "other@example.com", "other", order.Fulfilled), false)
	off := h.serverOf(t, h.add(t, "Gone Bakery", "gone@example.com", "gone", order.Fulfilled), true)
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE servers SET state = 'revoked', revoked_at = now() WHERE id = $1", string(off))
	must(t, err)
	if d := h.doc(t, h.staff, "/admin/keys/"+string(with)); d.Find("form[data-asks]").Length() != 0 || !strings.Contains(d.Find("main").Text(), "Your role can only deny") {
		t.Errorf("Support reads %s", d.Find("main").Text())
	}
	for name, c := range map[string]struct {
		secret, spki string
		id           server.ID
		want         int
	}{
		"Support":     {h.staff, freshKey(t), with, http.StatusForbidden},
		"no owner":    {h.manager, freshKey(t), without, http.StatusConflict},
		"cut off":     {h.manager, freshKey(t), off, http.StatusNotFound},
		"no server":   {h.manager, freshKey(t), server.ID(newID()), http.StatusNotFound},
		"no key":      {h.manager, "AA", with, http.StatusUnprocessableEntity},
		"a customer":  {h.guest, freshKey(t), with, http.StatusSeeOther}, // to the sign-in of staff
		"good at all": {h.manager, freshKey(t), with, http.StatusCreated},
	} {
		if got := h.ask(t, c.secret, c.spki, c.id); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	var n int
	must(t, h.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM approver_requests").Scan(&n))
	if n != 1 {
		t.Errorf("%d requests are kept", n)
	}
}
