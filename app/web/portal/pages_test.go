package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
)

// demo is a server with something of everything on it.
func (h *hub) demo(t testing.TB, of customer) (*peer, wire.Approval, string) {
	t.Helper()
	p := h.link(t, of)
	run, session := newID(), newID()
	p.begin(run, session, "Delete the old files")
	r := p.runs[run]
	call := newID()
	r.State, r.Verdict, r.Worst, r.StartedAt, r.EndedAt = wire.RunDone, wire.VerdictProven, "red", r.CreatedAt, r.CreatedAt.Add(time.Second)
	r.Steps = []wire.Step{{RunID: run, Agent: "dispatcher", N: 1, Text: "I look.", Calls: []string{call}}, {RunID: run, Agent: "dispatcher", N: 2, Text: "They are *gone*."}}
	r.Calls = []wire.CallInfo{{ID: call, RunID: run, Agent: "dispatcher", Tool: "file_delete", Tier: "red", State: wire.ToolDone, Summary: "Deleted 3 files", Args: []byte(`{"path":"tmp"}`), Result: "3 files <b>"}}
	r.Final = &wire.FinalData{RunID: run, Agent: "dispatcher", Text: "They are *gone*.", Verdict: wire.VerdictProven, Receipts: []int64{7}, Claims: []wire.Claim{{Sentence: "They are gone.", Receipts: []int64{7}, Verdict: wire.VerdictProven}}}
	p.runs[run] = r
	p.sessions[0].Turns[0].Run, p.sessions[0].State, p.sessions[0].Verdict = r, wire.RunDone, wire.VerdictProven
	p.receipts[run] = wire.ReceiptsResult{Verified: true, Items: []wire.Receipt{
		{Seq: 6, Time: time.Now(), Type: "call.approved", RunID: run, CallID: call, Tool: "file_delete", Tier: "red", Hash: "h6", PrevHash: "h5", Body: []byte(`{"decided_by":{"name":"owner@example.com","channel":"portal"}}`)},
		{Seq: 7, Time: time.Now(), Type: "call.finished", RunID: run, CallID: call, Tool: "file_delete", Tier: "red", Hash: "h7", PrevHash: "h6", Body: []byte(`{"summary":"Deleted 3 files","ms":12}`)},
	}}
	p.vault = []wire.SecretInfo{{Name: "shop.api_key"}}
	return p, p.ask(t), run
}

// pages are all pages of the portal, for a demo.
func pages(a wire.Approval, run, session string) []string {
	return []string{
		"/app", "/app/chat", "/app/chat?new=1", "/app/chat/" + session, "/app/chat/agent/secretary", "/app/conversations", "/app/conversations?q=none",
		"/app/approvals", "/app/approvals?tier=red", path(a), path(a) + "/edit", "/app/approvals/history", "/app/agents", "/app/agents/secretary",
		"/app/agents/secretary/autonomy", "/app/agents/secretary/external", "/app/agents/dispatcher/external", "/app/activity", "/app/runs/" + run, "/app/server", "/app/settings",
		"/app/settings/approvers", "/app/permissions", "/app/permissions/inside", "/app/quarantine", "/app/credentials", "/app/credentials/shop.api_key",
	}
}

func TestPages_stand(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, a, run := h.demo(t, of)
	b := h.owner(t, of)
	titles := map[string]string{}
	for _, page := range pages(a, run, p.sessions[0].ID) {
		got := b.get(page)
		if got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", page, got.StatusCode)
			continue
		}
		wantSound(t, page, got.Document)
		titles[page] = got.Find("title").Text()
	}
	if titles["/app"] == titles["/app/server"] {
		t.Error("pages share a title")
	}
}

