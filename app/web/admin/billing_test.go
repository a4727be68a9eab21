package admin_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/order"
	"gatehouse/db"
)

// works has the server of an order work since then, and begins its first month.
func (h *hub) works(t *testing.T, o order.Order, since time.Time) {
	t.Helper()
	for _, q := range []string{
		"UPDATE orders SET state = 'AWAITING_SERVER' WHERE id = $1", "UPDATE orders SET state = 'SERVER_READY' WHERE id = $1",
		"UPDATE orders SET state = 'DNS_PENDING' WHERE id = $1", "UPDATE orders SET state = 'DNS_READY' WHERE id = $1",
		"UPDATE orders SET state = 'PROVISIONING', server_id = (SELECT id FROM servers WHERE order_id = $1) WHERE id = $1",
	} {
		_, err := h.db.Pool.Exec(t.Context(), q, o.ID)
		must(t, err)
	}
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE orders SET state = 'FULFILLED', fulfilled_at = $2 WHERE id = $1", o.ID, since)
	must(t, err)
}

// bills is the billing of the test's hub.
func (h *hub) bills() *billing.Service {
	return &billing.Service{Store: &db.Billing{DB: h.db, Jobs: h}, Usage: &db.Usage{DB: h.db}, Orders: h.orders, Now: time.Now}
}

// run does what is due.
func (h *hub) run(t *testing.T) {
	t.Helper()
	s := h.bills()
	_, err := s.BeginDue(t.Context())
	must(t, err)
	_, err = s.CloseDue(t.Context())
	must(t, err)
	_, err = s.BillDue(t.Context())
	must(t, err)
}

