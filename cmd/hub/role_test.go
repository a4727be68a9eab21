package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
)

// needs is what each route for our staff asks of the reader's role. A route that is new, gone or asks for something else shows
// here first: it is reviewed, not discovered.
const needs = `
POST /admin/auth/sign-out             own
POST /admin/auth/sign-out-everywhere  own
GET  /admin                           orders.read
GET  /admin/customers                 customers.read
GET  /admin/customers/:id             customers.read
GET  /admin/customers/new             customers.write
POST /admin/customers/new             customers.write
GET  /admin/customers/:id/edit        customers.write
POST /admin/customers/:id/edit        customers.write
POST /admin/customers/:id/notes       customers.write
POST /admin/customers/:id/invitation  customers.write
GET  /admin/orders                    orders.read
GET  /admin/orders/:id                orders.read
GET  /admin/orders/alerts             orders.read
GET  /admin/orders/:id/log            orders.read
POST /admin/orders/:id/act            orders.act
POST /admin/orders/:id/name           orders.act
POST /admin/orders/export             orders.act
POST /admin/profile/photo             own
GET  /admin/staff/:id/photo           own
GET  /admin/billing                   billing.read
GET  /admin/billing/invoices/:id      billing.read
GET  /admin/billing/invoices/:id/pdf  billing.read
GET  /admin/billing/invoices/:id/xml  billing.read
GET  /admin/billing/invoices/:id/credits/:credit/xml billing.read
POST /admin/billing/invoices/:id/give-up billing.manage
POST /admin/billing/invoices/:id/credit billing.manage
GET  /admin/customers/:id/billing     billing.read
GET  /admin/customers/:id/uncharged   billing.read
GET  /admin/customers/:id/uncharged.csv billing.read
POST /admin/customers/:id/billing/plan billing.manage
POST /admin/customers/:id/billing/founding billing.manage
GET  /admin/customers/:id/payments    billing.read
POST /admin/customers/:id/payments/refund billing.manage
POST /admin/customers/:id/payments/forgive billing.manage
GET  /admin/prices                    billing.read
POST /admin/prices                    billing.manage
POST /admin/prices/rate               billing.manage
GET  /admin/settings                  settings.manage
POST /admin/settings/:key             settings.manage
GET  /admin/servers                   servers.read
GET  /admin/servers/:id               servers.read
POST /admin/servers/:id/command       servers.command
POST /admin/servers/:id/key           servers.command
POST /admin/servers/:id/cut           servers.destroy
POST /admin/servers/:id/power         servers.power
POST /admin/servers/:id/rescue        servers.power
POST /admin/servers/:id/snapshot      servers.power
POST /admin/servers/:id/look          servers.power
POST /admin/servers/:id/reinstall     servers.destroy
POST /admin/servers/:id/restore       servers.destroy
POST /admin/servers/:id/drop          servers.destroy
GET  /admin/customers/:id/regain      customers.write
POST /admin/customers/:id/regain      customers.write
POST /admin/customers/:id/regain/:case/confirm customers.write
POST /admin/customers/:id/regain/:case/stop customers.write
GET  /admin/servers/:id/support       support.use
POST /admin/servers/:id/support       support.use
POST /admin/servers/:id/support/:window/leave support.use
POST /admin/servers/:id/support/:window/look support.use
GET  /admin/pool                      pool.manage
POST /admin/pool                      pool.manage
POST /admin/pool/:id                  pool.manage
GET  /admin/providers                 providers.manage
GET  /admin/providers/netcup          providers.manage
GET  /admin/providers/netcup/others   providers.manage
POST /admin/providers/netcup          providers.manage
POST /admin/providers/netcup/adopt    providers.manage
POST /admin/providers/netcup/machines/:id providers.manage
POST /admin/providers/:name/check     providers.manage
GET  /admin/keys                      approvals.read
GET  /admin/keys/:id                  approvals.read
POST /admin/keys/:id                  approvals.decide
GET  /admin/tokens                    own
POST /admin/tokens/new                own
POST /admin/tokens/:id/revoke         own
GET  /admin/jobs                      jobs.manage
POST /admin/jobs/:id/act              jobs.manage
POST /admin/jobs/queues/:name         jobs.manage
GET  /admin/audit                     audit.read
POST /admin/audit/export              audit.read
GET  /admin/usage                     analytics.read
GET  /admin/analytics                 analytics.read
GET  /admin/analytics.csv             analytics.read
GET  /admin/stream                    own
GET  /admin/staff                     staff.manage
GET  /admin/staff/invite              staff.manage
POST /admin/staff/invite              staff.manage
POST /admin/staff/invitation          staff.manage
GET  /admin/staff/:id                 staff.manage
POST /admin/staff/:id/act             staff.manage
GET  /admin/profile                   own
POST /admin/profile/name              own
POST /admin/profile/language          own
POST /admin/profile/password          own
POST /admin/profile/codes             own
POST /admin/profile/second            own
GET  /admin/profile/second            own
POST /admin/profile/second/confirm    own
POST /admin/profile/sign-ins          own
POST /admin/profile/passkey-begin     own
POST /admin/profile/passkey-add       own
POST /admin/profile/passkey-remove    own
POST /admin/profile/passkey-rename    own
GET  /admin/approvals                 approvals.read
GET  /admin/approvals/history         approvals.read
GET  /admin/approvals/:id             approvals.read
POST /admin/approvals/:id             approvals.read
GET  /admin/approvals/stream          approvals.read
GET  /api/v1/admin/customers          customers.read
POST /api/v1/admin/customers          customers.write
GET  /api/v1/admin/customers/:id      customers.read
PATCH /api/v1/admin/customers/:id     customers.write
POST /api/v1/admin/customers/:id/invitation customers.write
DELETE /api/v1/admin/customers/:id/invitation customers.write
GET  /api/v1/admin/customers/:id/notes customers.read
POST /api/v1/admin/customers/:id/notes customers.write
GET  /api/v1/admin/stats              own
GET  /api/v1/admin/orders             orders.read
POST /api/v1/admin/orders/:id/dns/create orders.act
POST /api/v1/admin/orders/:id/dns/verify orders.act
GET  /api/v1/admin/orders/alerts      orders.read
GET  /api/v1/admin/billing/summary    billing.read
GET  /api/v1/admin/billing/history    billing.read
GET  /api/v1/admin/billing/overages   billing.read
GET  /api/v1/admin/billing/founding   billing.read
GET  /api/v1/admin/orders/:id         orders.read
GET  /api/v1/admin/orders/:id/logs    orders.read
POST /api/v1/admin/orders/:id/transition orders.act
POST /api/v1/admin/codes              own
GET  /api/v1/admin/servers            servers.read
GET  /api/v1/admin/servers/:id        servers.read
GET  /api/v1/admin/servers/:id/metrics servers.read
GET  /api/v1/admin/servers/:id/commands servers.read
POST /api/v1/admin/servers/:id/command servers.command
GET  /api/v1/admin/servers/:id/machine servers.read
GET  /api/v1/admin/servers/:id/snapshots servers.read
POST /api/v1/admin/servers/:id/power  servers.power
POST /api/v1/admin/servers/:id/rescue servers.power
POST /api/v1/admin/servers/:id/snapshots servers.power
POST /api/v1/admin/servers/:id/reinstall servers.destroy
POST /api/v1/admin/servers/:id/snapshots/:snap/restore servers.destroy
DELETE /api/v1/admin/servers/:id/snapshots/:snap servers.destroy
GET  /api/v1/admin/servers/:id/support-windows support.use
POST /api/v1/admin/servers/:id/support-windows support.use
DELETE /api/v1/admin/servers/:id/support-windows/:window support.use
POST /api/v1/admin/servers/:id/support-windows/:window/looks support.use
GET  /api/v1/admin/providers          providers.manage
POST /api/v1/admin/providers/:name/check providers.manage
GET  /api/v1/admin/providers/netcup   providers.manage
POST /api/v1/admin/providers/netcup   providers.manage
GET  /api/v1/admin/providers/netcup/others providers.manage
GET  /api/v1/admin/providers/netcup/machines providers.manage
POST /api/v1/admin/providers/netcup/machines providers.manage
POST /api/v1/admin/providers/netcup/machines/:number providers.manage
DELETE /api/v1/admin/providers/netcup/machines/:number providers.manage
GET  /api/v1/admin/pool               pool.manage
GET  /api/v1/admin/pool/key           pool.manage
GET  /api/v1/admin/pool/:id           pool.manage
POST /api/v1/admin/pool               pool.manage
POST /api/v1/admin/pool/:id           pool.manage
PATCH /api/v1/admin/pool/:id          pool.manage
DELETE /api/v1/admin/pool/:id         pool.manage
GET  /api/v1/admin/approvals          approvals.read
GET  /api/v1/admin/audit              audit.read
GET  /api/v1/admin/analytics/tokens   analytics.read
GET  /api/v1/admin/analytics/costs    analytics.read
GET  /api/v1/admin/analytics/customers analytics.read
GET  /api/v1/admin/analytics/months   analytics.read
GET  /api/v1/admin/customers/:id/uncharged billing.read
GET  /api/v1/admin/staff              staff.manage
GET  /api/v1/admin/staff/:id          staff.manage
PATCH /api/v1/admin/staff/:id         staff.manage
GET  /api/v1/admin/invitations        staff.manage
POST /api/v1/admin/invitations        staff.manage
DELETE /api/v1/admin/invitations/:id  staff.manage
GET  /api/v1/admin/settings           settings.manage
GET  /api/v1/admin/settings/:key      settings.manage
PATCH /api/v1/admin/settings/:key     settings.manage
GET  /api/v1/admin/settings/:key/history settings.manage
GET  /api/v1/admin/jobs               jobs.manage
POST /api/v1/admin/jobs/:id           jobs.manage
`

