package approval_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/web/portal/portaltest"
)

func TestApprovals_cardShowsTheAct(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	card := h.Owner(t, of).Get("/app/approvals").Find("#approval-" + a.ID)
	for what, want := range map[string]string{
		"the sentence": "E-mail someone@example.com: Opening hours", "the tool": "message", "the recipient": "Goes to someone@example.com",
		"the text": "We open at nine.\nSee you", "why": "You asked for it.", "why asked": "It reaches someone outside the business",
		"the measured fact": "recipient: someone@example.com", "what happens otherwise": "If you do nothing",
	} {
		if text := strings.Join(strings.Fields(card.Text()), " "); !strings.Contains(text, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("the card lacks %s: %s", what, text)
		}
	}
	form := card.Find("form.decision")
	for _, sel := range []string{"input[name=csrf]", "input[name=digest][value='" + a.Digest + "']", "button[value=allow_once]", "button[value=deny]", "option[value='15']"} {
		if form.Find(sel).Length() == 0 {
			t.Errorf("the form lacks %s", sel)
		}
	}
	if form.AttrOr("method", "") != "post" || form.AttrOr("action", "") != portaltest.ApprovalPath(a) {
		t.Error("the form does not work without a script")
	}
}

func TestApprovals_soonestFirstAndFiltered(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	late := p.Propose(t)
	soon := p.Propose(t, func(a *wire.Approval) {
		a.ExpiresAt, a.Agent, a.Tool, a.Tier = a.ExpiresAt.Add(-time.Hour), "it-admin", "file_delete", "red"
		a.Args = json.RawMessage(`{"path":"tmp"}`)
	})
	b := h.Owner(t, of)
	page := b.Get("/app/approvals")
	if got := page.Find("article").First().AttrOr("id", ""); got != "approval-"+soon.ID {
		t.Errorf("first stands %s, want the one that ends soonest", got)
	}
	if got := b.Get("/app/approvals?tier=yellow_external").Find("article"); got.Length() != 1 || got.AttrOr("id", "") != "approval-"+late.ID {
		t.Errorf("filtered by risk: %d cards", got.Length())
	}
	if got := b.Get("/app/approvals?agent=it-admin").Find("article"); got.Length() != 1 || got.AttrOr("id", "") != "approval-"+soon.ID {
		t.Errorf("filtered by agent: %d cards", got.Length())
	}
	if got := b.Get("/app/approvals?agent=dispatcher").Find(".empty").Text(); !strings.Contains(got, "matches this filter") {
		t.Errorf("an empty filter says %q", got)
	}
}

func TestApprovals_decide(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	for _, c := range []struct {
		name   string
		form   url.Values
		status int
		state  wire.ApprovalState
		words  string
	}{
		{"allow once", url.Values{"decision": {"allow_once"}}, 200, wire.ApprovalAllowed, "Allowed once"},
		{"allow for a window", url.Values{"decision": {"allow_window"}, "minutes": {"15"}}, 200, wire.ApprovalAllowed, "Allowed for 15 minutes"},
		{"deny with a reason", url.Values{"decision": {"deny"}, "reason": {"Not today"}, "signature": {""}}, 200, wire.ApprovalDenied, "Denied"},
		{"a window that is none", url.Values{"decision": {"allow_window"}, "minutes": {"soon"}}, 422, wire.ApprovalPending, ""},
		{"a window that is too long", url.Values{"decision": {"allow_window"}, "minutes": {"9999"}}, 422, wire.ApprovalPending, "Choose between"},
		{"an unknown verb", url.Values{"decision": {"allow_for_ever"}}, 422, wire.ApprovalPending, "Choose allow_once"},
		{"another digest", url.Values{"decision": {"allow_once"}, "digest": {strings.Repeat("0", 64)}}, 409, wire.ApprovalPending, "has changed since you opened"},
		{"no digest", url.Values{"decision": {"allow_once"}, "digest": {""}}, 422, wire.ApprovalPending, ""},
		{"no signature", url.Values{"decision": {"allow_once"}, "signature": {""}}, 403, wire.ApprovalPending, "only on a device"},
		{"no JSON", url.Values{"decision": {"allow_once"}, "signature": {"{"}}, 400, wire.ApprovalPending, "could not be read"},
		{"half a signature", url.Values{"decision": {"allow_once"}, "signature": {"{}"}}, 422, wire.ApprovalPending, "base64url"},
		{"a stranger's key", url.Values{"decision": {"allow_once"}, "signature": {portaltest.SignatureOf(portaltest.Stranger(), time.Now())}}, 403, wire.ApprovalPending, "may not approve on your server"},
		{"signed long ago", url.Values{"decision": {"allow_once"}, "signature": {portaltest.SignatureOf(portaltest.Signer(), time.Now().Add(-6*time.Minute))}}, 403, wire.ApprovalPending, "5 minutes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := p.Propose(t)
			if !c.form.Has("digest") {
				c.form.Set("digest", a.Digest)
			}
			if !c.form.Has("signature") {
				c.form.Set("signature", portaltest.Signature())
			}
			got := b.Partial(portaltest.ApprovalPath(a), c.form)
			if got.StatusCode != c.status || !strings.Contains(got.Source, c.words) {
				t.Errorf("got %d, %s", got.StatusCode, got.Find(".outcome, .checks, p").Text())
			}
			it, err := h.Approvals.Get(t.Context(), of.ID, a.ID)
			portaltest.Must(t, err)
			if it.State != c.state {
				t.Errorf("state %s, want %s", it.State, c.state)
			}
		})
	}
}