// TestBilling: a month waits until the seller and the tax are known, then its invoice stands in the list; the page of the customer
// changes plan and founding membership, and support may see none of it.
func TestBilling(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "The baker", "baker@example.com", "baker", order.Fulfilled)
	h.works(t, o, time.Now().UTC().AddDate(0, -1, -2))
	h.run(t)
	text := h.doc(t, h.manager, "/admin/billing").Find("main").Text()
	holds(t, "without a seller", text, []string{
		"nobody has said who the seller is", "The details of the seller are not kept.",
		"No invoice yet",
	}, nil)
	if status, _ := h.get(t, h.staff, "/admin/billing"); status != http.StatusForbidden {
		t.Errorf("support: %d", status)
	}
	holds(t, "home", h.doc(t, h.manager, "/admin").Find("main").Text(), []string{"No seller for invoices", "Months wait for a price"}, nil)
	seller := url.Values{
		"kind": {"seller"}, "seller-name": {"Gatehouse Ltd"}, "seller-address": {"1 Street\nVienna"}, "seller-country": {"at"},
		"seller-vat_id": {"ATU12345678"}, "seller-due_days": {"0"}, "seller-reason": {"First details."}, "act": {"add"},
	}
	tax := url.Values{"kind": {"tax"}, "tax-country": {"AT"}, "tax-percent": {"20"}, "tax-reason": {"The law."}, "act": {"add"}}
	for _, form := range []url.Values{seller, tax} {
		if status, text := h.send(t, h.admin, "/admin/prices", form); status != http.StatusSeeOther {
			t.Fatalf("%v: %d %s", form, status, text)
		}
	}
	h.run(t)
	list := h.doc(t, h.manager, "/admin/billing?state=open&q=baker")
	holds(t, "the list", list.Find("main").Text(), []string{"The baker", "54.00"}, []string{"nobody has said"})
	page := list.Find("a[href*='/admin/billing/invoices/']").AttrOr("href", "")
	holds(t, "the invoice", h.doc(t, h.manager, page).Find("main").Text(), []string{"Gatehouse Ltd", "Plan Build", "Tax, 20.00 %"}, nil)
	if status, text := h.get(t, h.manager, page+"/pdf"); status != http.StatusOK || !strings.HasPrefix(text, "%PDF") {
		t.Errorf("PDF: %d", status)
	}
	if status, _ := h.send(t, h.manager, page+"/give-up", nil); status != http.StatusForbidden {
		t.Errorf("given up by a manager: %d", status)
	}
	if status, _ := h.send(t, h.admin, page+"/give-up", nil); status != http.StatusSeeOther {
		t.Errorf("given up: %d", status)
	}
	credit := url.Values{"amount": {"5,00"}, "reason": {"The server was away."}}
	if status, text := h.send(t, h.admin, page+"/credit", url.Values{"amount": {"99"}, "reason": {"Too much."}}); status !=
		http.StatusUnprocessableEntity || !strings.Contains(text, "no more than is left") {
		t.Errorf("credited too much: %d", status)
	}
	if status, _ := h.send(t, h.admin, page+"/credit", credit); status != http.StatusSeeOther {
		t.Errorf("credited: %d", status)
	}
	holds(t, "with a credit note", h.doc(t, h.manager, page).Find("#credits").Text(),
		[]string{"6.00 € with tax", "The server was away."}, nil)
	note := h.doc(t, h.manager, page).Find("#credits a").AttrOr("href", "")
	for path, want := range map[string][]string{
		page + "/xml": {"Plan Build", ">380<", ">45.00<", ">9.00<", ">54.00<"},
		note:          {"Credit note against invoice", "The server was away.", ">381<", ">5.00<", ">1.00<", ">6.00<"},
	} {
		status, text := h.get(t, h.manager, path)
		if status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
		holds(t, path, text, want, nil)
	}
	customer := "/admin/customers/" + string(o.CustomerID) + "/billing"
	if lead := h.doc(t, h.manager, "/admin/customers/"+string(o.CustomerID)).Find("a[href='" + customer + "']"); lead.Length() != 1 {
		t.Error("the page of the customer does not lead there")
	}
	plans := h.doc(t, h.admin, customer).Find("#plan-form")
	if text := plans.Find("input[value=lite]").Closest(".radio").Text(); !strings.Contains(text, "Not while the server") {
		t.Errorf("a smaller plan: %q", text)
	}
	if held := plans.Find("input[value=build]"); !held.Is("[disabled]") || plans.Find("input[value=scale]").Is("[disabled]") {
		t.Error("the plan that holds can be chosen, or a larger one cannot")
	}
	for path, form := range map[string]url.Values{"/plan": {"plan": {"scale"}}, "/founding": {"act": {"found"}, "multiplier": {"3"}}} {
		if status, text := h.send(t, h.admin, customer+path, form); status != http.StatusSeeOther {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	founders := h.doc(t, h.manager, "/admin/billing").Find("#founders tbody tr")
	if text := founders.Text(); founders.Length() != 1 || !strings.Contains(text, "3 times") ||
		founders.Find("a[href='"+customer+"']").Length() != 1 {
		t.Errorf("the founding members: %q", text)
	}
	if status, _ := h.send(t, h.admin, customer+"/founding", url.Values{"multiplier": {"99"}}); status != http.StatusUnprocessableEntity {
		t.Errorf("99 times: %d", status)
	}
	holds(t, "the customer", h.doc(t, h.manager, customer).Find("main").Text(),
		[]string{"Scale, €75 a month", "The pool is 3 times as large", "Given up"}, nil)
}

// TestPrices_rate: an exchange rate is fetched at a button, and the page says what came and what did not.
func TestPrices_rate(t *testing.T) {
	t.Parallel()
	h := start(t)
	day, answer := time.Now().UTC().Format(time.DateOnly), http.StatusInternalServerError
	bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answer)
		_, _ = io.WriteString(w, `<E><Cube><Cube time="`+day+`"><Cube currency="USD" rate="1.25"/></Cube></Cube></E>`)
	}))
	defer bank.Close()
	h.bank = bank.URL
	says := func() string { return h.doc(t, h.manager, "/admin/prices").Find("#rate").Text() }
	holds(t, "at first", says(), []string{"There was none yet.", "comes by itself"}, []string{"Fetch now"})
	if status, _ := h.send(t, h.manager, "/admin/prices/rate", nil); status != http.StatusForbidden {
		t.Errorf("a manager: %d", status)
	}
	fetch := func() {
		if status, text := h.send(t, h.admin, "/admin/prices/rate", nil); status != http.StatusSeeOther {
			t.Errorf("fetched: %d %s", status, text)
		}
	}
	fetch()
	holds(t, "away", says(), []string{"The bank did not answer."}, []string{"ECB"})
	answer = http.StatusOK
	fetch()
	holds(t, "there", says(), []string{"newest rate was of " + day, "0.80", "ECB: eurofxref " + day}, nil)
}

