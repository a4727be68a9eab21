package admin_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/db"
)

// record writes what somebody did.
func (h *hub) record(t testing.TB, e audit.Entry) {
	t.Helper()
	if e.ID = newID(); e.At.IsZero() {
		e.At = time.Now().UTC()
	}
	if e.By.Name == "" {
		e.By = audit.Actor{Kind: audit.Staff, ID: newID(), Name: "manager@example.com", Role: "MANAGER", Address: "192.0.2.7"}
	}
	must(t, (&db.Trail{DB: h.db}).Add(t.Context(), e))
}

// TestAudit: the record tells in a sentence who did what on what, when and from where, and leads to what it names.
func TestAudit(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	h.record(t, audit.Entry{
		At: at, CustomerID: string(o.CustomerID), Action: "order.retry", Target: string(o.ID),
		Details: map[string]string{"from": "FAILED"},
	})
	h.record(t, audit.Entry{Action: "approval.decide", Target: newID(), Details: map[string]string{"decision": "deny"}})
	h.record(t, audit.Entry{Action: "oven.preheat", Target: `<script>alert(1)</script>`})
	h.record(t, audit.Entry{By: audit.Actor{Kind: audit.System, Name: "gatehouse"}, Action: "server.release"})
	d := h.doc(t, h.admin, "/admin/audit")
	row := d.Find("#audit tbody tr").FilterFunction(func(_ int, s *goquery.Selection) bool {
		return strings.Contains(s.Text(),
			"Retried an order")
	})
	for _, want := range []string{
		fmt.Sprintf("Order %d", o.Number), "Some Bakery", "manager@example.com", "Staff, manager · 192.0.2.7",
		"2 Mar 2026", "FAILED",
	} {
		if !strings.Contains(row.Text(), want) {
			t.Errorf("%q is missing: %s", want, row.Text())
		}
	}
	for _, href := range []string{pathOf(o), "/admin/customers/" + string(o.CustomerID)} {
		if row.Find(`a[href="`+href+`"]`).Length() != 1 {
			t.Errorf("no link to %s", href)
		}
	}
	holds(t, "record", d.Find("#audit").Text(), []string{
		"Denied a request", "oven.preheat", "<script>alert(1)</script>",
		"Gatehouse itself",
	}, []string{"⟦"})
	_, german := h.get(t, h.admin, "/admin/audit", "Accept-Language", "de")
	holds(t, "German", german, []string{"Bestellung noch einmal versucht", "Anfrage abgelehnt", "oven.preheat", "Mitarbeiter, Manager"},
		[]string{"Retried"})
}

// TestAudit_audience: the record is for those who run the hub.
func TestAudit_audience(t *testing.T) {
	t.Parallel()
	h := start(t)
	for who, c := range map[string]struct {
		secret string
		want   int
	}{"nobody": {"", 303}, "a customer": {h.guest, 303}, "Support": {h.staff, 403}, "a manager": {h.manager, 403}, "an admin": {
		h.admin,
		200,
	}} {
		if status, _ := h.get(t, c.secret, "/admin/audit"); status != c.want {
			t.Errorf("%s: %d, want %d", who, status, c.want)
		}
	}
	if status, _ := h.post(t, h.staff, "/admin/audit/export", url.Values{"csrf": {h.token(t, h.staff)}}); status != http.StatusForbidden {
		t.Errorf("Support takes it out: %d", status)
	}
	if status, _ := h.post(t, h.admin, "/admin/audit/export", nil); status != http.StatusForbidden {
		t.Errorf("without a form of ours: %d", status)
	}
}

// token is what forms of a sign-in send along.
func (h *hub) token(t *testing.T, secret string) string {
	t.Helper()
	return h.doc(t, secret, "/admin").Find("form [name=csrf]").First().AttrOr("value", "")
}

// TestAudit_filters: the fields above the record narrow it, and stay as they were set.
func TestAudit_filters(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	day := func(n int) time.Time { return time.Date(2026, 3, n, 12, 0, 0, 0, time.UTC) }
	h.record(t, audit.Entry{At: day(1), CustomerID: string(o.CustomerID), Action: "order.retry", Target: string(o.ID)})
	h.record(t, audit.Entry{At: day(2), Action: "server.release", By: audit.Actor{Kind: audit.System, Name: "gatehouse"}})
	for query, c := range map[string]struct{ want, not string }{
		"action=order.retry":                    {"Retried an order", "Ended the hold"},
		"by=manager":                            {"Retried an order", "Ended the hold"},
		"by=gatehouse":                          {"Ended the hold", "Retried an order"},
		"customer=" + string(o.CustomerID):      {"Retried an order", "Ended the hold"},
		"customer=bakery":                       {"Retried an order", "Ended the hold"},
		"from=2026-03-02&to=2026-03-02":         {"Ended the hold", "Retried an order"},
		"to=2026-03-01":                         {"Retried an order", "Ended the hold"},
		fmt.Sprintf("q=%d", o.Number):           {"Retried an order", "Ended the hold"},
		"action=order.retry&from=2026-03-02":    {"Nothing matches", "manager@example.com"},
		"action=no.such":                        {"Nothing matches", "manager@example.com"},
		"action=order.retry&by=x&customer=none": {"Nothing matches", "manager@example.com"},
	} {
		text := h.doc(t, h.admin, "/admin/audit?"+query)
		holds(t, query, text.Find("#audit-results").Text(), []string{c.want}, []string{c.not})
		asked, err := url.ParseQuery(query)
		must(t, err)
		for name, v := range asked {
			field := text.Find(".table-tools [name=" + name + "]")
			if got := field.AttrOr("value", field.Find("option[selected]").AttrOr("value", "")); got != v[0] {
				t.Errorf("%s: the field %s says %q", query, name, got)
			}
		}
	}
	for _, query := range []string{
		"from=yesterday", "to=2026-02-30", "q=" + strings.Repeat("x", 101), "by=" + strings.Repeat("x", 101),
		"after=x",
	} {
		if status, _ := h.get(t, h.admin, "/admin/audit?"+query); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", query, status)
		}
	}
}