// TestRoles_everyRouteAsTheTableSays asks every route for our staff, page and API call, as each role: what the table of
// permissions refuses is refused with the sentence that says who may, and nothing else is.
func TestRoles_everyRouteAsTheTableSays(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	want := map[string]staff.Permission{}
	for line := range strings.Lines(strings.TrimSpace(needs)) {
		f := strings.Fields(line)
		want[f[0]+" "+f[1]] = staff.Permission(f[2])
	}
	clerks := map[staff.Role]clerk{}
	for _, role := range staff.Roles() {
		clerks[role] = w.clerk(role)
	}
	for _, r := range w.routes {
		if r.For != web.Staff && r.For != web.StaffToken {
			continue
		}
		key := r.Method + " " + r.Path
		if r.Needs != want[key] {
			t.Errorf("%s needs %q, the list says %q", key, r.Needs, want[key])
		}
		delete(want, key)
		for role, c := range clerks {
			status, text := c.ask(r)
			refused := status == http.StatusForbidden && strings.Contains(text, fault.Of(staff.Refused(r.Needs)).Public)
			if may := role.May(r.Needs); refused == may || may && (status == http.StatusUnauthorized || status == http.StatusForbidden) {
				t.Errorf("%s as %s: %d, the table says %t: %.300s", key, role, status, may, text)
			}
		}
	}
	for key := range want {
		t.Errorf("%s is listed and is gone", key)
	}
}