// wantSound checks what every page must have: one h1, a stream, sign-out, forms that work without a script, words for
// every key, and nothing that the content policy forbids.
func wantSound(t *testing.T, page string, d *goquery.Document) {
	t.Helper()
	if n := d.Find("h1").Length(); n != 1 {
		t.Errorf("%s: %d h1", page, n)
	}
	if !strings.HasPrefix(d.Find("#live").AttrOr("hx-sse:connect", ""), "/app/stream") {
		t.Errorf("%s: not live", page)
	}
	if d.Find("form[action='/auth/sign-out']").Length() == 0 {
		t.Errorf("%s: nobody can sign out", page)
	}
	if html, _ := d.Html(); strings.Contains(html, "⟦") || strings.Contains(html, "<script>") {
		t.Errorf("%s: a word is missing, or a script stands in the page", page)
	}
	d.Find("form[method=post]").Each(func(_ int, f *goquery.Selection) {
		if f.AttrOr("action", "") == "" || f.Find("input[name=csrf]").AttrOr("value", "") == "" {
			t.Errorf("%s: the form %s does not work without a script", page, f.AttrOr("action", "?"))
		}
	})
	d.Find("[style], [onclick], [hx-on]").Each(func(_ int, s *goquery.Selection) { t.Errorf("%s: inline code or style", page) })
	ids := map[string]bool{}
	d.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		if id := s.AttrOr("id", ""); ids[id] {
			t.Errorf("%s: id %s stands twice", page, id)
		} else {
			ids[id] = true
		}
	})
}

