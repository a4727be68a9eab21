package e2e

import (
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
)

// axeSource is the accessibility checker, which tests alone use.
const axeSource = "../../../views/ui/testdata/axe/axe.min.js"

// TestPages looks at every page of a hub at work as a person with a phone, a screen reader or a dark room would: nothing
// serious from axe, one h1, a title of its own, no sideways scroll, a clean console, and for whoever is signed in a way out.
func TestPages(t *testing.T) {
	t.Parallel()
	slot(t)
	h := startHub(t)
	axe, err := os.ReadFile(axeSource)
	if err != nil {
		t.Fatal(err)
	}
	owner := h.newPage(t)
	owner.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	owner.open("/app/chat")
	say(owner, "How full is the disk?")
	owner.until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	say(owner, "Delete the old temporary files")
	owner.see(".turn.answer:last-of-type .approval", "file_delete")
	give(owner, "shop.api_key")
	c := h.api(t)
	c.decide(c.asked(c.say("secretary", "Email someone@example.com that we open at nine")).ID, wire.Deny)
	halfway, staffer := h.newPage(t), h.newPage(t)
	halfway.staffPassword(h)
	signInStaff(staffer, h)
	for name, visit := range map[string]struct {
		p     *page
		out   string // where a page signs its reader out
		paths []string
	}{
		"public": {h.newPage(t), "", []string{
			"/", "/pricing", "/security", "/status", "/checkout/configure?plan=build", "/checkout?plan=build", "/auth/sign-in", "/auth/forgot", "/auth/signed-out", "/auth/reset/gone", "/auth/verify/gone", "/s/gone",
			"/admin/auth/sign-in", "/admin/auth/signed-out", "/dev/mail", "/no/such/page",
		}},
		"half-way": {halfway, "/admin/auth/2fa/sign-out", []string{"/admin/auth/2fa"}},
		"portal":   {owner, "/auth/sign-out", append([]string{"/app", "/app/chat", "/app/chat?new=1", "/app/chat/agent/secretary", "/app/conversations", "/app/conversations?q=nothing-of-this-name", "/app/approvals", "/app/approvals/history", "/app/activity", "/app/agents", "/app/server", "/app/settings", "/app/settings/approvers", "/app/permissions", "/app/permissions?guardian=off", "/app/permissions/inside", "/app/permissions/inside?address=mate@example.net", "/app/quarantine", "/app/credentials", "/app/credentials/shop.api_key", "/app/no/such/page", "/", "/status", "/dev/mail", "/auth/sign-in?again=1", "/s/gone"}, portalDetails(owner)...)},
		"staff":    {staffer, "/admin/auth/sign-out", append([]string{"/admin", "/admin/customers", "/admin/orders", "/admin/servers", "/admin/approvals", "/admin/approvals/history", "/admin/keys", "/admin/approvals?q=nothing-of-this-name", "/admin/orders?q=nothing-of-this-name", "/admin/no/such/page", "/", "/pricing", "/status", "/dev/mail"}, consoleDetails(staffer)...)},
	} {
		t.Run(name, func(t *testing.T) {
			visit.p.t = t
			for _, path := range visit.paths {
				visit.p.inspect(path, string(axe))
				if form := "form[method=post][action='" + visit.out + "'] button"; visit.out != "" && !eval[bool](visit.p, "!!document.querySelector("+quote(form)+")") {
					t.Errorf("%s shows no way out", path)
				}
			}
			if name == "portal" {
				visit.p.newToken()
				visit.p.inspectOpen("/app/settings with a new token", string(axe))
			}
		})
	}
}

// portalDetails are the pages of single things, found as a person finds them: by links.
func portalDetails(p *page) []string {
	paths := []string{"/app/agents/secretary", "/app/agents/secretary/autonomy", "/app/agents/secretary/external"}
	for _, from := range []struct{ page, prefix string }{{"/app/approvals", "/app/approvals/0"}, {"/app/approvals/history", "/app/approvals/0"}, {"/dev/mail", "/dev/mail/"}, {"/app/activity", "/app/runs/"}, {"/app/conversations", "/app/chat/"}} {
		p.open(from.page)
		paths = append(paths, p.firstLink(from.prefix))
	}
	return append(paths, paths[3]+"/edit")
}

