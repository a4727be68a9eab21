package portal_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/relay"
)

// ask is an approval as the server sends it, kept at the hub; open pages are told.
func (p *peer) ask(t testing.TB, change ...func(*wire.Approval)) wire.Approval {
	t.Helper()
	a := wire.Approval{
		ID: newID(), Code: "K7Q2MX", ServerID: string(p.of.server), SessionID: newID(), RootRunID: newID(), RunID: newID(), CallID: newID(),
		Agent: "secretary", Tool: "message", Action: "mail.message.send", Tier: "yellow_external", PolicyVersion: 1, StagedHash: "-",
		Args:    json.RawMessage(`{"subject":"Opening hours","text":"We open at nine.\nSee you","to":"someone@example.com"}`),
		Summary: "E-mail someone@example.com: Opening hours", Reason: "You asked for it.", WhyAsked: "it reaches someone outside the business",
		Facts:   []wire.Fact{{Name: "recipients", Value: 1, Text: "1 recipient: someone@example.com"}},
		Windows: []int{15, 60}, State: wire.ApprovalPending, Execution: wire.ExecNone,
		CreatedAt: time.Now().UTC(), ExpiresAt: time.Now().UTC().Add(24 * time.Hour).Truncate(time.Second),
	}
	for _, f := range change {
		f(&a)
	}
	args, err := canonical.JSON(a.Args)
	must(t, err)
	if a.ArgsHash == "" {
		a.ArgsHash = canonical.Sum(args)
	}
	a.Digest = wire.DigestOf(a)
	must(t, p.hub.approvals.Receive(t.Context(), approval.Sender{ID: p.of.server, CustomerID: p.of.id}, a))
	p.mu.Lock()
	p.asked[a.ID] = a
	p.mu.Unlock()
	must(t, p.hub.relay.Notify(relay.Notice{Kind: relay.KindApproval, CustomerID: string(p.of.id), ID: a.ID}))
	return a
}

func answerTo(a wire.Approval, verb string) url.Values {
	return url.Values{"decision": {verb}, "digest": {a.Digest}, "signature": {signature()}}
}

func path(a wire.Approval) string { return "/app/approvals/" + a.ID }

func TestApprovals_cardShowsTheAct(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	a := h.link(t, of).ask(t)
	card := h.owner(t, of).get("/app/approvals").Find("#approval-" + a.ID)
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
	if form.AttrOr("method", "") != "post" || form.AttrOr("action", "") != path(a) {
		t.Error("the form does not work without a script")
	}
}

func TestApprovals_soonestFirstAndFiltered(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	late := p.ask(t)
	soon := p.ask(t, func(a *wire.Approval) {
		a.ExpiresAt, a.Agent, a.Tool, a.Tier = a.ExpiresAt.Add(-time.Hour), "it-admin", "file_delete", "red"
		a.Args = json.RawMessage(`{"path":"tmp"}`)
	})
	b := h.owner(t, of)
	page := b.get("/app/approvals")
	if got := page.Find("article").First().AttrOr("id", ""); got != "approval-"+soon.ID {
		t.Errorf("first stands %s, want the one that ends soonest", got)
	}
	if got := b.get("/app/approvals?tier=yellow_external").Find("article"); got.Length() != 1 || got.AttrOr("id", "") != "approval-"+late.ID {
		t.Errorf("filtered by risk: %d cards", got.Length())
	}
	if got := b.get("/app/approvals?agent=it-admin").Find("article"); got.Length() != 1 || got.AttrOr("id", "") != "approval-"+soon.ID {
		t.Errorf("filtered by agent: %d cards", got.Length())
	}
	if got := b.get("/app/approvals?agent=dispatcher").Find(".empty").Text(); !strings.Contains(got, "fits this filter") {
		t.Errorf("an empty filter says %q", got)
	}
}

