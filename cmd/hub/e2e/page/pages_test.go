package page

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// visit is who opens which pages.
type visit struct {
	p     *e2e.Page
	out   string // where a page signs its reader out
	paths []string
}

// statuses are what pages answer that are not there, or are no more.
var statuses = map[string]int{
	"/no/such/page": http.StatusNotFound, "/app/no/such/page": http.StatusNotFound, "/admin/no/such/page": http.StatusNotFound,
	"/auth/reset/gone": http.StatusGone, "/auth/invite/gone": http.StatusGone, "/auth/link/gone": http.StatusGone,
	"/s/gone":                 http.StatusGone,
	"/admin/auth/invite/gone": http.StatusGone, "/admin/auth/second/gone": http.StatusGone,
}

// TestPages opens every page of a hub at work: it is there, with one h1, a title of its own, a clean console, and for whoever is
// signed in a way out. At one of three, in the soak at all, it looks as a person with a phone, a screen reader or a dark room
// would: nothing serious from axe, no sideways scroll. Pages behind a link of a mail are opened with one that is over; what they
// show before is looked at in app/web/public.
func TestPages(t *testing.T) {
	h, c := e2e.Start(t, "HUB_CONTACT_EMAIL=help@example.com", "HUB_LEGAL_DIR="+legalDir(t))
	owner := h.NewPage(t)
	owner.SignIn()
	atWork(owner, c)
	sold(t, h)
	halfway, staffer := h.NewPage(t), h.NewPage(t)
	joinsAsMember(owner, halfway)
	staffer.SignInStaff()
	visits := map[string]visit{
		"public": {h.NewPage(t), "", []string{
			"/", "/pricing", "/security", "/status", "/checkout/configure?plan=build", "/checkout?plan=build", "/auth/sign-in",
			"/auth/forgot", "/auth/signed-out", "/auth/link", "/auth/reset/gone", "/auth/verify/gone", "/auth/link/gone",
			"/auth/invite/gone", "/s/gone", "/admin/auth/sign-in", "/admin/auth/signed-out", "/admin/auth/invite/gone",
			"/admin/auth/second/gone", "/dev/mail", "/no/such/page", "/help", "/help?q=phone", "/help/lost-device",
			"/terms", "/privacy", "/imprint", "/offline",
		}},
		"half-way": {halfway, "/admin/auth/2fa/sign-out", []string{"/admin/auth/2fa", "/admin/auth/2fa/backup"}},
		"portal": {owner, "/auth/sign-out", append([]string{
			"/app", "/app/chat", "/app/chat?new=1", "/app/chat/agent/secretary", "/app/conversations",
			"/app/conversations?q=nothing-of-this-name", "/app/approvals", "/app/approvals/history", "/app/activity", "/app/agents",
			"/app/agents/limits", "/app/agents/tools", "/app/agents/library", "/app/business",
			"/app/agents/secretary/files", "/app/agents/new",
			"/app/agents/secretary/edit?file=SOUL.md", "/app/agents/secretary/edit?file=template.yaml",
			"/app/agents/secretary/model",
			"/app/channels", "/app/channels/people?channel=email", "/app/channels/email", "/app/channels/telegram",
			"/app/channels/discord", "/app/channels/slack", "/app/channels/signal", "/app/hooks", "/app/hooks/new", "/app/hooks/rules/new",
			"/app/schedules", "/app/schedules/new", "/app/schedules/month", "/app/schedules/failed",
			"/app/schedules?q=nothing-of-this-name", "/app/memory",
			"/app/server", "/app/billing", "/app/billing/plan", "/app/billing/cancel",
			"/app/usage", "/app/usage/breakdown", "/app/server/support", "/app/settings",
			"/app/settings/approvers", "/app/permissions",
			"/app/permissions?guardian=off",
			"/app/permissions/yaml", "/app/permissions/inside", "/app/permissions/inside?address=mate@example.net", "/app/quarantine",
			"/app/credentials", "/app/credentials/shop.api_key", "/app/credentials/shop.api_key/delete", "/app/no/such/page", "/",
			"/status", "/app/help", "/app/help?q=nothing-of-this-name", "/app/help/lost-device", "/app/files", "/app/files?path=letters",
			"/app/settings/notifications", "/app/settings/data", "/app/settings/people", "/app/settings/people/leave",
			"/app/settings/sign-in", "/app/settings/sign-in/code", "/checkout/done", "/dev/mail", "/auth/sign-in?again=1",
			"/s/gone",
		}, portalDetails(owner)...)},
		"staff": {staffer, "/admin/auth/sign-out", append([]string{
			"/admin", "/admin/customers", "/admin/customers/new", "/admin/orders", "/admin/orders/alerts", "/admin/servers",
			"/admin/approvals", "/admin/approvals/history", "/admin/keys", "/admin/approvals?q=nothing-of-this-name",
			"/admin/orders?q=nothing-of-this-name", "/admin/no/such/page", "/admin/staff", "/admin/staff/invite", "/admin/profile",
			"/admin/profile/second", "/admin/pool", "/admin/providers",
			"/admin/tokens", "/admin/jobs", "/admin/audit", "/admin/settings", "/admin/billing",
			"/admin/prices", "/admin/usage", "/admin/analytics", "/", "/pricing",
			"/status", "/dev/mail",
		}, consoleDetails(staffer)...)},
	}
	wantEachOpened(t, visits)
	for name, v := range visits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v.p.T = t
			if name == "half-way" {
				v.p.StaffPassword() // who stays half-way for minutes begins again
			}
			if name == "portal" { // the token takes a sign-in of the last ten minutes
				newToken(v.p)
				v.p.InspectOpen("/app/settings with a new token")
			}
			v.each()
		})
	}
}

