package layout_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"gatehouse/static"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

func read(t *testing.T, r ui.Request, c templ.Component) *goquery.Document {
	t.Helper()
	var b strings.Builder
	if err := c.Render(templ.WithChildren(ui.With(t.Context(), r), templ.Raw("<h1>Content</h1>")), &b); err != nil {
		t.Fatal(err)
	}
	d, err := goquery.NewDocumentFromReader(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func frame() layout.Frame {
	return layout.Frame{
		Title: "Home", User: layout.User{Name: "owner@bakery.example", Of: "Corner Bakery"}, Home: "/app", Stream: "/app/stream", SignOut: "/auth/sign-out", SignIn: "/auth/sign-in",
		Nav: []ui.NavItem{{Label: "Home", Href: "/app"}, {Label: "Chat", Href: "/app/chat"}, {Label: "Approvals", Href: "/app/approvals"}, {Label: "Activity", Href: "/app/activity"}, {Label: "Team", Href: "/app/agents"}},
	}
}

// TestFrames_haveWhatEveryPageNeeds: where to skip to, one main part, the regions that are spoken, the assets.
func TestFrames_haveWhatEveryPageNeeds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]templ.Component{
		"portal":  layout.Shell(frame()),
		"console": layout.AdminShell(frame()),
		"public":  layout.PublicShell(layout.Public{Title: "Plans", SignIn: "/auth/sign-in"}),
		"sign-in": layout.AuthShell(layout.Auth{Title: "Sign in", Home: "/"}),
		"bare":    layout.BareShell("Receipt"),
		"error":   layout.ErrorPage(layout.Failure{Status: 404, Title: "Not here", Home: "/"}),
	} {
		d := read(t, ui.Request{}, c)
		for _, sel := range []string{
			"html[lang=en]", "title", "a.skip[href='#main']", "main#main[tabindex='-1']", "h1", "#toasts[role=status]", "#say[role=status]", "#alert[role=alert]", "#heard[hidden]",
			"link[href='" + static.Path("app.css") + "']", "script[defer][src='" + static.Path("app.js") + "']", "meta[name=htmx-config]", "meta[name=words]",
		} {
			if n := d.Find(sel).Length(); n != 1 {
				t.Errorf("%s: %d of %s", name, n, sel)
			}
		}
	}
}

// TestShell_signOut: whoever is signed in can sign out on every page, by a form that carries the token.
func TestShell_signOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]templ.Component{
		"portal": layout.Shell(frame()), "console": layout.AdminShell(frame()), "public": layout.PublicShell(layout.Public{SignIn: "/auth/sign-in"}),
		"sign-in": layout.AuthShell(layout.Auth{}), "error": layout.ErrorPage(layout.Failure{}), "bare": layout.BareShell("Receipt"),
	} {
		form := read(t, ui.Request{CSRF: "token", SignOut: "/auth/sign-out"}, c).Find("form[method=post][action='/auth/sign-out']")
		if form.Length() != 1 || form.Find("input[name=csrf]").AttrOr("value", "") != "token" || form.Find("button").Length() != 1 {
			t.Errorf("%s: %d sign-out forms", name, form.Length())
		}
	}
}

// TestShell_wayBack: a page outside of portal and console leads whoever is signed in back, and says where to.
func TestShell_wayBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]templ.Component{"public": layout.PublicShell(layout.Public{SignIn: "/auth/sign-in"}), "bare": layout.BareShell("Receipt")} {
		for want, r := range map[string]ui.Request{
			"Open the portal":         {SignOut: "/auth/sign-out", Home: "/app"},
			"Back to the staff pages": {SignOut: "/admin/auth/sign-out", Home: "/admin", Staff: true},
			"":                        {},
		} {
			d := read(t, r, c)
			if got := strings.TrimSpace(d.Find("header a.btn:not(.quiet)").Text()); got != want || want != "" && d.Find("header a[href='"+r.Home+"']").Length() != 1 {
				t.Errorf("%s leads back by %q, want %q", name, got, want)
			}
		}
	}
}

func TestShell_title(t *testing.T) {
	t.Parallel()
	for failed, want := range map[bool]string{false: "Home · Gatehouse", true: "Error: Home · Gatehouse"} {
		f := frame()
		f.Failed = failed
		if got := read(t, ui.Request{}, layout.Shell(f)).Find("title").Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestShell_rehearsal: a team that runs on the stand-in says so on its pages, and only then.
func TestShell_rehearsal(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		f := frame()
		f.Rehearsal = on
		if got := strings.Contains(read(t, ui.Request{}, layout.Shell(f)).Find("header").Text(), "Practice mode"); got != on {
			t.Errorf("rehearsal %v, label %v", on, got)
		}
	}
}

// TestShell_mail: where mail is caught, pages say where to read it; elsewhere none does.
func TestShell_mail(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]int{"": 0, "/dev/mail": 1} {
		for name, c := range map[string]templ.Component{"portal": layout.Shell(frame()), "console": layout.AdminShell(frame()), "sign-in": layout.AuthShell(layout.Auth{})} {
			d := read(t, ui.Request{MailAt: at}, c)
			if links, strip := d.Find(`.rehearsal a[href="/dev/mail"]`).Length(), d.Find(".rehearsal").Length(); links != want || strip != want {
				t.Errorf("%s, mail at %q: %d links, %d labels", name, at, links, strip)
			}
		}
	}
}

func TestShell_theme(t *testing.T) {
	t.Parallel()
	for theme, want := range map[string]string{"": "follows", "dark": "dark", "light": "light"} {
		d := read(t, ui.Request{Theme: theme}, layout.Shell(frame()))
		if got := d.Find("html").AttrOr("data-theme", "follows"); got != want {
			t.Errorf("theme %q: %q", theme, got)
		}
		if got := d.Find(".theme [aria-pressed=true]").AttrOr("value", "none"); got != theme {
			t.Errorf("theme %q: %q is pressed", theme, got)
		}
	}
}

// TestShell_currentEntry: the entry of the page, or of what lies below it; the home of an area only on its own page.
func TestShell_currentEntry(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/app": "Home", "/app/chat": "Chat", "/app/approvals/a1/edit": "Approvals", "/app/approvalsish": "", "/app/runs/1": ""} {
		got := strings.TrimSpace(read(t, ui.Request{Path: path}, layout.Shell(frame())).Find(".side [aria-current=page] .nav-label").Text())
		if got != want {
			t.Errorf("%s marks %q, want %q", path, got, want)
		}
	}
}

// TestShell_phoneBar: four entries and More, which holds the rest.
func TestShell_phoneBar(t *testing.T) {
	t.Parallel()
	d := read(t, ui.Request{}, layout.Shell(frame()))
	if n := d.Find(".bottom > ul > li").Length(); n != 5 {
		t.Errorf("%d places in the bar", n)
	}
	if rest := strings.TrimSpace(d.Find(".more-nav ul .nav-label").Text()); rest != "Team" {
		t.Errorf("More holds %q", rest)
	}
}