func consoleDetails(p *page) []string {
	var paths []string
	for _, list := range []string{"/admin/customers", "/admin/orders", "/admin/servers"} {
		p.open(list)
		paths = append(paths, p.firstLink(list+"/"))
	}
	p.open("/admin/approvals")
	return append(paths, strings.Replace(paths[2], "servers", "keys", 1), p.firstLink("/admin/approvals/0"))
}

// newToken makes a token for the API on the settings, which is shown this once.
func (p *page) newToken() {
	p.t.Helper()
	p.desktop()
	p.open("/app/settings")
	p.write("#tokens [name=name]", "The till")
	p.click("#tokens button[value=token]")
	p.see("#tokens", "The till")
}

// firstLink is the address of the first link of the page that starts with prefix.
func (p *page) firstLink(prefix string) string {
	p.t.Helper()
	p.until("a link to "+prefix, fmt.Sprintf(`document.querySelector('main a[href^=%s]')`, quote(prefix)))
	return eval[string](p, fmt.Sprintf(`document.querySelector('main a[href^=%s]').getAttribute("href")`, quote(prefix)))
}

// inspect opens a page in both themes and at four widths.
func (p *page) inspect(path, axe string) {
	p.t.Helper()
	p.desktop()
	p.open(path)
	p.inspectOpen(path, axe)
}

// look is one way to look at a page.
type look struct {
	theme string
	phone bool
}

// looks are the ways to look at a page. A page shows itself in half of them, its neighbors in the other half; in the soak, and
// when pictures are taken, in all.
func looks(path string) []look {
	all := [][]look{{{"light", false}, {"dark", true}}, {{"dark", false}, {"light", true}}}
	if os.Getenv("GATEHOUSE_SOAK") != "" || os.Getenv("E2E_SHOTS") != "" {
		return slices.Concat(all...)
	}
	return all[crc32.ChecksumIEEE([]byte(slug(path)))%2]
}

// inspectOpen looks at the page that is open.
func (p *page) inspectOpen(path, axe string) {
	p.t.Helper()
	eval[string](p, axe+`;"loaded"`)
	for _, l := range looks(path) {
		p.do(scheme(l.theme))
		name := l.theme
		if p.desktop(); l.phone {
			p.phone()
			name += "-phone"
		}
		p.serious(path + " " + name)
		p.shot("page-" + slug(path) + "-" + name)
	}
	for _, width := range []int64{320, 360, 768, 1280} {
		p.do(chromedp.EmulateViewport(width, 800))
		if over := eval[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
			p.t.Errorf("%s at %d px scrolls sideways by %d px", path, width, over)
		}
		if thin := eval[string](p, squeezed); thin != "" {
			p.t.Errorf("%s at %d px stands letter by letter: %q", path, width, thin)
		}
	}
	if n := eval[int](p, `document.querySelectorAll("h1").length`); n != 1 {
		p.t.Errorf("%s has %d h1", path, n)
	}
	if !strings.Contains(eval[string](p, "document.title"), "Gatehouse") {
		p.t.Errorf("%s has no title of its own", path)
	}
}

// squeezed is what stands in a column too narrow for its words.
const squeezed = `[...document.querySelectorAll("main :is(p, li, dt, dd, td)")].find(e =>
	e.offsetWidth < 40 && e.textContent.trim().length > 15 && e.offsetHeight > 150)?.textContent.trim() ?? ""`

// violations are what axe finds serious or critical in the page that is open.
const violations = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then(r =>
	r.violations.filter(v => v.impact === "serious" || v.impact === "critical").map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ")).join(", ")))`

// serious reports what axe, which the page has loaded, finds serious or critical.
func (p *page) serious(what string) {
	p.t.Helper()
	found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](violations, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("axe on %s: %v", what, err)
	}
	for _, f := range found {
		p.t.Errorf("%s: %s", what, f)
	}
}

// scheme says whether the reader's system is light or dark.
func scheme(theme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return err
	})
}

func slug(path string) string {
	return strings.Trim(strings.NewReplacer("/", "-", "?", "-", "=", "-", " ", "-").Replace(path), "-")
}

// signIn signs a customer's person in.
func (p *page) signIn(path, email, password string) {
	p.t.Helper()
	p.open(path)
	p.write("[name=email]", email)
	p.write("[name=password]", password)
	p.click("main form button[type=submit]")
	p.until("signed in", `location.pathname === "/app"`)
	p.plantCookies()
}