// TestRoles_theMenuIsWhatOneMayOpen: no page leads one of our staff to where their role may not go.
func TestRoles_theMenuIsWhatOneMayOpen(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	opens := map[string]staff.Permission{}
	for _, r := range w.routes {
		if r.For == web.Staff && r.Method == http.MethodGet {
			opens[r.Path] = r.Needs
		}
	}
	for _, role := range staff.Roles() {
		c := w.clerk(role)
		_, text := c.get("/admin", c.signIn())
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(text))
		ok(t, err)
		shown := map[string]bool{}
		doc.Find("nav a[href^='/admin']").Each(func(_ int, a *goquery.Selection) {
			shown[a.AttrOr("href", "")] = true
		})
		for path := range shown {
			if need := opens[path]; !role.May(need) {
				t.Errorf("the menu of %s leads to %s, which needs %q", role, path, need)
			}
		}
		if !shown["/admin/orders"] {
			t.Errorf("the menu of %s lacks the orders: %v", role, shown)
		}
	}
}

// clerk is one of our staff with a role.
type clerk struct {
	w     *apiWorld
	id    string
	token string
	code  string // sent along with the next calls; empty: none
	key   string // likewise, the idempotency key
}

func (w *apiWorld) clerk(role staff.Role) clerk {
	w.t.Helper()
	by := audit.Actor{Kind: audit.System, Name: "test"}
	email := strings.ToLower(string(role)) + "@example.net"
	m, _, err := w.parts.staff.Create(w.t.Context(), staff.NewMember{Email: email, Role: role, Password: "three quiet bakers at dawn"}, by)
	ok(w.t, err)
	token, _, err := w.tokens.IssueToStaff(w.t.Context(), string(m.ID), "test", 0, by)
	ok(w.t, err)
	return clerk{w: w, id: string(m.ID), token: token}
}

