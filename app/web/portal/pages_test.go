package portal_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// pages are all pages of the portal, for a demo.
func pages(a wire.Approval, run, session string) []string {
	return []string{
		"/app", "/app/chat", "/app/chat?new=1", "/app/chat/" + session, "/app/chat/agent/secretary", "/app/conversations",
		"/app/conversations?q=none",
		"/app/approvals", "/app/approvals?tier=red", portaltest.ApprovalPath(a), portaltest.ApprovalPath(a) + "/edit",
		"/app/approvals/history", "/app/agents", "/app/agents/secretary",
		"/app/agents/secretary/autonomy", "/app/agents/secretary/external", "/app/agents/secretary/model", "/app/agents/limits",
		"/app/agents/tools",
		"/app/agents/dispatcher/external", "/app/activity", "/app/runs/" + run, "/app/server", "/app/billing", "/app/usage",
		"/app/usage?range=day", "/app/usage/breakdown", "/app/server/support", "/app/settings",
		"/app/settings/approvers", "/app/settings/data", "/app/settings/people", "/app/settings/people/leave",
		"/app/permissions", "/app/permissions/yaml", "/app/permissions/inside", "/app/quarantine", "/app/credentials",
		"/app/credentials/shop.api_key",
		"/app/help", "/app/help/levels", "/app/credentials/shop.api_key/delete", "/app/chat/" + session + "/delete",
	}
}

func TestPages_stand(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, a, run := h.Demo(t, of)
	b := h.Owner(t, of)
	titles, names := map[string]string{}, namedBy(p, a, run)
	for _, page := range pages(a, run, p.Sessions[0].ID) {
		got := b.Get(page)
		if got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", page, got.StatusCode)
			continue
		}
		portaltest.WantSound(t, page, got.Document)
		title := got.Find("title").Text()
		if same := titles[title]; same != "" && !oneThing(page, same) {
			t.Errorf("%s and %s share the title %q", page, same, title)
		}
		titles[title] = page
		if !strings.HasPrefix(title, "(1) ") || !strings.Contains(title, names[page]) {
			t.Errorf("%s: the tab says %q, want what waits and %q", page, title, names[page])
		}
	}
}

// namedBy is what the tabs of pages about one thing name.
func namedBy(p *portaltest.Peer, a wire.Approval, run string) map[string]string {
	return map[string]string{
		"/app/chat": p.Sessions[0].Title, "/app/chat/" + p.Sessions[0].ID: p.Sessions[0].Title,
		"/app/runs/" + run: p.Runs[run].Did[0], "/app/credentials/shop.api_key": "shop.api_key",
		portaltest.ApprovalPath(a): a.Summary, portaltest.ApprovalPath(a) + "/edit": a.Summary,
		"/app/agents/secretary": "Secretary", "/app/agents/secretary/autonomy": "Secretary",
		"/app/agents/secretary/model":     "Secretary",
		"/app/agents/dispatcher/external": "Dispatcher",
	}
}

// oneThing reports whether two addresses show the same page, or the same list cut in another way.
func oneThing(a, b string) bool {
	a, _, _ = strings.Cut(a, "?")
	b, _, _ = strings.Cut(b, "?")
	for _, list := range []string{"/app/chat", "/app/permissions"} {
		if strings.HasPrefix(a, list) && strings.HasPrefix(b, list) {
			return true
		}
	}
	return a == b
}

func TestPages_serverAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, a, run := h.Demo(t, of)
	p.Away(t)
	b := h.Owner(t, of)
	for _, page := range pages(a, run, p.Sessions[0].ID) {
		portaltest.WantAway(t, page, b.Get(page), true)
	}
}

// TestPages_serverHangs: a server whose link stands, but behind which nobody answers, is away as well. The pages that ask
// it say so; those about what the hub has itself do without.
func TestPages_serverHangs(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, a, run := h.Demo(t, of)
	p.Hang(true)
	b := h.Owner(t, of)
	var all errgroup.Group
	for _, page := range pages(a, run, p.Sessions[0].ID) {
		all.Go(func() error {
			asks := !slices.ContainsFunc([]string{
				"/app/approvals", "/app/settings", "/app/help", "/app/server/support", "/app/usage",
				"/app/billing",
			},
				func(s string) bool {
					return strings.HasPrefix(page, s)
				})
			portaltest.WantAway(t, page, b.Get(page), asks)
			return nil
		})
	}
	portaltest.Must(t, all.Wait())
	saved := b.Post("/app/agents/secretary/autonomy", url.Values{"level": {"1"}})
	next := saved.Header.Get("Location")
	if saved.StatusCode != http.StatusSeeOther || next != "/app/agents/secretary/autonomy" {
		t.Fatalf("a lower level: %d to %q", saved.StatusCode, next)
	}
	page := b.Get(next)
	portaltest.WantAway(t, next+" after a change", page, true)
	if text := page.Find("main").Text(); !strings.Contains(text, "on its way") ||
		page.Find("input[name=level][value='1'][checked]").Length() != 1 {
		t.Errorf("after a lower level the page says %s", text)
	}
}

