package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
)

// rights is what each route for people of a customer asks of them. A route that is new, gone or asks for something else shows
// here first: it is reviewed, not discovered.
const rights = `
GET    /checkout/done                                    manage
GET    /checkout/pay                                     manage
POST   /checkout/pay                                     manage
GET    /checkout/return/:id                              manage
GET    /onboard                                          manage
GET    /onboard/stream                                   manage
GET    /onboard/enter                                    manage
POST   /onboard/name                                     manage
POST   /onboard/cancel                                   manage
POST   /onboard/keep                                     manage
POST   /auth/sign-out                                    look
POST   /auth/sign-out-everywhere                         look
POST   /auth/verify                                      look
GET    /app                                              look
GET    /app/stream                                       look
POST   /app/tasks                                        manage
GET    /app/business                                     look
POST   /app/business                                     manage
GET    /app/chat                                         chat
POST   /app/chat                                         chat
GET    /app/chat/:session                                chat
GET    /app/chat/agent/:agent                            chat
GET    /app/conversations                                chat
POST   /app/runs/:id/stop                                chat
POST   /app/chat/:session/rename                         chat
POST   /app/chat/:session/archive                        chat
GET    /app/chat/:session/delete                         manage
POST   /app/chat/:session/delete                         manage
GET    /app/approvals                                    look
GET    /app/approvals/history                            look
GET    /app/approvals/:id                                look
POST   /app/approvals/:id                                approve
GET    /app/approvals/:id/edit                           manage
POST   /app/approvals/:id/edit                           manage
GET    /app/activity                                     look
GET    /app/runs/:id                                     look
GET    /app/runs/:id/talk                                look
GET    /app/runs/:id/evidence                            look
GET    /app/changes/:call                                chat
POST   /app/changes/:call                                chat
GET    /app/agents                                       look
POST   /app/agents/default-level                         manage
GET    /app/agents/:agent                                look
POST   /app/agents/:agent/off                            manage
POST   /app/agents/:agent/colleagues                     manage
POST   /app/agents/:agent/sandbox                        manage
GET    /app/agents/tools                                 manage
POST   /app/agents/tools                                 manage
GET    /app/agents/:agent/autonomy                       manage
POST   /app/agents/:agent/autonomy                       manage
GET    /app/agents/:agent/external                       manage
POST   /app/agents/:agent/external                       manage
GET    /app/agents/:agent/model                          manage
POST   /app/agents/:agent/model                          manage
GET    /app/agents/library                               look
POST   /app/agents/change                                manage
GET    /app/agents/new                                   manage
POST   /app/agents/new                                   manage
GET    /app/agents/:agent/files                          manage
GET    /app/agents/:agent/edit                           manage
POST   /app/agents/:agent/edit                           manage
GET    /app/agents/limits                                manage
POST   /app/agents/limits                                manage
POST   /app/agents/limits/beyond                         manage
POST   /app/agents/limits/conversations                  manage
POST   /app/agents/limits/meaning                        manage
GET    /app/permissions                                  manage
POST   /app/permissions                                  manage
GET    /app/permissions/yaml                             manage
POST   /app/permissions/yaml                             manage
POST   /app/permissions/windows/close                    manage
GET    /app/permissions/inside                           manage
POST   /app/permissions/inside                           manage
GET    /app/quarantine                                   manage
GET    /app/credentials                                  manage
POST   /app/credentials                                  manage
POST   /app/credentials/open                             manage
POST   /app/credentials/generate                         manage
POST   /app/credentials/decline                          manage
POST   /app/credentials/share                            manage
GET    /app/credentials/:name                            manage
POST   /app/credentials/:name/reveal                     manage
POST   /app/credentials/:name/rotate                     manage
POST   /app/credentials/:name/rollback                   manage
POST   /app/credentials/:name/bind                       manage
GET    /app/credentials/:name/delete                     manage
POST   /app/credentials/:name/delete                     manage
GET    /app/files                                        look
GET    /app/files/view                                   look
GET    /app/files/image                                  look
GET    /app/files/download                               look
GET    /app/files/about                                  look
GET    /app/files/place                                  look
POST   /app/files/upload                                 manage
POST   /app/files/part                                   manage
POST   /app/files/finish                                 manage
POST   /app/files/change                                 manage
GET    /app/channels                                     look
GET    /app/channels/people                              look
GET    /app/channels/email                               manage
GET    /app/channels/telegram                            manage
GET    /app/channels/discord                             manage
GET    /app/channels/slack                               manage
GET    /app/channels/signal                              manage
POST   /app/channels/change                              manage
POST   /app/channels/test                                manage
GET    /app/hooks                                        look
GET    /app/hooks/new                                    manage
POST   /app/hooks/change                                 manage
GET    /app/hooks/:id                                    look
GET    /app/hooks/rules/new                              manage
POST   /app/hooks/rules/change                           manage
GET    /app/hooks/rules/:id                              look
GET    /app/memory                                       look
POST   /app/memory/change                                manage
GET    /app/billing                                      manage
GET    /app/billing/invoices/:id                         manage
GET    /app/billing/invoices/:id/pdf                     manage
GET    /app/billing/invoices/:id/xml                     manage
GET    /app/billing/invoices/:id/credits/:credit/xml     manage
POST   /app/billing/address                              manage
GET    /app/billing/plan                                 manage
POST   /app/billing/plan                                 manage
GET    /app/billing/cancel                               manage
POST   /app/billing/cancel                               manage
POST   /app/billing/keep                                 manage
POST   /app/billing/card                                 manage
POST   /app/billing/pay                                  manage
GET    /app/billing/paid/:id                             manage
GET    /app/server                                       look
POST   /app/server/snapshots/agree                       manage
POST   /app/server/snapshots/withdraw                    manage
POST   /app/server/ssh-key                               manage
POST   /app/regain/stop                                  look
GET    /app/schedules                                    look
GET    /app/schedules/month                              look
GET    /app/schedules/failed                             look
POST   /app/schedules/quiet                              chat
GET    /app/schedules/new                                chat
POST   /app/schedules/new                                chat
POST   /app/schedules/all                                chat
GET    /app/schedules/:id                                look
GET    /app/schedules/:id/edit                           chat
POST   /app/schedules/:id/edit                           chat
POST   /app/schedules/:id/act                            chat
GET    /app/usage                                        look
GET    /app/usage/breakdown                              look
GET    /app/usage/breakdown.csv                          look
GET    /app/server/support                               look
GET    /app/server/support/:id                           look
POST   /app/server/support/:id/open                      manage
POST   /app/server/support/:id/refuse                    manage
POST   /app/server/support/:id/close                     manage
GET    /app/settings                                     look
POST   /app/settings/time-zone                           manage
POST   /app/settings/language                            look
POST   /app/settings/tokens                              look
POST   /app/settings/tokens/:id/revoke                   look
GET    /app/settings/notifications                       look
POST   /app/settings/notifications                       look
POST   /app/settings/notifications/:device/name          look
POST   /app/settings/notifications/:device/off           look
POST   /app/settings/notifications/:device/test          look
POST   /app/settings/quiet-hours                         look
GET    /app/settings/data                                manage
POST   /app/settings/data                                manage
GET    /app/settings/data/:id                            manage
GET    /app/settings/data/:id/files                      manage
POST   /app/settings/data/account                        manage
GET    /app/settings/approvers                           approve
GET    /app/settings/approvers/here                      approve
POST   /app/settings/approvers                           manage
POST   /app/settings/approvers/:key/revoke               manage
POST   /app/settings/approvers/recovery                  manage
POST   /app/settings/approvers/recovery/kept             manage
POST   /app/settings/approver-requests                   approve
POST   /app/settings/approver-requests/:key/add          manage
POST   /app/settings/approver-requests/:key/refuse       manage
GET    /app/settings/sign-in                             look
POST   /app/settings/sign-in/:id/end                     look
POST   /app/settings/sign-in/end-others                  look
GET    /app/settings/sign-in/code                        look
POST   /app/settings/sign-in/code                        look
POST   /app/settings/sign-in/code/confirm                look
POST   /app/settings/sign-in/code-off                    look
POST   /app/settings/sign-in/backup-codes                look
POST   /app/settings/sign-in/passkey-begin               look
POST   /app/settings/sign-in/passkey-add                 look
POST   /app/settings/sign-in/passkey-remove              look
POST   /app/settings/sign-in/passkey-rename              look
GET    /app/settings/people                              look
POST   /app/settings/people                              manage
POST   /app/settings/people/invitations/:id/again        manage
POST   /app/settings/people/invitations/:id/revoke       manage
GET    /app/settings/people/leave                        look
POST   /app/settings/people/leave                        look
GET    /app/settings/people/:user                        manage
POST   /app/settings/people/:user                        manage
POST   /app/settings/people/:user/remove                 manage
GET    /app/help                                         look
GET    /app/help/:slug                                   look
GET    /api/v1/customer/dashboard                        look
GET    /api/v1/customer/billing                          manage
GET    /api/v1/customer/billing/plans                    manage
GET    /api/v1/customer/billing/plans/:plan              manage
POST   /api/v1/customer/billing/plan                     manage
POST   /api/v1/customer/billing/cancellation             manage
GET    /api/v1/customer/schedules                        look
POST   /api/v1/customer/schedules                        chat
GET    /api/v1/customer/schedules/settings               look
PUT    /api/v1/customer/schedules/settings               chat
GET    /api/v1/customer/schedules/due                    look
GET    /api/v1/customer/schedules/:id                    look
PATCH  /api/v1/customer/schedules/:id                    chat
DELETE /api/v1/customer/schedules/:id                    chat
GET    /api/v1/customer/schedules/:id/ticks              look
POST   /api/v1/customer/schedules/:id/run                chat
GET    /api/v1/customer/event-rules                      look
POST   /api/v1/customer/event-rules                      manage
GET    /api/v1/customer/event-rules/:id                  look
PATCH  /api/v1/customer/event-rules/:id                  manage
DELETE /api/v1/customer/event-rules/:id                  manage
GET    /api/v1/customer/event-rules/:id/firings          look
GET    /api/v1/customer/channels                         look
PUT    /api/v1/customer/channels/:name                   manage
POST   /api/v1/customer/channels/:name/test              manage
GET    /api/v1/customer/channels/:name/strangers         look
POST   /api/v1/customer/channels/:name/strangers/:id     manage
GET    /api/v1/customer/channels/:name/pairings          look
POST   /api/v1/customer/channels/:name/pairings          manage
DELETE /api/v1/customer/channels/:name/pairings/:id      manage
GET    /api/v1/customer/hooks                            look
POST   /api/v1/customer/hooks                            manage
GET    /api/v1/customer/hooks/:id                        look
PATCH  /api/v1/customer/hooks/:id                        manage
DELETE /api/v1/customer/hooks/:id                        manage
GET    /api/v1/customer/hooks/:id/deliveries             look
GET    /api/v1/customer/memory                           look
POST   /api/v1/customer/memory                           manage
PATCH  /api/v1/customer/memory/meaning                   manage
GET    /api/v1/customer/business                         look
PUT    /api/v1/customer/business                         manage
PATCH  /api/v1/customer/memory/:id                       manage
DELETE /api/v1/customer/memory/:id                       manage
DELETE /api/v1/customer/billing/cancellation             manage
GET    /api/v1/customer/server/metrics                   look
GET    /api/v1/customer/usage                            look
GET    /api/v1/customer/usage/breakdown                  look
GET    /api/v1/customer/agents                           look
POST   /api/v1/customer/agents                           manage
GET    /api/v1/customer/agents/templates                 look
GET    /api/v1/customer/agents/:agent                    manage
GET    /api/v1/customer/agents/:agent/activity           look
GET    /api/v1/customer/agents/:agent/conversations      look
PATCH  /api/v1/customer/agents/:agent/external-comms     manage
PATCH  /api/v1/customer/agents/:agent/sandbox            manage
PATCH  /api/v1/customer/agents/:agent/colleagues         manage
GET    /api/v1/customer/agents/:agent/files/:file        manage
PATCH  /api/v1/customer/agents/:agent                    manage
DELETE /api/v1/customer/agents/:agent                    manage
GET    /api/v1/customer/tools                            look
PATCH  /api/v1/customer/tools/:tool                      manage
POST   /api/v1/customer/chat                             chat
GET    /api/v1/customer/chat/settings                    look
PUT    /api/v1/customer/chat/settings                    manage
GET    /api/v1/customer/chat/:run/events                 chat
GET    /api/v1/customer/runs/:run                        look
GET    /api/v1/customer/runs/:run/receipts               look
POST   /api/v1/customer/runs/:run/cancel                 chat
GET    /api/v1/customer/approvals                        look
GET    /api/v1/customer/approvals/:id                    look
POST   /api/v1/customer/approvals/:id                    approve
GET    /api/v1/customer/approver-keys                    look
POST   /api/v1/customer/approver-keys                    manage
POST   /api/v1/customer/approver-keys/:key/revoke        manage
GET    /api/v1/customer/users                            look
POST   /api/v1/customer/users                            manage
PATCH  /api/v1/customer/users/:id                        manage
DELETE /api/v1/customer/users/:id                        manage
GET    /api/v1/customer/support-windows                  look
POST   /api/v1/customer/support-windows                  manage
DELETE /api/v1/customer/support-windows/:id              manage
POST   /api/v1/customer/echo                             look
`