// signIn is the secret of a new sign-in: some routes end the one that asks.
func (c clerk) signIn() string {
	c.w.t.Helper()
	_, secret, err := c.w.desk.Open(c.w.t.Context(), signin.Staff, signin.Subject{StaffID: c.id}, signin.Origin{Address: "192.0.2.1"}, "")
	ok(c.w.t, err)
	return secret
}

// ask sends what a route is for, with ids that nothing has, and a form that says nothing.
func (c clerk) ask(r web.Route) (status int, text string) {
	c.w.t.Helper()
	path := c.filled(r.Path)
	if r.For == web.StaffToken {
		body := ""
		if r.Method != http.MethodGet {
			body = "{}"
		}
		return c.send(r, path, body, "Authorization", "Bearer "+c.token, "Content-Type", "application/json")
	}
	secret := c.signIn()
	cookie := "ssid=" + secret
	if r.Method == http.MethodGet {
		return c.send(r, path, "", "Cookie", cookie)
	}
	_, page := c.get("/admin", secret)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(page))
	ok(c.w.t, err)
	form := url.Values{session.FieldCSRF: {doc.Find("input[name=csrf]").AttrOr("value", "")}}
	return c.send(r, path, form.Encode(), "Cookie", cookie, "Content-Type", "application/x-www-form-urlencoded")
}

// filled is a path with an id that nothing has for each parameter.
func (c clerk) filled(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ":") {
			parts[i] = uuid.NewString()
		}
	}
	return strings.Join(parts, "/")
}

func (c clerk) get(path, secret string) (int, string) {
	c.w.t.Helper()
	return c.send(web.Route{Method: http.MethodGet}, path, "", "Cookie", "ssid="+secret)
}

// send reads no more of a stream than its beginning: it has no end.
func (c clerk) send(r web.Route, path, body string, header ...string) (int, string) {
	c.w.t.Helper()
	req, err := http.NewRequestWithContext(c.w.t.Context(), r.Method, c.w.url+path, strings.NewReader(body))
	ok(c.w.t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	ok(c.w.t, err)
	defer func() { _ = res.Body.Close() }()
	if r.Stream && res.StatusCode == http.StatusOK {
		return res.StatusCode, ""
	}
	text, err := io.ReadAll(res.Body)
	ok(c.w.t, err)
	return res.StatusCode, string(text)
}