func TestApprovals_decide(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	b := h.owner(t, of)
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
		{"another digest", url.Values{"decision": {"allow_once"}, "digest": {strings.Repeat("0", 64)}}, 409, wire.ApprovalPending, "not the one that you were shown"},
		{"no digest", url.Values{"decision": {"allow_once"}, "digest": {""}}, 422, wire.ApprovalPending, ""},
		{"no signature", url.Values{"decision": {"allow_once"}, "signature": {""}}, 403, wire.ApprovalPending, "needs the signature"},
		{"no JSON", url.Values{"decision": {"allow_once"}, "signature": {"{"}}, 400, wire.ApprovalPending, "could not be read"},
		{"half a signature", url.Values{"decision": {"allow_once"}, "signature": {"{}"}}, 422, wire.ApprovalPending, "base64url"},
		{"a stranger's key", url.Values{"decision": {"allow_once"}, "signature": {signatureOf(stranger(), time.Now())}}, 403, wire.ApprovalPending, "not enrolled"},
		{"signed long ago", url.Values{"decision": {"allow_once"}, "signature": {signatureOf(signer(), time.Now().Add(-6*time.Minute))}}, 403, wire.ApprovalPending, "5 minutes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := p.ask(t)
			if !c.form.Has("digest") {
				c.form.Set("digest", a.Digest)
			}
			if !c.form.Has("signature") {
				c.form.Set("signature", signature())
			}
			got := b.partial(path(a), c.form)
			if got.StatusCode != c.status || !strings.Contains(got.text, c.words) {
				t.Errorf("got %d, %s", got.StatusCode, got.Find(".outcome, .checks, p").Text())
			}
			it, err := h.approvals.Get(t.Context(), of.id, a.ID)
			must(t, err)
			if it.State != c.state {
				t.Errorf("state %s, want %s", it.State, c.state)
			}
		})
	}
}

func TestApprovals_answerTakesTheFocusAndKeepsTheContents(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	a := h.link(t, of).ask(t)
	got := h.owner(t, of).partial(path(a), answerTo(a, "deny"))
	if got.Find(".outcome-line[autofocus][tabindex='-1']").Length() != 1 {
		t.Error("the outcome does not take the focus")
	}
	if !strings.Contains(got.text, "We open at nine.") || got.Find("form").Length() != 0 {
		t.Error("the decided card lost what was decided, or still asks")
	}
}

func TestApprovals_secondAnswerIsToldOfTheFirst(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	a := h.link(t, of).ask(t)
	b := h.owner(t, of)
	if got := b.post(path(a), answerTo(a, "deny")); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != path(a) {
		t.Fatalf("first answer: %d to %s", got.StatusCode, got.Header.Get("Location"))
	}
	for name, send := range map[string]func(string, url.Values) answer{"htmx": b.partial, "plain form": b.post} {
		got := send(path(a), answerTo(a, "allow_once"))
		if got.StatusCode != http.StatusConflict || !strings.Contains(got.text, of.email+" already denied this at") {
			t.Errorf("%s: %d, %s", name, got.StatusCode, got.Find("main, article").Text())
		}
	}
}