// each opens the pages, one after the other.
func (v visit) each() {
	v.p.T.Helper()
	const status = `performance.getEntriesByType("navigation")[0].responseStatus`
	looked := inspected(v.paths)
	for _, path := range v.paths {
		v.p.Desktop()
		v.p.Open(path)
		want := cmp.Or(statuses[path], http.StatusOK)
		if got := e2e.Eval[int](v.p, status); got != want {
			v.p.T.Errorf("%s answers %d, want %d", path, got, want)
		}
		if slices.Contains(looked, path) {
			v.p.InspectOpen(path)
		}
		v.p.Headed(path)
		form := "form[method=post][action='" + v.out + "'] button"
		if v.out != "" && !e2e.Eval[bool](v.p, "!!document.querySelector("+e2e.Quote(form)+")") {
			v.p.T.Errorf("%s shows no way out", path)
		}
	}
}

// legalDir has the pages that an operator writes.
func legalDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"terms", "privacy", "imprint"} {
		text := "# Our " + name + "\n\nWho we are.\n\n## What holds\n\n- One\n- [Two](https://example.com)\n\n|A|B|\n|-|-|\n|1|2|\n"
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// atWork gives the pages of the owner something to show: answers, requests that wait and are decided, a secret, and an app for
// codes that is not set up yet.
func atWork(p *e2e.Page, c *e2e.Client) {
	p.T.Helper()
	p.Hub.Own(p.T, p.Hub.Data("letters/opening.txt"), "We open at 7.\n", 0o600)
	p.Open("/app/chat")
	p.Say("How full is the disk?")
	p.Until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	p.Say("Delete the old temporary files")
	p.See(".turn.answer:last-of-type .approval", "Delete tmp")
	p.GiveSecret("shop.api_key")
	p.Open("/app/settings/sign-in")
	p.Leave("#code form button")
	c.Decide(c.Asked(c.Say("secretary", "Email someone@example.com that we open at nine")).ID, wire.Deny)
}

// joinsAsMember has the owner invite somebody, who joins in another browser.
func joinsAsMember(owner, member *e2e.Page) {
	owner.T.Helper()
	owner.Open("/app/settings/people")
	owner.Write("#invite [name=email]", "member@example.com")
	owner.Click("#invite [name=may][value=chat]")
	owner.Leave("#invite button[type=submit]")
	link := owner.Hub.MailedLink(owner.T, "member@example.com", "")
	owner.Hub.Plant("the secret of an invitation", link[strings.LastIndex(link, "/")+1:])
	member.Open(link)
	member.Write("[name=name]", "Some Body")
	member.Write("[name=password]", "three quiet lamps at dawn")
	member.Leave("#invite button[type=submit]")
	member.Until("the portal", `location.pathname.startsWith("/app")`)
}

// portalDetails are the pages of single things, found as a person finds them: by links.
func portalDetails(p *e2e.Page) []string {
	planned := plans(p)
	paths := []string{"/app/agents/secretary", "/app/agents/secretary/autonomy", "/app/agents/secretary/external"}
	for _, from := range []struct{ page, prefix string }{
		{"/app/approvals", "/app/approvals/0"},
		{"/app/approvals/history", "/app/approvals/0"},
		{"/dev/mail", "/dev/mail/"},
		{"/app/activity", "/app/runs/"},
		{"/app/conversations", "/app/chat/0"},
		{"/app/files?path=letters", "/app/files/view"},
		{"/app/settings/people", "/app/settings/people/0"},
		{"/app/billing", "/app/billing/invoices/"},
	} {
		p.Open(from.page)
		paths = append(paths, firstLink(p, from.prefix))
	}
	return append(paths, paths[3]+"/edit", paths[7]+"/delete", planned, planned+"/edit")
}

func consoleDetails(p *e2e.Page) []string {
	p.Open("/admin/profile")
	p.Leave("form[action='/admin/profile/second'] button")
	var paths []string
	for _, list := range []string{"/admin/customers", "/admin/orders", "/admin/servers"} {
		p.Open(list)
		paths = append(paths, firstLink(p, list+"/0"))
	}
	p.Open("/admin/approvals")
	keys := strings.Replace(paths[2], "servers", "keys", 1)
	paths = append(paths, paths[0]+"/edit", paths[0]+"/uncharged", paths[0]+"/billing", paths[0]+"/payments", keys,
		firstLink(p, "/admin/approvals/0"))
	p.Open("/admin/billing")
	paths = append(paths, firstLink(p, "/admin/billing/invoices/"))
	p.Open("/admin/staff")
	return append(paths, firstLink(p, "/admin/staff/0"))
}

// newToken makes a token for the API on the settings, which is shown this once.
func newToken(p *e2e.Page) {
	p.T.Helper()
	p.Desktop()
	p.Open("/app/settings")
	p.Write("#tokens [name=name]", "The till")
	p.Click("#tokens button[value=token]")
	p.See("#tokens", "The till")
}

// firstLink is the address of the first link of the page that starts with prefix.
func firstLink(p *e2e.Page, prefix string) string {
	p.T.Helper()
	p.Until("a link to "+prefix, fmt.Sprintf(`document.querySelector('main a[href^=%s]')`, e2e.Quote(prefix)))
	return e2e.Eval[string](p, fmt.Sprintf(`document.querySelector('main a[href^=%s]').getAttribute("href")`, e2e.Quote(prefix)))
}

// inspected are the pages to look at closely; all when pictures are taken.
func inspected(paths []string) []string {
	if os.Getenv("E2E_SHOTS") != "" {
		return paths
	}
	return seeded.Sample(paths, 3)
}
