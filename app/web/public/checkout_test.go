package public_test

import (
	"net/http"
	"strings"
	"testing"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/work"
)

func TestCheckout_fromPlanToPortal(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	plan := b.get("/pricing").doc(t).Find(`[data-testid=plan-build] a`).AttrOr("href", "")
	page := b.get(plan).doc(t)
	if v := page.Find(`input[name=plan][checked]`).AttrOr("value", ""); v != "build" {
		t.Errorf("plan chosen on %s: %q", plan, v)
	}
	if !strings.Contains(b.get("/checkout?plan=build").text, "takes no money") {
		t.Error("the test checkout does not say what it is")
	}
	a := b.checkout("owner@example.com")
	if a.StatusCode != http.StatusSeeOther || a.location() != "/onboard" {
		t.Fatalf("checkout: %d to %q\n%s", a.StatusCode, a.location(), a.text)
	}
	if got := b.get("/app").text; got != "inside as owner@example.com" {
		t.Errorf("after checkout: %q, want to be signed in", got)
	}
	doc := b.get("/onboard").doc(t)
	if doc.Find("ol.stepper li").Length() != 7 || doc.Find(`li[aria-current=step]`).Length() != 1 {
		t.Errorf("stepper: %s", doc.Find("ol").Text())
	}
	want := []string{work.AdvanceOrder{}.WorkKind(), work.SendMail{}.WorkKind()}
	if len(h.asked) != 2 || h.asked[0].WorkKind() != want[0] || h.asked[1].WorkKind() != want[1] {
		t.Errorf("queued %v, want the first step and the letter", h.asked)
	}
	var zone string
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT time_zone FROM customers").Scan(&zone); err != nil || zone != "Europe/Berlin" {
		t.Errorf("time zone %q, %v", zone, err)
	}
}

func TestCheckout_saysWhatIsWrongAndKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	a := b.fill("/checkout?plan=scale&region=na", "/checkout", "business", "The Bakery", "name", "", "email", "no address", "password", "password1234")
	if a.StatusCode != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", a.StatusCode)
	}
	doc := a.doc(t)
	if !strings.HasPrefix(doc.Find("title").Text(), "Error:") {
		t.Errorf("title %q", doc.Find("title").Text())
	}
	for field, typed := range map[string]string{"name": "", "email": "no address", "password": "", "business": "The Bakery", "plan": "scale", "region": "na"} {
		in := doc.Find(`input[name="` + field + `"]`)
		if in.AttrOr("value", "") != typed {
			t.Errorf("%s: value %q, want %q", field, in.AttrOr("value", ""), typed)
		}
		id, invalid := in.Attr("id")
		wrong := field == "name" || field == "email" || field == "password"
		if !invalid || !wrong {
			continue
		}
		if in.AttrOr("aria-invalid", "") != "true" || doc.Find(`.summary a[href="#`+id+`"]`).Length() != 1 {
			t.Errorf("%s: not marked, or the summary does not lead to it", field)
		}
	}
	var n int
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM users").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d users, %v", n, err)
	}
}

// TestCheckout_sshKey: the owner's own SSH key is kept with the order, without its comment. What is none is said at its field.
func TestCheckout_sshKey(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEgIxC8XWcP1zLyyMoGNgP0G2yUfU8Gr1zBpJ4dsaNZD"
	send := func(key string) answer {
		return b.fill("/checkout?plan=build", "/checkout", "business", "The Bakery", "name", "Somebody", "email", "key@example.com",
			"password", "a long enough pass phrase", "admin_key", key)
	}
	refused := send("hello")
	if refused.StatusCode != http.StatusUnprocessableEntity || refused.doc(t).Find("#f-admin_key[aria-invalid=true]").Length() != 1 {
		t.Errorf("no key: %d", refused.StatusCode)
	}
	if a := send(key + " somebody@laptop"); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("with a key: %d", a.StatusCode)
	}
	var kept string
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT admin_key FROM orders").Scan(&kept); err != nil || kept != key {
		t.Errorf("kept %q, %v", kept, err)
	}
}