// kinds are the people whom a business may have.
var kinds = map[string]account.Rights{
	"owner":                    {Role: account.Owner},
	"member, chat":             {Role: account.Member, Chat: true},
	"member, approve":          {Role: account.Member, Approve: true},
	"member, chat and approve": {Role: account.Member, Chat: true, Approve: true},
	"member":                   {Role: account.Member},
}

// TestRights_everyRouteAsTheTableSays asks every route for people of a customer, page and API call, as each kind of person:
// what the table of rights refuses is refused with the sentence that says who can change that, and nothing else is.
func TestRights_everyRouteAsTheTableSays(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	want := map[string]account.Right{}
	for line := range strings.Lines(strings.TrimSpace(rights)) {
		f := strings.Fields(line)
		want[f[0]+" "+f[1]] = account.Right(f[2])
	}
	people := map[string]person{}
	for kind, r := range kinds {
		people[kind] = w.person(kind, r)
	}
	for _, r := range w.routes {
		if r.For != web.Customer && r.For != web.CustomerToken {
			continue
		}
		key := r.Method + " " + r.Path
		if r.Right != want[key] {
			t.Errorf("%s needs %q, the list says %q", key, r.Right, want[key])
		}
		delete(want, key)
		for kind, p := range people {
			status, text := p.ask(r)
			refused := status == http.StatusForbidden && strings.Contains(text, fault.Of(account.Refused(r.Right)).Public)
			if may := kinds[kind].May(r.Right); refused == may {
				t.Errorf("%s as %s: %d, the table says %t: %.300s", key, kind, status, may, text)
			}
		}
	}
	for key := range want {
		t.Errorf("%s is listed and is gone", key)
	}
}