// TestHome_secrets: what waits for a secret needs the owner too, and leads to where it is given.
func TestHome_secrets(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, a, run := h.demo(t, of)
	now := time.Now()
	for i, name := range []string{"crm.last", "crm.third", "crm.second", "crm.first"} {
		p.secrets = append(p.secrets, wire.SecretRequest{ID: "call-" + name, RootRunID: run, Agent: "it-admin", Name: name, State: "pending", CreatedAt: now, ExpiresAt: now.Add(time.Duration(9-i) * time.Hour)})
	}
	p.secrets = append(p.secrets, wire.SecretRequest{ID: "given", RootRunID: run, Agent: "it-admin", Name: "crm.given", State: "provided", ExpiresAt: now})
	b := h.owner(t, of)
	page := b.get("/app")
	needs := page.Find(".need")
	if got := strings.Join(needs.Find(".need-asks").Map(func(_ int, s *goquery.Selection) string { return s.Text() }), " "); !strings.HasSuffix(got, "crm.first crm.second crm.third") || needs.Find("a[href$='"+a.ID+"']").Length() != 1 {
		t.Errorf("the page needs %s", got)
	}
	if text := page.Find("main").Text(); !strings.Contains(text, "5 requests wait for you") || !strings.Contains(text, "One more credential") || !strings.Contains(text, "IT admin needs a credential") {
		t.Errorf("the page says %s", text)
	}
	wantSound(t, "/app", page.Document)
	href := page.Find("#need-call-crm\\.first a").AttrOr("href", "")
	if got := b.get(strings.TrimSuffix(href, "#secret-call-crm.first")); got.Header.Get("Location") != "/app/chat/"+p.sessions[0].ID {
		t.Errorf("%s leads to %q", href, got.Header.Get("Location"))
	}
	for path, status := range map[string]int{"/app/runs/" + newID() + "/talk": http.StatusNotFound, "/app/runs/x/talk": http.StatusNotFound} {
		if got := b.get(path); got.StatusCode != status {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	if got := h.owner(t, h.newCustomer(t)).get("/app/runs/" + run + "/talk"); got.StatusCode == http.StatusSeeOther {
		t.Error("a stranger is led to the conversation")
	}
}

func TestPages_serverAway(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, a, run := h.demo(t, of)
	p.away(t)
	b := h.owner(t, of)
	for _, page := range pages(a, run, p.sessions[0].ID) {
		wantAway(t, page, b.get(page), true)
	}
}

// TestPages_serverHangs: a server whose link stands, but behind which nobody answers, is away as well. The pages that ask
// it say so; those about what the hub has itself do without.
func TestPages_serverHangs(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, a, run := h.demo(t, of)
	p.hangs(true)
	b := h.owner(t, of)
	var all errgroup.Group
	all.SetLimit(4) // each waits for the server
	for _, page := range pages(a, run, p.sessions[0].ID) {
		all.Go(func() error {
			asks := !strings.HasPrefix(page, "/app/approvals") && !strings.HasPrefix(page, "/app/settings")
			wantAway(t, page, b.get(page), asks)
			return nil
		})
	}
	must(t, all.Wait())
	saved := b.post("/app/agents/secretary/autonomy", url.Values{"level": {"1"}})
	next := saved.Header.Get("Location")
	if saved.StatusCode != http.StatusSeeOther || next != "/app/agents/secretary/autonomy" {
		t.Fatalf("a lower level: %d to %q", saved.StatusCode, next)
	}
	page := b.get(next)
	wantAway(t, next+" after a change", page, true)
	if text := page.Find("main").Text(); !strings.Contains(text, "on its way") || page.Find("input[name=level][value='1'][checked]").Length() != 1 {
		t.Errorf("after a lower level the page says %s", text)
	}
}

// wantAway checks a page that was asked for while the server did not answer. says: the page tells of it.
func wantAway(t *testing.T, page string, got answer, says bool) {
	t.Helper()
	if got.StatusCode != http.StatusOK && !(got.StatusCode == http.StatusServiceUnavailable && strings.Contains(page, "/runs/")) {
		t.Errorf("%s: %d", page, got.StatusCode)
	}
	if says && got.Find("#banner .offline").Length() != 1 {
		t.Errorf("%s does not say that the server is away", page)
	}
	if state := got.Find(".server-state").Text(); strings.Contains(state, "Online") {
		t.Errorf("%s says that the server is %s", page, state)
	}
}

func TestPages_bannerComesAndGoes(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, _, _ := h.demo(t, of)
	b := h.owner(t, of)
	s := b.open(b.get("/app/settings").Find("#live").AttrOr("hx-sse:connect", ""), "")
	s.until("badge-approvals")
	p.away(t)
	s.until("cannot be reached")
	p.back(t)
	if got := part(s.until("#banner"), "#banner"); strings.TrimSpace(got.Text()) != "" {
		t.Errorf("the banner says %s", got.Text())
	}
}

func TestPages_fillThemselvesWhenTheServerAnswersAgain(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, _, run := h.demo(t, of)
	session := p.sessions[0].ID
	p.away(t)
	b := h.owner(t, of)
	page := b.get("/app/chat/" + session)
	if !strings.Contains(page.Find("#chat-empty").Text(), "kept on your server alone") {
		t.Errorf("the page says %q", page.Find("#chat-empty").Text())
	}
	s := b.open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
	p.back(t)
	if got := part(s.until("turn-"+run), "#thread:not(:has(#turn-"+run+"))"); !strings.Contains(got.Text(), "Delete the old files") {
		t.Errorf("the conversation comes back as %q", got.Text())
	}
}

// TestPages_sayThatTheyCanBeFilled: a page that nothing but loading it fills says so once its server answers, whether that
// was away or only too slow.
func TestPages_sayThatTheyCanBeFilled(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, _, _ := h.demo(t, of)
	b := h.owner(t, of)
	for _, quiet := range []struct{ begin, end func() }{
		{func() { p.away(t) }, func() { p.back(t) }},
		{func() { p.hangs(true) }, func() { p.hangs(false) }},
	} {
		quiet.begin()
		page := b.get("/app/permissions")
		wantAway(t, "/app/permissions", page, true)
		s := b.open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
		quiet.end()
		if got := part(s.until("answers again"), "#banner"); got.Find(`a[href=""]`).Length() != 1 {
			t.Errorf("the banner has no way on: %s", got.Text())
		}
		if b.get("/app/permissions").Find("#rules-text, [name=text]").Length() == 0 {
			t.Error("loaded anew, the page lacks the rules")
		}
	}
}

// Every address that names something is the customer's own: another customer does not find it.
func TestPages_tenancy(t *testing.T) {
	t.Parallel()
	h := start(t)
	of, other := h.newCustomer(t), h.newCustomer(t)
	p, a, run := h.demo(t, of)
	h.link(t, other)
	session := p.sessions[0].ID
	stranger := h.owner(t, other)
	for _, page := range []string{path(a), path(a) + "/edit", "/app/runs/" + run, "/app/chat/" + session} {
		if got := stranger.get(page); got.StatusCode != http.StatusNotFound || strings.Contains(got.text, "someone@example.com") {
			t.Errorf("another customer gets %s with %d", page, got.StatusCode)
		}
	}
	for _, page := range []string{path(a), path(a) + "/edit"} {
		if got := stranger.post(page, answerTo(a, "allow_once")); got.StatusCode != http.StatusNotFound {
			t.Errorf("another customer posts to %s with %d", page, got.StatusCode)
		}
	}
	if it, err := h.approvals.Get(t.Context(), of.id, a.ID); err != nil || it.State != wire.ApprovalPending {
		t.Errorf("decided by a stranger: %s %v", it.State, err)
	}
	s := stranger.open("/app/stream?on=chat&session="+session, "")
	q := stranger.open("/app/stream?on=approval&id="+a.ID, "")
	p.begin(newID(), session, "A secret")
	h.owner(t, of).post(path(a), answerTo(a, "deny"))
	mine := h.owner(t, of).open("/app/stream", "")
	mine.until("badge-approvals")
	for _, open := range []*stream{s, q} {
		open.cancel()
		for m := range open.lines {
			if strings.Contains(m.data, a.ID) || strings.Contains(m.data, "A secret") {
				t.Errorf("another customer is pushed %s", m.data)
			}
		}
	}
}

func TestPages_strangersAndStaffAreLedToSignIn(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, a, run := h.demo(t, of)
	clerk := h.clerk(t)
	nobody := &browser{t, h, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	for _, page := range pages(a, run, p.sessions[0].ID) {
		for name, b := range map[string]*browser{"nobody": nobody, "staff": clerk} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+page, nil)
			must(t, err)
			if b.Jar == nil {
				b.Jar = noJar{}
			}
			if got := b.send(r); got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/auth/sign-in") {
				t.Errorf("%s gets %s with %d", name, page, got.StatusCode)
			}
		}
	}
}

