package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/order"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/work"
	"gatehouse/db"
)

// openCodes has every part ask for codes, as the hub does.
func (h *hub) openCodes() {
	h.codes = &staff.Codes{Store: &db.StaffCodes{DB: h.db, Jobs: h}, People: h.people, Key: []byte("a key of this test"), Now: time.Now}
	h.people.Codes, h.orders.Codes, h.servers.Codes = h.codes, h.codes, h.codes
	h.rentals.Codes = h.codes
}

// mailed is the code of the newest mail that was asked for.
func (h *hub) mailed(t *testing.T) string {
	t.Helper()
	h.mu.Lock()
	item, _ := h.queued[len(h.queued)-1].(work.SendMail)
	h.mu.Unlock()
	l, err := h.codes.Letter(t.Context(), item)
	must(t, err)
	return l.Token
}

// confirmed is a form with the code that is mailed for it.
func (h *hub) confirmed(t *testing.T, secret, path string, form url.Values) url.Values {
	t.Helper()
	form.Set("csrf", h.token(t, secret))
	if status, _ := h.post(t, secret, path, form); status != http.StatusOK {
		t.Fatalf("%s asks for no code: %d", path, status)
	}
	form.Set("mailed_code", h.mailed(t))
	return form
}

// TestCoded: a form that destroys is answered with a page that names the act, carries the form and asks for the code, without any
// script. A wrong code is said at its field and changes nothing; a new code voids the one before; the right one does it, once.
func TestCoded(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.walk(t, h.add(t, "Some Bakery", "some@example.com", "some", order.PaymentConfirmed), order.Fulfilled)
	path := pathOf(o) + "/act"
	page := parsed(t, h.wants(t, http.StatusOK, h.manager, path, "act", "end", "reason", "unpaid"))
	form := page.Find("form#mailed-code")
	if act, _ := form.Attr("action"); act != path || form.Find("[name=act][value=end]").Length() != 1 ||
		form.Find("[name=reason][value=unpaid]").Length() != 1 || form.Find("[name=csrf]").Length() != 1 {
		t.Fatalf("the page carries another form: %s", act)
	}
	holds(t, "the page", page.Find("main").Text(), []string{"End order", "Some Bakery", "manager@example.com", "Nothing was changed"}, nil)
	first := h.mailed(t)
	if page.Find("form button[name=send_again]").Length() != 1 {
		t.Fatal("no way to another code")
	}
	h.wants(t, http.StatusOK, h.manager, path, "act", "end", "reason", "unpaid", "send_again", "1")
	second := h.mailed(t)
	text := h.wants(t, http.StatusUnprocessableEntity, h.manager, path, "act", "end", "reason", "unpaid", "mailed_code", first)
	holds(t, "a voided code", text, []string{"This is not the code in our email"}, nil)
	h.wants(t, http.StatusUnprocessableEntity, h.manager, path, "act", "replace", "provider", "pool", "mailed_code", second)
	if now, err := h.orders.Find(t.Context(), o.ID); err != nil || now.State != order.Fulfilled {
		t.Fatalf("it is %s now, %v", now.State, err)
	}
	typed := second[:4] + " " + second[4:] // as the mail shows it
	h.wants(t, http.StatusSeeOther, h.manager, path, "act", "end", "reason", "unpaid", "mailed_code", typed)
	if now, err := h.orders.Find(t.Context(), o.ID); err != nil || now.State != order.Ended {
		t.Fatalf("it is %s now, %v", now.State, err)
	}
	h.wants(t, http.StatusSeeOther, h.manager, path, "act", "keep")
	text = h.wants(t, http.StatusUnprocessableEntity, h.manager, path, "act", "end", "reason", "unpaid", "mailed_code", second)
	holds(t, "a used code", text, []string{"No code for this is open"}, nil)
	entries, err := h.db.Pool.Query(t.Context(), "SELECT details->>'action' FROM audit_log WHERE action = 'staff.code'")
	must(t, err)
	defer entries.Close()
	n := 0
	for entries.Next() {
		n++
	}
	if n != 2 {
		t.Errorf("%d codes are on record, not 2", n)
	}
}

// TestCoded_stale: an old sign-in gets no code; what cannot be done, or by whom, asks for none.
func TestCoded_stale(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "some@example.com", "some", order.PaymentConfirmed)
	m, _ := h.joined(t, "another@example.com", staff.Manager)
	text := h.wants(t, http.StatusSeeOther, h.stale(t, m), pathOf(o)+"/act", "act", "cancel")
	holds(t, "an old sign-in", text, []string{"again=1", url.QueryEscape(pathOf(o))}, nil)
	h.wants(t, http.StatusForbidden, h.staff, pathOf(o)+"/act", "act", "cancel")
	h.wants(t, http.StatusConflict, h.manager, pathOf(o)+"/act", "act", "end", "reason", "closed")
	srv := h.beaten(t, "baker", false)
	h.wants(t, http.StatusForbidden, h.admin, "/admin/servers/"+string(srv.ID)+"/cut", "name", "baker")
	if got, err := h.servers.Find(t.Context(), srv.ID); err != nil || got.State == server.Revoked {
		t.Errorf("it is %s, %v", got.State, err)
	}
	for _, item := range h.queued {
		if mail, is := item.(work.SendMail); is && mail.Template == staff.LetterCode {
			t.Errorf("a code was mailed: %+v", mail)
		}
	}
}

func parsed(t *testing.T, page string) *goquery.Document {
	t.Helper()
	d, err := goquery.NewDocumentFromReader(strings.NewReader(page))
	must(t, err)
	return d
}