// TestRights_pagesLeadWhereOneMayGo: no page that a person may open has a link or a form for what they may not do, and each page is
// on the list of those that a browser opens in the test of pages.
func TestRights_pagesLeadWhereOneMayGo(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	wantPagesListed(t, w.routes)
	pages := []string{
		"/app", "/app/activity", "/app/agents", "/app/files", "/app/memory",
		"/app/approvals", "/app/approvals/" + w.asked, "/app/approvals/history",
		"/app/server", "/app/usage", "/app/usage/breakdown", "/app/server/support", "/app/settings", "/app/settings/people",
		"/app/settings/sign-in",
		"/app/settings/notifications", "/app/help", "/app/chat", "/app/conversations",
		"/app/runs/" + w.run, "/app/agents/it-admin", "/app/settings/approvers",
	}
	for kind, r := range kinds {
		p := w.person("pages "+kind, r)
		for _, page := range pages {
			need := w.needs(http.MethodGet, page)
			status, text := p.get(page, p.signIn())
			if may := r.May(need); (status == http.StatusForbidden) == may {
				t.Errorf("%s as %s: %d, needs %s", page, kind, status, need)
			}
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(text))
			ok(t, err)
			for _, lead := range leads(doc) {
				if need := w.needs(lead.method, lead.path); need != "" && !r.May(need) {
					t.Errorf("%s as %s leads to %s %s, which needs %q", page, kind, lead.method, lead.path, need)
				}
			}
		}
	}
}

