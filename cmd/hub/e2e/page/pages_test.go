package page

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestPages opens every page of a hub at work: one h1, a title of its own, a clean console, and for whoever is signed in a way
// out. At one of three, in the soak at all, it looks as a person with a phone, a screen reader or a dark room would: nothing
// serious from axe, no sideways scroll.
func TestPages(t *testing.T) {
	h, c := e2e.Start(t)
	owner := h.NewPage(t)
	owner.SignIn()
	owner.Open("/app/chat")
	owner.Say("How full is the disk?")
	owner.Until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	owner.Say("Delete the old temporary files")
	owner.See(".turn.answer:last-of-type .approval", "Delete tmp")
	owner.GiveSecret("shop.api_key")
	c.Decide(c.Asked(c.Say("secretary", "Email someone@example.com that we open at nine")).ID, wire.Deny)
	halfway, staffer := h.NewPage(t), h.NewPage(t)
	staffer.SignInStaff()
	for name, visit := range map[string]struct {
		p     *e2e.Page
		out   string // where a page signs its reader out
		paths []string
	}{
		"public": {h.NewPage(t), "", []string{
			"/", "/pricing", "/security", "/status", "/checkout/configure?plan=build", "/checkout?plan=build", "/auth/sign-in",
			"/auth/forgot", "/auth/signed-out", "/auth/reset/gone", "/auth/verify/gone", "/s/gone",
			"/admin/auth/sign-in", "/admin/auth/signed-out", "/dev/mail", "/no/such/page",
			"/help", "/help?q=phone", "/help/lost-device",
		}},
		"half-way": {halfway, "/admin/auth/2fa/sign-out", []string{"/admin/auth/2fa", "/admin/auth/2fa/backup"}},
		"portal": {owner, "/auth/sign-out", append([]string{
			"/app", "/app/chat", "/app/chat?new=1", "/app/chat/agent/secretary", "/app/conversations",
			"/app/conversations?q=nothing-of-this-name", "/app/approvals", "/app/approvals/history", "/app/activity", "/app/agents",
			"/app/server", "/app/settings", "/app/settings/approvers", "/app/permissions", "/app/permissions?guardian=off",
			"/app/permissions/inside", "/app/permissions/inside?address=mate@example.net", "/app/quarantine", "/app/credentials",
			"/app/credentials/shop.api_key", "/app/no/such/page", "/", "/status",
			"/app/help", "/app/help?q=nothing-of-this-name", "/app/files", "/app/files?path=letters", "/app/settings/notifications",
			"/app/settings/data", "/dev/mail", "/auth/sign-in?again=1", "/s/gone",
		}, portalDetails(owner)...)},
		"staff": {staffer, "/admin/auth/sign-out", append([]string{
			"/admin", "/admin/customers", "/admin/orders", "/admin/servers", "/admin/approvals", "/admin/approvals/history",
			"/admin/keys", "/admin/approvals?q=nothing-of-this-name", "/admin/orders?q=nothing-of-this-name", "/admin/no/such/page",
			"/admin/staff", "/admin/staff/invite", "/admin/profile", "/", "/pricing", "/status", "/dev/mail",
		}, consoleDetails(staffer)...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			visit.p.T = t
			if name == "half-way" {
				visit.p.StaffPassword() // who stays half-way for minutes begins again
			}
			looked := inspected(visit.paths)
			for _, path := range visit.paths {
				visit.p.Desktop()
				if visit.p.Open(path); slices.Contains(looked, path) {
					visit.p.InspectOpen(path)
				}
				visit.p.Headed(path)
				form := "form[method=post][action='" + visit.out + "'] button"
				if visit.out != "" && !e2e.Eval[bool](visit.p, "!!document.querySelector("+e2e.Quote(form)+")") {
					t.Errorf("%s shows no way out", path)
				}
			}
			if name == "portal" {
				newToken(visit.p)
				visit.p.InspectOpen("/app/settings with a new token")
			}
		})
	}
}

// portalDetails are the pages of single things, found as a person finds them: by links.
func portalDetails(p *e2e.Page) []string {
	paths := []string{"/app/agents/secretary", "/app/agents/secretary/autonomy", "/app/agents/secretary/external"}
	for _, from := range []struct{ page, prefix string }{
		{"/app/approvals", "/app/approvals/0"},
		{"/app/approvals/history", "/app/approvals/0"},
		{"/dev/mail", "/dev/mail/"},
		{"/app/activity", "/app/runs/"},
		{"/app/conversations", "/app/chat/"},
	} {
		p.Open(from.page)
		paths = append(paths, firstLink(p, from.prefix))
	}
	return append(paths, paths[3]+"/edit")
}

func consoleDetails(p *e2e.Page) []string {
	var paths []string
	for _, list := range []string{"/admin/customers", "/admin/orders", "/admin/servers"} {
		p.Open(list)
		paths = append(paths, firstLink(p, list+"/"))
	}
	p.Open("/admin/approvals")
	return append(paths, strings.Replace(paths[2], "servers", "keys", 1), firstLink(p, "/admin/approvals/0"))
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