func TestApprovals_decidedPageSaysWhoWhenAndWhere(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	a := p.ask(t, func(a *wire.Approval) { a.Guardian = &wire.Judgement{Verdict: "allow", Reason: "It fits."} })
	b := h.owner(t, of)
	b.post(path(a), answerTo(a, "allow_once"))
	page := b.get(path(a))
	text := strings.Join(strings.Fields(page.Find("main").Text()), " ")
	for _, want := range []string{"Allowed once", of.email, "in the portal", "127.0.0.1", "Sign-in and an approver key", "Waits for the server", "We open at nine.", "You asked for it. See the message", "Sees nothing wrong: It fits."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	p.away(t)
	if got := b.get(path(a)); got.StatusCode != http.StatusOK || strings.Contains(got.text, "We open at nine.") {
		t.Errorf("with the server away: %d, contents shown: %v", got.StatusCode, strings.Contains(got.text, "We open at nine."))
	}
	if got := b.get("/app/approvals/history").Find("#decided-" + a.ID).Text(); !strings.Contains(got, "Allowed") || !strings.Contains(got, "Waits for the server") {
		t.Errorf("the history says %q", got)
	}
}

// TestApprovals_decidedPageShowsWhatWasChanged: what ran stands beside what was proposed.
func TestApprovals_decidedPageShowsWhatWasChanged(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	a := p.ask(t)
	b := h.owner(t, of)
	b.post(path(a), answerTo(a, "allow_once"))
	if n := b.get(path(a)).Find(".compared").Length(); n != 0 {
		t.Errorf("%d comparisons of what nobody changed", n)
	}
	p.mu.Lock()
	a.Edited = json.RawMessage(`{"cc":"boss@example.com","text":"We open at half past nine.","to":"someone@example.com"}`)
	p.asked[a.ID] = a
	p.mu.Unlock()
	page := b.get(path(a))
	got := page.Find(".compared[data-changed]")
	if n := page.Find(".compared").Length(); n != 4 || got.Length() != 3 {
		t.Errorf("%d arguments, %d changed, want 4 and 3: %s", n, got.Length(), page.Find("#approval-record").Text())
	}
	for _, want := range []string{"We open at nine.", "We open at half past nine.", "boss@example.com", "Opening hours"} {
		if !strings.Contains(got.Text(), want) {
			t.Errorf("the page lacks %q: %s", want, got.Text())
		}
	}
	wantSound(t, path(a), page.Document)
}

// TestApprovals_openPageTellsOfTheDecision: the record of the decision comes to the page by itself, as the card does.
func TestApprovals_openPageTellsOfTheDecision(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	a := h.link(t, of).ask(t)
	b := h.owner(t, of)
	s := b.open(b.get(path(a)).live(), "")
	s.until("badge-approvals")
	b.post(path(a), answerTo(a, "allow_once"))
	if got := part(s.until("Allowed once"), "#approval-record").Text(); !strings.Contains(got, of.email) || !strings.Contains(got, "Waits for the server") {
		t.Errorf("the record on the page: %q", got)
	}
}

// TestApprovals_openPageIsNotDrawnAnew: the stream that a page opens sends the card only when it is another than the page
// shows, so that what the page says beside a button stays.
func TestApprovals_openPageIsNotDrawnAnew(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	a := p.ask(t)
	b := h.owner(t, of)
	address := b.get(path(a)).live()
	s := b.open(address, "")
	got := s.until("badge-approvals")
	at := got[len(got)-1].id
	if find(got, a.ID) != "" {
		t.Error("the page is sent what it shows")
	}
	s.cancel()
	b.post(path(a), answerTo(a, "allow_once"))
	for how, from := range map[string]string{"goes on": at, "begins anew": ""} {
		if card := find(b.open(address, from).until("Allowed once"), a.ID); strings.Contains(card, "<form") {
			t.Errorf("%s: a decided card still asks: %s", how, card)
		}
	}
	must(t, h.approvals.Update(t.Context(), approval.Sender{ID: of.server, CustomerID: of.id},
		wire.ApprovalUpdate{ID: a.ID, State: wire.ApprovalPending, Again: &a, Note: "the key is not enrolled"}))
	for how, from := range map[string]string{"goes on": at, "went on from the answer": "decided", "begins anew": ""} {
		if card := find(b.open(address, from).until("approval-"+a.ID), a.ID); !strings.Contains(card, "<form") {
			t.Errorf("%s: a card that asks again shows %s", how, card)
		}
	}
}

func TestApprovals_formNeedsTheField(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	a := h.link(t, of).ask(t)
	form := answerTo(a, "allow_once")
	form.Set("csrf", "from another site")
	if got := h.owner(t, of).partial(path(a), form); got.StatusCode != http.StatusForbidden {
		t.Errorf("got %d", got.StatusCode)
	}
}

func TestApprovals_appearAndChangeOnOpenPages(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	b := h.owner(t, of)
	list := b.open(b.get("/app/approvals").Find("#live").AttrOr("hx-sse:connect", ""), "")
	home := b.open(b.get("/app").Find("#live").AttrOr("hx-sse:connect", ""), "")
	list.until("badge-approvals")
	home.until("home")
	a := p.ask(t)
	got := list.until("approval-" + a.ID)
	if part(got, "#approvals:not(:has(#approval-"+a.ID+"))").Find("form.decision").Length() != 1 {
		t.Error("the list gets no card that can be answered")
	}
	home.until("E-mail someone@example.com: Opening hours")
	b.post(path(a), answerTo(a, "deny"))
	got = list.until("Denied")
	if part(got, "#approval-"+a.ID).Find("form").Length() != 0 {
		t.Error("the decided card on the page still asks")
	}
	home.until("All quiet")
}

func TestApprovals_listStreamSendsNothingThatThePageShows(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	known := p.ask(t)
	b := h.owner(t, of)
	s := b.open(b.get("/app/approvals").Find("#live").AttrOr("hx-sse:connect", ""), "")
	if got := s.until("badge-approvals"); strings.Contains(got[len(got)-1].data, known.ID) {
		t.Error("the page is sent what it shows")
	}
	fresh := p.ask(t)
	mark := s.until("approval-" + fresh.ID)
	s.cancel()
	missed := p.ask(t)
	again := b.open("/app/stream?on=approvals", mark[len(mark)-1].id)
	again.until("approval-" + missed.ID)
}