// lead is where a page leads.
type lead struct{ method, path string }

func leads(doc *goquery.Document) (all []lead) {
	add := func(method, target string) {
		if u, err := url.Parse(target); err == nil && strings.HasPrefix(u.Path, "/") {
			all = append(all, lead{method, u.Path})
		}
	}
	doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) { add(http.MethodGet, a.AttrOr("href", "")) })
	doc.Find("form[action]").Each(func(_ int, f *goquery.Selection) {
		add(strings.ToUpper(f.AttrOr("method", "get")), f.AttrOr("action", ""))
	})
	return all
}

// needs is the right that the route of a path needs; of two that fit, the one without a name in its place. Empty: no route
// for people of a customer.
func (w *apiWorld) needs(method, path string) account.Right {
	var found web.Route
	for _, r := range w.routes {
		if r.Method == method && r.For == web.Customer && fitsPath(r.Path, path) && (found.Path == "" ||
			strings.Count(r.Path, ":") < strings.Count(found.Path, ":")) {
			found = r
		}
	}
	return found.Right
}

func fitsPath(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if !strings.HasPrefix(want[i], ":") && want[i] != have[i] {
			return false
		}
	}
	return true
}

// person is somebody of the customer whose own everything is.
type person struct {
	clerk
	user account.User
}