func TestPages_bannerComesAndGoes(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	b := h.Owner(t, of)
	s := b.Open(b.Get("/app/settings").Find("#live").AttrOr("hx-sse:connect", ""), "")
	s.Until("badge-approvals")
	p.Away(t)
	s.Until("does not answer")
	p.Back(t)
	if got := portaltest.Part(s.Until("#banner"), "#banner"); strings.TrimSpace(got.Text()) != "" {
		t.Errorf("the banner says %s", got.Text())
	}
}

func TestPages_fillThemselvesWhenTheServerAnswersAgain(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	session := p.Sessions[0].ID
	p.Away(t)
	b := h.Owner(t, of)
	page := b.Get("/app/chat/" + session)
	if !strings.Contains(page.Find("#chat-empty").Text(), "kept only on your server") {
		t.Errorf("the page says %q", page.Find("#chat-empty").Text())
	}
	s := b.Open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
	p.Back(t)
	if got := portaltest.Part(s.Until("turn-"+run), "#thread:not(:has(#turn-"+run+"))"); !strings.Contains(got.Text(),
		"Delete the old files") {
		t.Errorf("the conversation comes back as %q", got.Text())
	}
}

// TestPages_sayThatTheyCanBeFilled: a page that nothing but loading it fills says so once its server answers, whether that
// was away or only too slow.
func TestPages_sayThatTheyCanBeFilled(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	b := h.Owner(t, of)
	for _, quiet := range []struct{ begin, end func() }{
		{func() { p.Away(t) }, func() { p.Back(t) }},
		{func() { p.Hang(true) }, func() { p.Hang(false) }},
	} {
		quiet.begin()
		page := b.Get("/app/permissions")
		portaltest.WantAway(t, "/app/permissions", page, true)
		s := b.Open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
		quiet.end()
		if got := portaltest.Part(s.Until("answers again"), "#banner"); got.Find(`a[href=""]`).Length() != 1 {
			t.Errorf("the banner has no way on: %s", got.Text())
		}
		if b.Get("/app/permissions").Find("#rules-text, [name=text]").Length() == 0 {
			t.Error("loaded anew, the page lacks the rules")
		}
	}
}

// Every address that names something is the customer's own: another customer does not find it.
func TestPages_tenancy(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, other := h.NewCustomer(t), h.NewCustomer(t)
	p, a, run := h.Demo(t, of)
	h.Link(t, other)
	session := p.Sessions[0].ID
	stranger := h.Owner(t, other)
	for _, page := range []string{portaltest.ApprovalPath(a), portaltest.ApprovalPath(a) + "/edit", "/app/runs/" + run, "/app/chat/" +
		session} {
		if got := stranger.Get(page); got.StatusCode != http.StatusNotFound || strings.Contains(got.Source, "someone@example.com") {
			t.Errorf("another customer gets %s with %d", page, got.StatusCode)
		}
	}
	for _, page := range []string{portaltest.ApprovalPath(a), portaltest.ApprovalPath(a) + "/edit"} {
		if got := stranger.Post(page, portaltest.AnswerTo(a, "allow_once")); got.StatusCode != http.StatusNotFound {
			t.Errorf("another customer posts to %s with %d", page, got.StatusCode)
		}
	}
	if it, err := h.Approvals.Get(t.Context(), of.ID, a.ID); err != nil || it.State != wire.ApprovalPending {
		t.Errorf("decided by a stranger: %s %v", it.State, err)
	}
	s := stranger.Open("/app/stream?on=chat&session="+session, "")
	q := stranger.Open("/app/stream?on=approval&id="+a.ID, "")
	p.Begin(portaltest.NewID(), session, "A secret")
	h.Owner(t, of).Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "deny"))
	mine := h.Owner(t, of).Open("/app/stream", "")
	mine.Until("badge-approvals")
	for _, open := range []*portaltest.Stream{s, q} {
		open.Cancel()
		for m := range open.Lines {
			if strings.Contains(m.Data, a.ID) || strings.Contains(m.Data, "A secret") {
				t.Errorf("another customer is pushed %s", m.Data)
			}
		}
	}
}

func TestPages_strangersAndStaffAreLedToSignIn(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, a, run := h.Demo(t, of)
	clerk := h.Clerk(t)
	nobody := &portaltest.Browser{T: t, Hub: h, Client: &http.Client{CheckRedirect: func(*http.Request,
		[]*http.Request,
	) error {
		return http.ErrUseLastResponse
	}}}
	for _, page := range pages(a, run, p.Sessions[0].ID) {
		for name, b := range map[string]*portaltest.Browser{"nobody": nobody, "staff": clerk} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+page, nil)
			portaltest.Must(t, err)
			if b.Jar == nil {
				b.Jar = noJar{}
			}
			if got := b.Send(r); got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/auth/sign-in") {
				t.Errorf("%s gets %s with %d", name, page, got.StatusCode)
			}
		}
	}
}

type noJar struct{}

func (noJar) SetCookies(*url.URL, []*http.Cookie) {}

func (noJar) Cookies(*url.URL) []*http.Cookie { return nil }