// TestAudit_pages: each record comes once, however often one turns over, and what narrows the list stays.
func TestAudit_pages(t *testing.T) {
	t.Parallel()
	h := start(t)
	for i := range 5 {
		h.record(t, audit.Entry{Action: "order.retry", Target: fmt.Sprintf("target-%d", i)})
		h.record(t, audit.Entry{Action: "order.press"})
	}
	var seen []string
	path := "/admin/audit?limit=2&action=order.retry&by=manager"
	for range 9 {
		d := h.doc(t, h.admin, path)
		d.Find("#audit tbody tr td:nth-child(2)").Each(func(_ int, s *goquery.Selection) {
			seen = append(seen,
				strings.TrimSpace(s.Text()))
		})
		next, more := d.Find("a[rel=next]").Attr("href")
		if !more {
			break
		}
		path = next
	}
	if got := strings.Join(seen, " "); got != "target-4 target-3 target-2 target-1 target-0" {
		t.Errorf("turned over: %s", got)
	}
}

// TestAudit_export: what the page is narrowed to comes as CSV in which nothing is a formula, and that it was taken is on record.
func TestAudit_export(t *testing.T) {
	t.Parallel()
	h := start(t)
	for i := range 250 { // more than one stretch
		h.record(t, audit.Entry{Action: "order.retry", Target: fmt.Sprintf("=cmd|%d", i)})
	}
	h.record(t, audit.Entry{Action: "order.press"})
	form := url.Values{"csrf": {h.token(t, h.admin)}}
	h.doc(t, h.admin,
		"/admin/audit?action=order.retry&by=manager").Find(`form[action="/admin/audit/export"] input[type=hidden]`).Each(func(_ int,
		s *goquery.Selection,
	) {
		form.Set(s.AttrOr("name", ""), s.AttrOr("value", ""))
	})
	head, text := h.download(t, "/admin/audit/export", form)
	if kind := head.Get("Content-Type"); kind != "text/csv; charset=utf-8" || !strings.HasPrefix(head.Get("Content-Disposition"),
		`attachment; filename="changes-2`) {
		t.Errorf("sent as %s, %s", kind, head.Get("Content-Disposition"))
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	must(t, err)
	if len(rows) != 251 || rows[0][6] != "action" || rows[1][7] != "'=cmd|249" || rows[250][7] != "'=cmd|0" {
		t.Errorf("%d rows, from %q to %q", len(rows), rows[1], rows[len(rows)-1])
	}
	all, err := (&db.Audit{DB: h.db}).Find(t.Context(), audit.Filter{Action: "audit.export"}, page.Ask{})
	must(t, err)
	if len(all.Items) != 1 || all.Items[0].By.Name != "admin@example.com" || all.Items[0].Details["action"] != "order.retry" ||
		all.Items[0].Details["by"] != "manager" {
		t.Errorf("on record: %+v", all.Items)
	}
}

// download sends a form and reads what comes.
func (h *hub) download(t *testing.T, path string, form url.Values) (http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, strings.NewReader(form.Encode()))
	must(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cookie", "ssid="+h.admin)
	res, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	must(t, err)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", path, res.StatusCode, b)
	}
	return res.Header, string(b)
}

// TestCustomer_changes: a customer's page shows what was changed for them last and leads to all of it; those who may not see
// the record find no trace of it.
func TestCustomer_changes(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	path := "/admin/customers/" + string(o.CustomerID)
	holds(t, "before", h.doc(t, h.admin, path).Find("#changes").Text(), []string{"Nothing has been changed"}, nil)
	for range 7 {
		h.record(t, audit.Entry{CustomerID: string(o.CustomerID), Action: "order.retry", Target: string(o.ID)})
	}
	h.record(t, audit.Entry{Action: "server.release"})
	d := h.doc(t, h.admin, path).Find("#changes")
	if n := d.Find("tbody tr").Length(); n != 5 || strings.Contains(d.Text(), "hold") {
		t.Errorf("%d changes: %s", n, d.Text())
	}
	all := d.Find("a.more").AttrOr("href", "")
	if n := h.doc(t, h.admin, html.UnescapeString(all)).Find("#audit tbody tr").Length(); n != 7 {
		t.Errorf("%s leads to %d changes", all, n)
	}
	if h.doc(t, h.staff, path).Find("#changes").Length() != 0 {
		t.Error("Support sees it")
	}
}