type noJar struct{}

func (noJar) SetCookies(*url.URL, []*http.Cookie) {}
func (noJar) Cookies(*url.URL) []*http.Cookie     { return nil }

func TestRun_showsStepsReceiptsAndDecider(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	_, _, run := h.demo(t, of)
	page := h.owner(t, of).get("/app/runs/" + run)
	text := strings.Join(strings.Fields(page.Find("main").Text()), " ")
	for _, want := range []string{"Proven", "Deleted 3 files", "They are gone.", "owner@example.com, in the portal", "Receipt 7", "Chain verified.", "3 files <b>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	if page.Find("main em").Text() != "gone" || page.Find("main pre b").Length() != 0 {
		t.Error("an agent's text is not rendered, or a tool's result is")
	}
}

func TestRun_brokenChainIsSaidLoudly(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p, _, run := h.demo(t, of)
	p.receipts[run] = wire.ReceiptsResult{Items: p.receipts[run].Items, Problem: "Receipt 7 was changed."}
	got := h.owner(t, of).get("/app/runs/" + run).Find(".chain[role=alert]").Text()
	if !strings.Contains(got, "Receipt 7 was changed.") {
		t.Errorf("the page says %q", got)
	}
}

func TestEvidence_panelIsFetchedWhenOpened(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	_, _, run := h.demo(t, of)
	b := h.owner(t, of)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/app/runs/"+run+"/evidence", nil)
	must(t, err)
	r.Header.Set("HX-Request-Type", "partial")
	if got := b.send(r); got.Find("#evidence-"+run+" .receipt").Length() != 2 {
		t.Errorf("htmx got %s", got.text)
	}
	if got := b.get("/app/runs/" + run + "/evidence"); got.Header.Get("Location") != "/app/runs/"+run+"#receipts" {
		t.Errorf("a browser without scripts is led to %q", got.Header.Get("Location"))
	}
}

func TestStaffInbox_showsNoContentsAndDeniesOnly(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	a := h.link(t, of).ask(t)
	clerk := h.clerk(t)
	page := clerk.get("/admin/approvals")
	card := page.Find("#approval-" + a.ID)
	if text := card.Text(); strings.Contains(text, "someone@example.com") || strings.Contains(text, "We open") || !strings.Contains(text, "Example Bakery") {
		t.Errorf("staff see %s", text)
	}
	if card.Find("button[value=allow_once]").Length() != 0 || card.Find("a[data-verb=edit]").Length() != 0 {
		t.Error("staff are offered to allow or edit")
	}
	form := answerTo(a, "allow_once")
	if got := clerk.post("/admin/approvals/"+a.ID, form); got.StatusCode != http.StatusForbidden {
		t.Errorf("staff allow with %d", got.StatusCode)
	}
	if got := clerk.get("/admin/approvals/" + a.ID + "/edit"); got.StatusCode != http.StatusNotFound {
		t.Errorf("staff get the edit page with %d", got.StatusCode)
	}
	s := clerk.open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
	s.until("badge-approvals")
	away := clerk.get("/admin/approvals/"+a.ID).Find("#live").AttrOr("hx-sse:connect", "") // of a page that is away meanwhile
	form = answerTo(a, "deny")
	form.Set("reason", "Asked by phone")
	if got := clerk.post("/admin/approvals/"+a.ID, form); got.StatusCode != http.StatusSeeOther {
		t.Errorf("staff deny with %d: %s", got.StatusCode, got.Find("main").Text())
	}
	s.until("Denied")
	clerk.open(away, "").until("Denied")
	if got := h.owner(t, of).get(path(a)).Find("main").Text(); !strings.Contains(got, "staff") || !strings.Contains(got, "in the console") {
		t.Errorf("the customer is told %s", got)
	}
}

