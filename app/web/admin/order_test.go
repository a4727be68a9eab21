package admin_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/work"
	"gatehouse/db"
)

// TestAct: each act that an order's page offers does what it says, is kept under the name of who did it, and leads back.
func TestAct(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		acts  []string // pressed one after the other
		ready func(*hub, *testing.T, order.Order)
		want  func(order.Order) bool
		work  bool // whether the last of them queues the work of the state
	}{
		"retry":  {[]string{"retry"}, (*hub).fail, func(o order.Order) bool { return o.State == order.PaymentConfirmed && o.Reason == "" && o.Attempt == 1 }, true},
		"cancel": {[]string{"cancel"}, nil, func(o order.Order) bool { return o.State == order.Cancelled }, true}, // what was made for it is given back
		"manual": {[]string{"manual"}, nil, func(o order.Order) bool { return o.Mode == order.Manual }, false},
		"press":  {[]string{"manual", "press"}, nil, func(o order.Order) bool { return o.Mode == order.Manual && o.Attempt == 2 }, true},
		"auto":   {[]string{"manual", "auto"}, nil, func(o order.Order) bool { return o.Mode == order.Auto }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
			if c.ready != nil {
				c.ready(h, t, o)
			}
			for _, act := range c.acts {
				h.queued = nil
				if status, to := h.act(t, h.manager, o, act); status != http.StatusSeeOther || to != pathOf(o) {
					t.Fatalf("%s: %d, on to %q", act, status, to)
				}
			}
			now, err := h.orders.Find(t.Context(), o.ID)
			must(t, err)
			if !c.want(now) {
				t.Errorf("the order is now %+v", now)
			}
			step := work.AdvanceOrder{OrderID: string(o.ID), Step: string(now.State), Attempt: now.Attempt}
			if slices.Contains(h.queued, work.Item(step)) != c.work {
				t.Errorf("queued: %v", h.queued)
			}
			h.wantAudit(t, o, len(c.acts))
		})
	}
}

// TestAct_refused: Support may look but not change, a customer neither; what cannot be done now or at all, and what no
// form of ours sent, changes nothing.
func TestAct_refused(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	for name, c := range map[string]struct {
		secret, act, csrf string
		want              int
	}{
		"Support":         {h.staff, "cancel", h.csrf(t, h.staff, o), http.StatusForbidden},
		"a customer":      {h.guest, "cancel", "", http.StatusSeeOther}, // to the sign-in of staff
		"no form of ours": {h.manager, "cancel", "", http.StatusForbidden},
		"another's form":  {h.manager, "cancel", h.csrf(t, h.staff, o), http.StatusForbidden},
		"not failed":      {h.manager, "retry", h.csrf(t, h.manager, o), http.StatusConflict},
		"not manual":      {h.manager, "press", h.csrf(t, h.manager, o), http.StatusConflict},
		"no such act":     {h.manager, "fulfil", h.csrf(t, h.manager, o), http.StatusUnprocessableEntity},
	} {
		status, to := h.post(t, c.secret, pathOf(o)+"/act", url.Values{"act": {c.act}, "csrf": {c.csrf}})
		if status != c.want || strings.HasPrefix(to, pathOf(o)) {
			t.Errorf("%s: %d, on to %q; want %d", name, status, to, c.want)
		}
	}
	now, err := h.orders.Find(t.Context(), o.ID)
	must(t, err)
	if now.State != order.PaymentConfirmed || now.Mode != order.Auto || now.Attempt != 0 {
		t.Errorf("the order is now %+v", now)
	}
	h.wantAudit(t, o, 0)
}

// TestOrder_support: the page of an order shows Support no button that would be refused, but says who may. What is pushed
// to the page later does the same, and where nobody could do anything, nothing is said.
func TestOrder_support(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	over := h.add(t, "Other Bakery", "other@example.com", "other", order.Cancelled)
	const who = "A manager, an admin or an owner can change them"
	for name, c := range map[string]struct {
		secret      string
		of          order.Order
		acts, words bool
	}{
		"Support":                {h.staff, o, false, true},
		"a manager":              {h.manager, o, true, false},
		"Support, of one over":   {h.staff, over, false, false},
		"a manager, of one over": {h.manager, over, false, false},
	} {
		d := h.doc(t, c.secret, pathOf(c.of))
		if got := d.Find(`form[action="`+pathOf(c.of)+`/act"]`).Length() > 0; got != c.acts {
			t.Errorf("%s: buttons %t", name, got)
		}
		if got := strings.Contains(d.Find("#order").Text(), who); got != c.words {
			t.Errorf("%s: says who may: %t", name, got)
		}
	}
	if pushed := h.follow(t, pathOf(o), "").next(); strings.Contains(pushed, "/act") || !strings.Contains(pushed, who) {
		t.Errorf("pushed to Support: %s", pushed)
	}
}

func pathOf(o order.Order) string { return "/admin/orders/" + string(o.ID) }

// act presses a button that stands on the order's page.
func (h *hub) act(t *testing.T, secret string, o order.Order, act string) (status int, to string) {
	t.Helper()
	if h.doc(t, secret, pathOf(o)).Find(`form[action="`+pathOf(o)+`/act"] button[name=act][value=`+act+`]`).Length() != 1 {
		t.Fatalf("the page of the order does not offer %s", act)
	}
	form := url.Values{"act": {act}, "csrf": {h.csrf(t, secret, o)}}
	if act == "cancel" {
		form = h.confirmed(t, secret, pathOf(o)+"/act", form)
	}
	return h.post(t, secret, pathOf(o)+"/act", form)
}

// csrf is what forms on the order's page send along.
func (h *hub) csrf(t *testing.T, secret string, o order.Order) string {
	t.Helper()
	v, ok := h.doc(t, secret, pathOf(o)).Find("form [name=csrf]").First().Attr("value")
	if !ok || v == "" {
		t.Fatal("no field against forged forms")
	}
	return v
}

func (h *hub) doc(t *testing.T, secret, path string) *goquery.Document {
	t.Helper()
	status, text := h.get(t, secret, path)
	if status != http.StatusOK {
		t.Fatalf("%s: %d", path, status)
	}
	d, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	must(t, err)
	return d
}

// post sends a form as a browser does.
func (h *hub) post(t *testing.T, secret, path string, form url.Values) (status int, to string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, strings.NewReader(form.Encode()))
	must(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cookie", "sid="+secret+"; ssid="+secret)
	res, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	must(t, res.Body.Close())
	return res.StatusCode, res.Header.Get("Location")
}

// fail lets the step of an order fail, as a job does.
func (h *hub) fail(t *testing.T, o order.Order) {
	t.Helper()
	_, err := h.orders.Fail(t.Context(), work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt}, "The payment could not be read.")
	must(t, err)
}

// wantAudit fails unless that many changes of the order are recorded, all under the manager's name.
func (h *hub) wantAudit(t *testing.T, o order.Order, want int) {
	t.Helper()
	all, err := (&db.Audit{DB: h.db}).List(t.Context(), string(o.CustomerID), page.Ask{})
	must(t, err)
	n := 0
	for _, e := range all.Items {
		if e.Target != string(o.ID) {
			continue
		}
		n++
		if e.By.Kind != audit.Staff || e.By.Name != "manager@example.com" || !strings.HasPrefix(e.Action, "order.") {
			t.Errorf("recorded: %+v", e)
		}
	}
	if n != want {
		t.Errorf("%d changes are recorded, want %d", n, want)
	}
}