func TestApprovals_answerTakesTheFocusAndKeepsTheContents(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	got := h.Owner(t, of).Partial(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "deny"))
	if got.Find(".outcome-line[autofocus][tabindex='-1']").Length() != 1 {
		t.Error("the outcome does not take the focus")
	}
	if !strings.Contains(got.Source, "We open at nine.") || got.Find("form").Length() != 0 {
		t.Error("the decided card lost what was decided, or still asks")
	}
}

func TestApprovals_secondAnswerIsToldOfTheFirst(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	if got := b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "deny")); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != portaltest.ApprovalPath(a) {
		t.Fatalf("first answer: %d to %s", got.StatusCode, got.Header.Get("Location"))
	}
	for name, send := range map[string]func(string, url.Values) portaltest.Answer{"htmx": b.Partial, "plain form": b.Post} {
		got := send(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "allow_once"))
		if got.StatusCode != http.StatusConflict || !strings.Contains(got.Source, of.Email+" already denied this at") {
			t.Errorf("%s: %d, %s", name, got.StatusCode, got.Find("main, article").Text())
		}
	}
}

func TestApprovals_decidedPageSaysWhoWhenAndWhere(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	a := p.Propose(t, func(a *wire.Approval) { a.Guardian = &wire.Judgement{Verdict: "allow", Reason: "It fits."} })
	b := h.Owner(t, of)
	b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "allow_once"))
	page := b.Get(portaltest.ApprovalPath(a))
	text := strings.Join(strings.Fields(page.Find("main").Text()), " ")
	for _, want := range []string{"Allowed once", of.Email, "in the portal", "127.0.0.1", "Sign-in and a device that may approve", "Waiting for the server", "We open at nine.", "You asked for it. See the message", "Found nothing wrong: It fits."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	if got := b.Get("/app/approvals/history").Find("#decided-" + a.ID).Text(); !strings.Contains(got, a.Summary) || strings.Contains(got, "message") {
		t.Errorf("the history says %q", got)
	}
	p.Away(t)
	if got := b.Get(portaltest.ApprovalPath(a)); got.StatusCode != http.StatusOK || strings.Contains(got.Source, "We open at nine.") {
		t.Errorf("with the server away: %d, contents shown: %v", got.StatusCode, strings.Contains(got.Source, "We open at nine."))
	}
	got := b.Get("/app/approvals/history").Find("#decided-" + a.ID).Text()
	if !strings.Contains(got, "Allowed") || !strings.Contains(got, "Waiting for the server") {
		t.Errorf("the history says %q", got)
	}
}

// TestApprovals_decidedPageShowsWhatWasChanged: what ran stands beside what was proposed.
func TestApprovals_decidedPageShowsWhatWasChanged(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	a := p.Propose(t)
	b := h.Owner(t, of)
	b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "allow_once"))
	if n := b.Get(portaltest.ApprovalPath(a)).Find(".compared").Length(); n != 0 {
		t.Errorf("%d comparisons of what nobody changed", n)
	}
	p.Lock()
	a.Edited = json.RawMessage(`{"cc":"boss@example.com","text":"We open at half past nine.","to":"someone@example.com"}`)
	p.Asked[a.ID] = a
	p.Unlock()
	page := b.Get(portaltest.ApprovalPath(a))
	got := page.Find(".compared[data-changed]")
	if n := page.Find(".compared").Length(); n != 4 || got.Length() != 3 {
		t.Errorf("%d arguments, %d changed, want 4 and 3: %s", n, got.Length(), page.Find("#approval-record").Text())
	}
	for _, want := range []string{"We open at nine.", "We open at half past nine.", "boss@example.com", "Opening hours"} {
		if !strings.Contains(got.Text(), want) {
			t.Errorf("the page lacks %q: %s", want, got.Text())
		}
	}
	portaltest.WantSound(t, portaltest.ApprovalPath(a), page.Document)
}

// TestApprovals_openPageTellsOfTheDecision: the record of the decision comes to the page by itself, as the card does.
func TestApprovals_openPageTellsOfTheDecision(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	s := b.Open(b.Get(portaltest.ApprovalPath(a)).Live(), "")
	s.Until("badge-approvals")
	b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "allow_once"))
	if got := portaltest.Part(s.Until("Allowed once"), "#approval-record").Text(); !strings.Contains(got, of.Email) || !strings.Contains(got, "Waiting for the server") {
		t.Errorf("the record on the page: %q", got)
	}
}