// person adds somebody to mine's people. They have proven their address and a name of their own.
func (w *apiWorld) person(name string, r account.Rights) person {
	w.t.Helper()
	u := account.User{
		ID: account.UserID(uuid.NewString()), CustomerID: w.mine.id,
		Email: uuid.NewString() + "@example.com", Name: name,
	}
	_, err := w.db.Pool.Exec(w.t.Context(),
		`INSERT INTO users (id, customer_id, email, email_folded, name, role, password_hash, verified_at, created_at,
		may_chat, may_approve) VALUES ($1, $2, $3, $3, $4, $5, '$argon2id$x', now(), now(), $6, $7)`,
		u.ID, u.CustomerID, u.Email, u.Name, r.Role, r.Chat, r.Approve)
	ok(w.t, err)
	token, _, err := w.tokens.IssueToUser(w.t.Context(), u, "test", 0, audit.Actor{Kind: audit.System, Name: "test"})
	ok(w.t, err)
	return person{clerk{w: w, id: string(u.ID), token: token}, u}
}

// signIn is the secret of a new sign-in: some routes end the one that asks.
func (p person) signIn() string {
	p.w.t.Helper()
	who := signin.Subject{CustomerID: string(p.user.CustomerID), UserID: string(p.user.ID)}
	_, secret, err := p.w.desk.Open(p.w.t.Context(), signin.Customer, who, signin.Origin{Address: "192.0.2.1"}, "")
	ok(p.w.t, err)
	return secret
}

// ask sends what a route is for, with ids that nothing has, and a form that says nothing. Leaving is only asked about as one
// who may not: everybody else would be gone.
func (p person) ask(r web.Route) (status int, text string) {
	p.w.t.Helper()
	path := p.filled(r.Path)
	if r.For == web.CustomerToken {
		body := ""
		if r.Method != http.MethodGet {
			body = "{}"
		}
		return p.send(r, path, body, "Authorization", "Bearer "+p.token, "Content-Type", "application/json")
	}
	if r.Method == http.MethodPost && path == "/app/settings/people/leave" {
		return 0, ""
	}
	secret := p.signIn()
	cookie := "sid=" + secret
	if r.Method == http.MethodGet {
		return p.send(r, path, "", "Cookie", cookie)
	}
	_, page := p.get("/app", secret)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(page))
	ok(p.w.t, err)
	form := url.Values{session.FieldCSRF: {doc.Find("input[name=csrf]").AttrOr("value", "")}}
	return p.send(r, path, form.Encode(), "Cookie", cookie, "Content-Type", "application/x-www-form-urlencoded")
}

func (p person) get(path, secret string) (int, string) {
	p.w.t.Helper()
	return p.send(web.Route{Method: http.MethodGet}, path, "", "Cookie", "sid="+secret)
}