// TestPrices: an entry says what it changes before it is made, what does not read is marked, and a manager only looks.
func TestPrices(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "The baker", "baker@example.com", "baker", order.Fulfilled)
	h.works(t, o, time.Now().UTC().AddDate(0, 0, -2))
	h.run(t)
	plan := url.Values{
		"kind": {"plan"}, "plan-plan": {"build"}, "plan-title": {"Build"}, "plan-monthly": {"49,50"}, "plan-pool": {"15000000"},
		"plan-reason": {"Dearer machines."}, "act": {"preview"},
	}
	status, text := h.send(t, h.admin, "/admin/prices", plan)
	if status != http.StatusOK || !strings.Contains(text, "next invoice of 1 customers by €4.50") {
		t.Errorf("preview: %d", status)
	}
	holds(t, "after a preview", h.doc(t, h.manager, "/admin/prices").Find("#plan").Text(), []string{"Build: €45 a month"},
		[]string{"€49.50"})
	plan.Set("act", "add")
	if status, _ := h.send(t, h.manager, "/admin/prices", plan); status != http.StatusForbidden {
		t.Errorf("a manager: %d", status)
	}
	if status, _ := h.send(t, h.admin, "/admin/prices", plan); status != http.StatusSeeOther {
		t.Errorf("added: %d", status)
	}
	holds(t, "added", h.doc(t, h.manager, "/admin/prices").Find("#plan").Text(), []string{"Build: €49.50 a month", "Dearer machines."},
		[]string{"€45"})
	for _, good := range []url.Values{
		{
			"kind": {"model"}, "model-model": {"a/model"}, "model-class": {"premium"}, "model-input": {"3"}, "model-output": {"15.5"},
			"model-cache_read": {"0.3"}, "model-cache_write": {"3.75"}, "model-reason": {"The provider's list."}, "act": {"add"},
		},
		{"kind": {"rate"}, "rate-rate": {"0.9213"}, "rate-reason": {"Published today."}, "act": {"add"}},
		{
			"kind": {"markups"}, "markups-premium": {"< 1.00 = 25\n<= 15 = 10\n= 8"}, "markups-overage": {"= 20"},
			"markups-reason": {"Simpler."}, "act": {"add"},
		},
		{
			"kind": {"weights"}, "weights-input": {"1"}, "weights-output": {"1"}, "weights-cache_read": {"0.1"},
			"weights-cache_write": {"1"},
			"weights-search":      {"2000"}, "weights-fetch": {"500"}, "weights-reason": {"Cheaper."}, "act": {"add"},
		},
	} {
		if status, text := h.send(t, h.admin, "/admin/prices", good); status != http.StatusSeeOther {
			t.Errorf("%v: %d %s", good, status, text)
		}
	}
	holds(t, "all", h.doc(t, h.manager, "/admin/prices").Find("main").Text(), []string{
		"premium: input $3.00, output $15.50, cache read $0.30", "0.9213 euros a dollar", "Premium: < 1 = 25, <= 15 = 10, = 8",
		"a fetch 500 tokens",
	}, nil)
	for _, bad := range []url.Values{
		{"kind": {"rate"}, "rate-rate": {"much"}, "rate-reason": {"Why not."}},
		{"kind": {"rate"}, "rate-rate": {"0.9"}},
		{"kind": {"markups"}, "markups-premium": {"25"}, "markups-overage": {"= 20"}, "markups-reason": {"Wrong."}},
		{"kind": {"tax"}, "tax-country": {"Austria"}, "tax-percent": {"20"}, "tax-reason": {"Wrong."}},
		{"kind": {"rate"}, "rate-rate": {"0.9"}, "rate-reason": {"A day."}, "rate-from": {"yesterday"}},
	} {
		if status, text := h.send(t, h.admin, "/admin/prices", bad); status != http.StatusUnprocessableEntity ||
			!strings.Contains(text, `role="alert"`) {
			t.Errorf("%v: %d", bad, status)
		}
	}
	if status, _ := h.send(t, h.admin, "/admin/prices", url.Values{"kind": {"else"}}); status != http.StatusNotFound {
		t.Errorf("no such kind: %d", status)
	}
}