// TestApprovals_openPageIsNotDrawnAnew: the stream that a page opens sends the card only when it is another than the page
// shows, so that what the page says beside a button stays.
func TestApprovals_openPageIsNotDrawnAnew(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	a := p.Propose(t)
	b := h.Owner(t, of)
	address := b.Get(portaltest.ApprovalPath(a)).Live()
	s := b.Open(address, "")
	got := s.Until("badge-approvals")
	at := got[len(got)-1].ID
	if portaltest.FindCard(got, a.ID) != "" {
		t.Error("the page is sent what it shows")
	}
	s.Cancel()
	b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "allow_once"))
	for how, from := range map[string]string{"goes on": at, "begins anew": ""} {
		if card := portaltest.FindCard(b.Open(address, from).Until("Allowed once"), a.ID); strings.Contains(card, "<form") {
			t.Errorf("%s: a decided card still asks: %s", how, card)
		}
	}
	portaltest.Must(t, h.Approvals.Update(t.Context(), approval.Sender{ID: of.Server, CustomerID: of.ID},
		wire.ApprovalUpdate{ID: a.ID, State: wire.ApprovalPending, Again: &a, Note: "the key is not enrolled"}))
	for how, from := range map[string]string{"goes on": at, "went on from the answer": "decided", "begins anew": ""} {
		if card := portaltest.FindCard(b.Open(address, from).Until("approval-"+a.ID), a.ID); !strings.Contains(card, "<form") {
			t.Errorf("%s: a card that asks again shows %s", how, card)
		}
	}
}

func TestApprovals_formNeedsTheField(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	form := portaltest.AnswerTo(a, "allow_once")
	form.Set("csrf", "from another site")
	if got := h.Owner(t, of).Partial(portaltest.ApprovalPath(a), form); got.StatusCode != http.StatusForbidden {
		t.Errorf("got %d", got.StatusCode)
	}
}

func TestApprovals_appearAndChangeOnOpenPages(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	list := b.Open(b.Get("/app/approvals").Find("#live").AttrOr("hx-sse:connect", ""), "")
	home := b.Open(b.Get("/app").Find("#live").AttrOr("hx-sse:connect", ""), "")
	list.Until("badge-approvals")
	home.Until("home")
	a := p.Propose(t)
	got := list.Until("approval-" + a.ID)
	if portaltest.Part(got, "#approvals:not(:has(#approval-"+a.ID+"))").Find("form.decision").Length() != 1 {
		t.Error("the list gets no card that can be answered")
	}
	home.Until("E-mail someone@example.com: Opening hours")
	b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "deny"))
	got = list.Until("Denied")
	if portaltest.Part(got, "#approval-"+a.ID).Find("form").Length() != 0 {
		t.Error("the decided card on the page still asks")
	}
	home.Until("All done")
}

func TestApprovals_listStreamSendsNothingThatThePageShows(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	known := p.Propose(t)
	b := h.Owner(t, of)
	s := b.Open(b.Get("/app/approvals").Find("#live").AttrOr("hx-sse:connect", ""), "")
	if got := s.Until("badge-approvals"); strings.Contains(got[len(got)-1].Data, known.ID) {
		t.Error("the page is sent what it shows")
	}
	fresh := p.Propose(t)
	mark := s.Until("approval-" + fresh.ID)
	s.Cancel()
	missed := p.Propose(t)
	again := b.Open("/app/stream?on=approvals", mark[len(mark)-1].ID)
	again.Until("approval-" + missed.ID)
}

// TestApprovals_takenBackWhileTheListWasAway: a card that waits again says why, though it is the same approval.
func TestApprovals_takenBackWhileTheListWasAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	a := p.Propose(t)
	b := h.Owner(t, of)
	b.Get("/app") // from now on the agents have their names, and cards look as they will later
	page := b.Get("/app/approvals")
	s := b.Open(page.Live(), "")
	seen := s.Until("badge-approvals")
	s.Cancel()
	b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "allow_once"))
	const why = "the key is not enrolled"
	portaltest.Must(t, h.Approvals.Update(t.Context(), approval.Sender{ID: of.Server, CustomerID: of.ID},
		wire.ApprovalUpdate{ID: a.ID, State: wire.ApprovalPending, Again: &a, Note: why}))
	said := strings.ToUpper(why[:1]) + why[1:]
	for how, s := range map[string]*portaltest.Stream{"goes on": b.Open("/app/stream?on=approvals", seen[len(seen)-1].ID), "begins anew": b.Open(page.Live(), "")} {
		if card := portaltest.FindCard(s.Until(said), a.ID); !strings.Contains(card, "<form") {
			t.Errorf("%s: the card does not ask: %s", how, card)
		}
	}
	if card := b.Get("/app/approvals").Find("#approval-" + a.ID); !strings.Contains(card.Text(), said) {
		t.Errorf("a page made anew does not say why: %s", card.Text())
	}
}

// TestInbox_searchIsForStaff: nothing of the customer's own inbox hangs on q.
func TestInbox_searchIsForStaff(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	page := h.Owner(t, of).Get("/app/approvals?q=nobody")
	if page.Find("#approval-"+a.ID).Length() != 1 || page.Find("input[name=q]").Length() != 0 {
		t.Errorf("the owner sees %s", page.Find("main").Text())
	}
}
