package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/work"
)

// TestCustomers_create: a customer is made with an invitation, which is sent again and withdrawn; what does not fit is said beside it
// and what was typed stays; who may only look sees no form.
func TestCustomers_create(t *testing.T) {
	t.Parallel()
	h := start(t)
	const path = "/admin/customers/new"
	if status, _ := h.get(t, h.staff, path); status != http.StatusForbidden {
		t.Errorf("support makes customers: %d", status)
	}
	holds(t, "the list for support", h.page(t, "/admin/customers"), []string{"Somebody Else"}, []string{path})
	_, text := h.get(t, h.manager, "/admin/customers")
	holds(t, "the list for a manager", text, []string{path}, nil)
	_, text = h.get(t, h.manager, path)
	holds(t, "the form", text, []string{"New customer", `name="time_zone"`}, []string{"⟦"})
	text = h.wants(t, http.StatusUnprocessableEntity, h.manager, path, "name", "", "email", "nobody", "address", "1 Some Street",
		"time_zone", "Nowhere")
	holds(t, "what was typed wrong", text, []string{
		"Type the name of the business.", "Type one email address", "Choose a time zone", "1 Some Street", `value="Nowhere"`,
	}, []string{"⟦"})
	facts := []string{"name", "New Bakery", "address", "1 Some Street\r\nVienna", "time_zone", "Europe/Vienna", "language", "de"}
	text = h.wants(t, http.StatusUnprocessableEntity, h.manager, path, append(facts, "email", "guest@example.net")...)
	holds(t, "an address that is taken", text, []string{"This address has an account already", "New Bakery"}, nil)
	at := h.wants(t, http.StatusSeeOther, h.manager, path, append(facts, "email", "owner@bakery.example")...)
	if letter, ok := h.queued[len(h.queued)-1].(work.SendMail); !ok || letter.Template != account.LetterInvite {
		t.Errorf("queued %+v", h.queued)
	}
	_, text = h.get(t, h.admin, at)
	holds(t, "the customer", text, []string{
		"New Bakery", "1 Some Street\nVienna", "owner@bakery.example", "Deutsch", "Invite again", "No order yet",
		"Created a customer",
	}, []string{"⟦"})
	holds(t, "the customer for support", h.page(t, at), []string{"owner@bakery.example"}, []string{"Invite again", "<textarea"})
	found := h.page(t, "/admin/customers?q=owner@bakery")
	holds(t, "found by the invited", found, []string{"New Bakery", "invited"}, []string{"Somebody Else"})
	text = h.wants(t, http.StatusUnprocessableEntity, h.manager, path, append(facts, "email", "owner@bakery.example")...)
	holds(t, "an address that is invited", text, []string{"This address is invited already"}, nil)
	text = h.wants(t, http.StatusUnprocessableEntity, h.manager, at+"/invitation", "act", "again", "email", "guest@example.net")
	holds(t, "again to one that is taken", text, []string{"This address has an account already", `value="guest@example.net"`}, nil)
	said := h.toast(t, h.manager, at+"/invitation", url.Values{"act": {"again"}, "email": {"boss@bakery.example"}})
	holds(t, "again", said, []string{"The invitation is on its way to boss@bakery.example."}, nil)
	said = h.toast(t, h.manager, at+"/invitation", url.Values{"act": {"withdraw"}})
	holds(t, "withdrawn", said, []string{"The invitation to boss@bakery.example does not work any more."}, nil)
	_, text = h.get(t, h.manager, at, "Accept-Language", "de")
	holds(t, "in German", text, []string{"keine Einladung ist offen", "Postanschrift"}, []string{"⟦", "Postal address"})
	h.wants(t, http.StatusNotFound, h.manager, at+"/invitation", "act", "withdraw")
}

// TestCustomers_edit: what is kept changes, and stays when it does not fit.
func TestCustomers_edit(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	at := "/admin/customers/" + string(o.CustomerID)
	_, text := h.get(t, h.manager, at+"/edit")
	holds(t, "the form", text, []string{`value="Some Bakery"`, `value="Europe/Vienna"`}, []string{`name="email"`, "⟦"})
	text = h.wants(t, http.StatusUnprocessableEntity, h.manager, at+"/edit", "name", "", "address", "1 Some Street", "time_zone", "UTC")
	holds(t, "no name", text, []string{"Type the name of the business.", "1 Some Street"}, []string{"⟦"})
	said := h.toast(t, h.manager, at+"/edit", url.Values{
		"name": {"Other Bakery"}, "address": {"1 Some Street"}, "time_zone": {"UTC"}, "language": {"xx"},
	})
	holds(t, "saved", said, []string{"What is kept about Other Bakery is saved."}, nil)
	_, text = h.get(t, h.admin, at)
	holds(t, "the customer", text, []string{"Other Bakery", "1 Some Street", "UTC", "Changed what is kept"}, []string{"Some Bakery", "⟦"})
	if status, _ := h.get(t, h.staff, at+"/edit"); status != http.StatusForbidden {
		t.Errorf("support edits: %d", status)
	}
	h.wants(t, http.StatusNotFound, h.manager, "/admin/customers/"+newID()+"/edit", "name", "x", "time_zone", "UTC")
}

// TestCustomers_notes: notes are kept with who wrote them, newest first, on pages; their text is no markup, and no customer sees it.
func TestCustomers_notes(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	at := "/admin/customers/" + string(o.CustomerID)
	text := h.wants(t, http.StatusUnprocessableEntity, h.manager, at+"/notes", "note", " ")
	holds(t, "nothing written", text, []string{"Write a note of up to 4,000 characters."}, []string{"⟦"})
	for i := range 11 {
		said := h.toast(t, h.manager, at+"/notes", url.Values{"note": {"Called <b>twice</b>, " + strings.Repeat("I", i+1) + "."}})
		holds(t, "kept", said, []string{"The note is kept."}, nil)
	}
	text = h.page(t, at)
	holds(t, "the newest", text, []string{
		"Called &lt;b&gt;twice&lt;/b&gt;, IIIIIIIIIII.", "manager@example.com", "Older notes",
	}, []string{", I."})
	older := h.doc(t, h.staff, at).Find(`#notes a[rel="next"]`).AttrOr("href", "")
	text = h.page(t, strings.TrimSuffix(older, "#notes"))
	holds(t, "the oldest", text, []string{", I.", "Newest notes"}, []string{", II.", "Older notes"})
	if status, _ := h.get(t, h.staff, at+"?notes=x"); status != http.StatusUnprocessableEntity {
		t.Errorf("a cursor that is none: %d", status)
	}
	if status, text := h.get(t, h.guest, at); status == http.StatusOK || strings.Contains(text, "twice") {
		t.Errorf("a customer reads notes: %d", status)
	}
	h.wants(t, http.StatusForbidden, h.staff, at+"/notes", "note", "x")
}