// TestStaffInbox_search: staff look for what waits and for what was decided; a page that shows what was found is brought
// up to date with what fits, and with nothing else.
func TestStaffInbox_search(t *testing.T) {
	t.Parallel()
	h := start(t)
	of, other := h.newCustomer(t), h.newCustomer(t)
	p, q := h.link(t, of), h.link(t, other)
	a, b := p.ask(t), q.ask(t)
	clerk := h.clerk(t)
	for _, text := range []string{of.email, a.ID, " " + of.email + " "} {
		page := clerk.get("/admin/approvals?q=" + url.QueryEscape(text))
		if page.Find("#approval-"+a.ID).Length() != 1 || page.Find("#approval-"+b.ID).Length() != 0 || page.Find("[role=search] input[name=q]").AttrOr("value", "") != strings.TrimSpace(text) {
			t.Errorf("%q shows %s", text, page.Find("main").Text())
		}
	}
	if got := clerk.get("/admin/approvals?q=nobody").Find("main"); !strings.Contains(got.Text(), "Nothing here fits “nobody”") || got.Find("a.btn").AttrOr("href", "") != "/admin/approvals" {
		t.Errorf("no match shows %s", got.Text())
	}
	if got := clerk.get("/admin/approvals?q=" + strings.Repeat("x", 101)); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a long text: %d", got.StatusCode)
	}
	page := clerk.get("/admin/approvals?q=" + url.QueryEscape(of.email))
	s := clerk.open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
	s.until("badge-approvals")
	d, c := q.ask(t), p.ask(t)
	if text := fmt.Sprint(s.until("approval-" + c.ID)); strings.Contains(text, d.ID) || strings.Contains(text, b.ID) {
		t.Error("the page is brought what was not looked for")
	}
	form := answerTo(a, "deny")
	form.Set("reason", "Asked by phone")
	clerk.post("/admin/approvals/"+a.ID, form)
	for text, found := range map[string]int{of.email: 1, other.email: 0, "nobody": 0} {
		page := clerk.get("/admin/approvals/history?q=" + url.QueryEscape(text))
		if n := page.Find("#decided tbody tr").Length(); n != found || page.Find("#decided input[name=q]").AttrOr("value", "") != text {
			t.Errorf("history for %s has %d rows", text, n)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/admin/approvals/history?q=nobody&tier=red", nil)
	must(t, err)
	r.Header.Set("HX-Request-Type", "partial")
	if got := clerk.send(r); got.Find("#decided-results").Length() != 1 || got.Find("main, form").Length() != 0 {
		t.Errorf("htmx got %s", got.text)
	}
}

// TestInbox_searchIsForStaff: nothing of the customer's own inbox hangs on q.
func TestInbox_searchIsForStaff(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	a := h.link(t, of).ask(t)
	page := h.owner(t, of).get("/app/approvals?q=nobody")
	if page.Find("#approval-"+a.ID).Length() != 1 || page.Find("input[name=q]").Length() != 0 {
		t.Errorf("the owner sees %s", page.Find("main").Text())
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	h.link(t, of)
	b := h.owner(t, of)
	if got := b.post("/app/settings/time-zone", url.Values{"zone": {"Mars/Olympus"}}); got.StatusCode != http.StatusUnprocessableEntity || got.Find("#f-zone").AttrOr("value", "") != "Mars/Olympus" {
		t.Errorf("an unknown zone: %d", got.StatusCode)
	}
	if got := b.post("/app/settings/time-zone", url.Values{"zone": {"America/New_York"}}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("a zone: %d", got.StatusCode)
	}
	if got := b.get("/app/settings").Find("#f-zone").AttrOr("value", ""); got != "America/New_York" {
		t.Errorf("the next page shows %q", got)
	}
	old := h.owner(t, of)
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE signins SET fresh_at = fresh_at - interval '11 minutes' WHERE id = (SELECT max(id::text)::uuid FROM signins)")
	must(t, err)
	if got := old.post("/app/settings/tokens", url.Values{"name": {"script"}}); got.Header.Get("Location") != "/auth/sign-in?next=%2Fapp%2Fsettings&again=1" {
		t.Errorf("a token from an old sign-in: %d to %s", got.StatusCode, got.Header.Get("Location"))
	}
	made := b.post("/app/settings/tokens", url.Values{"name": {"script"}})
	secret := made.Find(".codeblock code").Text()
	if !strings.HasPrefix(secret, "gth_") || strings.Contains(b.get("/app/settings").text, secret) {
		t.Error("a token is not shown, or shown again")
	}
	end := made.Find(".token form").AttrOr("action", "")
	if b.post(end, url.Values{}); b.get("/app/settings").Find(".token").Length() != 0 {
		t.Error("a token that was ended is listed")
	}
}

// TestAgents_waiting: whoever waits for the reader does so on every page that shows the team, and nobody else.
func TestAgents_waiting(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	h.link(t, of).ask(t)
	b := h.owner(t, of)
	for _, path := range []string{"/app", "/app/agents"} {
		got := b.get(path)
		if n := got.Find(`main .status[data-state=waiting]`).Length(); n != 1 {
			t.Errorf("%s shows %d waiting: %s", path, n, got.Find("main").Text())
		}
	}
}

func TestAgents_settingsReachTheServer(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	h.link(t, of)
	b := h.owner(t, of)
	for _, c := range []struct {
		path string
		form url.Values
		want func(wire.Config) bool
	}{
		{"/app/agents/it-admin/autonomy", url.Values{"level": {"3"}}, func(c wire.Config) bool { return c.Agents["it-admin"].Level == 3 }},
		{"/app/agents/it-admin/autonomy", url.Values{"level": {"0"}}, func(c wire.Config) bool { return c.Agents["it-admin"].Level == 0 }},
		{"/app/agents/secretary/external", url.Values{"tool": {"message"}, "mode": {"autonomous"}}, func(c wire.Config) bool { return slices.Contains(c.Agents["secretary"].Unlocked, "message") }},
		{"/app/agents/secretary/external", url.Values{"tool": {"message"}, "mode": {"gated"}}, func(c wire.Config) bool { return len(c.Agents["secretary"].Unlocked) == 0 }},
		{"/app/agents/secretary/off", url.Values{"off": {"1"}}, func(c wire.Config) bool { return c.Agents["secretary"].Off }},
		{"/app/agents/default-level", url.Values{"level": {"1"}}, func(c wire.Config) bool { return c.DefaultLevel == 1 }},
	} {
		before, err := h.teams.State(t.Context(), of.id)
		must(t, err)
		c.form.Set("signature", signature())
		c.form.Set("version", strconv.FormatInt(before.Next(), 10))
		if got := b.post(c.path, c.form); got.StatusCode != http.StatusSeeOther {
			t.Errorf("%s %v: %d", c.path, c.form, got.StatusCode)
		}
		st, err := h.teams.State(t.Context(), of.id)
		must(t, err)
		if !c.want(st.Config) || st.Config.By.Email != of.email {
			t.Errorf("%s %v: %+v", c.path, c.form, st.Config)
		}
		if !st.Waiting() {
			t.Error("a change counts as applied before the server said so")
		}
	}
	if got := b.post("/app/agents/it-admin/autonomy", url.Values{"level": {"9"}}); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.text, "Choose level 1, 2 or 3.") {
		t.Errorf("a level that is none: %d", got.StatusCode)
	}
	for _, path := range []string{"/app/agents/nobody", "/app/chat/agent/nobody", "/app/chat/agent/nobody?new=1"} {
		if got := b.get(path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	if got := b.get("/app/agents/secretary").Find("main").Text(); !strings.Contains(got, "on its way") || !strings.Contains(got, "Switched off") {
		t.Errorf("the page says %s", got)
	}
}

func TestAutonomy_matrixIsTheGatesOwn(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	h.link(t, of)
	rows := h.owner(t, of).get("/app/agents/it-admin/autonomy").Find(".matrix tbody tr")
	want := [][]string{
		{"allow", "allow", "allow"}, {"ask", "allow", "allow"}, {"ask", "ask", "ask"}, {"ask", "ask", "allow"}, {"ask", "ask", "ask"}, {"deny", "deny", "deny"},
	}
	rows.Each(func(i int, row *goquery.Selection) {
		got := row.Find("td").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("data-effect", "") })
		if !slices.Equal(got, want[i]) {
			t.Errorf("%s: %v, want %v", row.Find("th").Text(), got, want[i])
		}
	})
	if rows.Length() != len(want) {
		t.Errorf("%d rows", rows.Length())
	}
}