func TestCheckout_sameAddressIsAskedToSignIn(t *testing.T) {
	t.Parallel()
	h := start(t)
	if a := h.browser(t).checkout("owner@example.com"); a.location() != "/onboard" {
		t.Fatalf("first: %d", a.StatusCode)
	}
	for _, email := range []string{"owner@example.com", "OWNER@Example.com"} {
		b := h.browser(t)
		a := b.checkout(email)
		if a.StatusCode != http.StatusConflict || a.doc(t).Find(`main a[href^="/auth/sign-in?next="]`).Length() == 0 {
			t.Errorf("%s again: %d, want to be asked to sign in", email, a.StatusCode)
		}
		if got := b.get("/app"); got.StatusCode != http.StatusSeeOther {
			t.Errorf("%s again: signed in without signing in", email)
		}
	}
}

func TestCheckout_doubleClickIsOneOrder(t *testing.T) {
	t.Parallel()
	h := start(t)
	b, twin := h.browser(t), h.browser(t)
	ticket := b.get("/checkout").doc(t).Find("input[name=ticket]").AttrOr("value", "")
	fields := []string{"plan", "build", "ticket", ticket, "business", "B", "name", "The owner", "email", "owner@example.com", "password", password}
	if a := b.post("/checkout", fields...); a.location() != "/onboard" {
		t.Fatalf("first click: %d", a.StatusCode)
	}
	if a := twin.post("/checkout", fields...); a.location() != "/onboard" || twin.get("/app").StatusCode != 200 {
		t.Errorf("second click of the same form: %d to %q", a.StatusCode, a.location())
	}
	wrong := append(append([]string{}, fields...), "password", "some other password 12")
	if a := h.browser(t).post("/checkout", wrong...); a.StatusCode != http.StatusConflict {
		t.Errorf("same ticket, another password: %d", a.StatusCode)
	}
	var n int
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM orders").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d orders, %v", n, err)
	}
}

func TestCheckout_oneServerForACustomer(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	if a := b.get("/checkout?plan=lite"); a.location() != "/onboard" {
		t.Errorf("checkout page of a customer: %d to %q", a.StatusCode, a.location())
	}
	token := b.get("/app/token").text
	if a := b.post("/checkout", "csrf", token, "plan", "lite"); a.location() != "/onboard" {
		t.Errorf("second order: %d to %q", a.StatusCode, a.location())
	}
	h.cancel(t)
	if a := b.post("/checkout", "plan", "lite"); a.StatusCode != http.StatusForbidden {
		t.Errorf("order without the form's field: %d", a.StatusCode)
	}
	if a := b.fill("/checkout?plan=lite", "/checkout"); a.location() != "/onboard" {
		t.Errorf("order after a cancelled one: %d to %q\n%s", a.StatusCode, a.location(), a.text)
	}
	var n int
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM orders WHERE plan = 'lite'").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d lite orders, %v", n, err)
	}
}

// cancel takes the one order there is to CANCELLED.
func (h *hub) cancel(t *testing.T) {
	t.Helper()
	if _, err := h.db.Pool.Exec(t.Context(), "UPDATE orders SET state = 'CANCELLED'"); err != nil {
		t.Fatal(err)
	}
}

func TestCheckout_doneNamesTheOrder(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	if a := b.get("/checkout/done"); !strings.Contains(a.text, "1001") || !strings.Contains(a.text, "no money was taken") {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
}

func TestCheckout_unknownPlanIsTheUsualOne(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	for _, q := range []string{"", "?plan=gold", "?plan=%3Cscript%3E"} {
		doc := b.get("/checkout" + q).doc(t)
		if v := doc.Find("input[name=plan]").AttrOr("value", ""); v != "build" {
			t.Errorf("%s: plan %q", q, v)
		}
	}
}

// advance takes the one order there is along its way up to and including state to.
func (h *hub) advance(t *testing.T, of account.CustomerID, to order.State) {
	t.Helper()
	o, err := h.orders.Of(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	for o.State != to {
		job := work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt}
		if o, err = h.orders.Advance(t.Context(), job, "step done", h.serverFor(t, o)); err != nil {
			t.Fatal(err)
		}
	}
}

// serverFor makes the server that an order needs from provisioning on.
func (h *hub) serverFor(t *testing.T, o order.Order) string {
	t.Helper()
	if o.ServerID != "" {
		return o.ServerID
	}
	var id string
	err := h.db.Pool.QueryRow(t.Context(), `INSERT INTO servers (id, customer_id, order_id, slug, provider, state, created_at)
		VALUES (gen_random_uuid(), $1, $2, $3, 'local', 'new', now()) RETURNING id`, o.CustomerID, o.ID, o.Slug).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
