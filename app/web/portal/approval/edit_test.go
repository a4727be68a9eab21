package approval_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/relay"
	"gatehouse/app/web/portal/portaltest"
)

func TestEdit_aFieldForEachArgument(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t, func(a *wire.Approval) {
		a.Tool, a.Args = "shell", json.RawMessage(`{"command":"ls","deep":true,"limit":9007199254740991,"paths":["a","b"]}`)
	})
	form := h.Owner(t, of).Get(portaltest.ApprovalPath(a) + "/edit").Find("form#edit")
	for _, sel := range []string{"input[name='args.command'][value=ls]", "select[name='args.deep']", "input[name='args.limit'][value='9007199254740991']", "textarea[name='args.paths']", "button[value=edit]"} {
		if form.Find(sel).Length() != 1 {
			t.Errorf("the form lacks %s", sel)
		}
	}
}

func TestEdit_whatIsTypedIsWhatRuns(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	form := url.Values{"digest": {a.Digest}, "decision": {"edit"}, "signature": {portaltest.Signature()}, "args.text": {"We open at <ten>.\r\nSee you"}}
	if got := b.Post(portaltest.ApprovalPath(a)+"/edit", form); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != portaltest.ApprovalPath(a) {
		t.Fatalf("got %d to %s: %s", got.StatusCode, got.Header.Get("Location"), got.Find("main").Text())
	}
	it, err := h.Approvals.Get(t.Context(), of.ID, a.ID)
	portaltest.Must(t, err)
	if it.State != wire.ApprovalAllowed || it.Verb != wire.Edit || len(it.Args) != 0 {
		t.Errorf("state %s by %s, arguments kept: %s", it.State, it.Verb, it.Args)
	}
}

func TestEdit_refusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t, func(a *wire.Approval) {
		a.Tool, a.Args = "shell", json.RawMessage(`{"command":"ls","deep":true,"limit":3,"paths":["a"]}`)
	})
	b := h.Owner(t, of)
	for _, c := range []struct {
		name string
		form url.Values
		want string
	}{
		{"nothing is changed", url.Values{}, "You have not changed anything yet"},
		{"no number", url.Values{"args.limit": {"many"}}, "Write a number."},
		{"a second value behind the number", url.Values{"args.limit": {`3,"x":1`}}, "Write a number."},
		{"neither yes nor no", url.Values{"args.deep": {"maybe"}}, "Choose yes or no."},
		{"no JSON", url.Values{"args.paths": {`["a"`}}, "Write valid JSON."},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.form.Set("digest", a.Digest)
			c.form.Set("decision", "edit")
			got := b.Post(portaltest.ApprovalPath(a)+"/edit", c.form)
			if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Find("#edit-problems").Text(), c.want) {
				t.Errorf("got %d: %s", got.StatusCode, got.Find("#edit-problems").Text())
			}
			for name := range c.form {
				field := got.Find("[name='" + name + "']")
				if kept := field.AttrOr("value", field.Text()); strings.HasPrefix(name, "args.") && field.Is("input, textarea") && kept != c.form.Get(name) {
					t.Errorf("what was typed into %s is lost: %q", name, kept)
				}
			}
		})
	}
}

// TestEdit_never: a change that no answer can allow is not sent: the button is off as soon as the preview says so, and whoever
// sends it anyway finds what they typed, and the request as it was.
func TestEdit_never(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t, func(a *wire.Approval) { a.Tool, a.Args = "shell", json.RawMessage(`{"command":"ls"}`) })
	b := h.Owner(t, of)
	form := url.Values{"digest": {a.Digest}, "args.command": {"rm -rf /"}}
	off := func(p portaltest.Answer) bool {
		_, is := p.Find("button[value=edit]").Attr("disabled")
		return is
	}
	if got := b.Partial(portaltest.ApprovalPath(a)+"/edit", form); !off(got) || !strings.Contains(got.Source, "never") {
		t.Errorf("the preview leaves the button on: %s", got.Source)
	}
	form.Set("args.command", "df -h")
	if got := b.Partial(portaltest.ApprovalPath(a)+"/edit", form); off(got) {
		t.Error("the button stays off when the change may run")
	}
	form.Set("args.command", "rm -rf /")
	form.Set("decision", "edit")
	form.Set("signature", portaltest.Signature())
	got := b.Post(portaltest.ApprovalPath(a)+"/edit", form)
	if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Find("#edit-problems").Text(), "nothing was decided") {
		t.Errorf("got %d: %s", got.StatusCode, got.Find("#edit-problems").Text())
	}
	if kept := got.Find("[name='args.command']"); kept.AttrOr("value", kept.Text()) != "rm -rf /" {
		t.Errorf("what was typed is lost: %s", kept.Text())
	}
	if it, err := h.Approvals.Get(t.Context(), of.ID, a.ID); err != nil || it.State != wire.ApprovalPending {
		t.Errorf("it was decided: %s, %v", it.State, err)
	}
}

func TestEdit_comparison(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	got := b.Partial(portaltest.ApprovalPath(a)+"/edit", url.Values{"digest": {a.Digest}, "args.to": {"else@example.com"}, "args.text": {"We open at ten.\r\nSee you"}})
	text := got.Find("#comparison").Text()
	for _, want := range []string{"2 changes", "someone@example.com", "else@example.com", "We open at nine.", "We open at ten.", "Goes outside"} {
		if !strings.Contains(text, want) {
			t.Errorf("the comparison lacks %q: %s", want, text)
		}
	}
	if it, err := h.Approvals.Get(t.Context(), of.ID, a.ID); err != nil || it.State != wire.ApprovalPending {
		t.Errorf("comparing decided: %s, %v", it.State, err)
	}
	plain := b.Post(portaltest.ApprovalPath(a)+"/edit", url.Values{"digest": {a.Digest}, "decision": {"compare"}, "args.to": {"else@example.com"}})
	if plain.StatusCode != http.StatusOK || !strings.Contains(plain.Find("#comparison").Text(), "1 change") {
		t.Errorf("without a script: %d %s", plain.StatusCode, plain.Find("#comparison").Text())
	}
}

func TestEdit_raisedRiskIsSaid(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t, func(a *wire.Approval) {
		a.Tool, a.Tier, a.Args = "shell", "yellow", json.RawMessage(`{"command":"touch notes.txt"}`)
	})
	got := h.Owner(t, of).Partial(portaltest.ApprovalPath(a)+"/edit", url.Values{"digest": {a.Digest}, "args.command": {"rm notes.txt"}})
	if !strings.Contains(got.Source, "makes this riskier") {
		t.Errorf("the comparison says %s", got.Find("#comparison").Text())
	}
}

func TestEdit_decidedMeanwhile(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "deny"))
	if got := b.Get(portaltest.ApprovalPath(a) + "/edit"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the form is still shown: %d", got.StatusCode)
	}
	got := b.Post(portaltest.ApprovalPath(a)+"/edit", url.Values{"digest": {a.Digest}, "decision": {"edit"}, "args.to": {"x@example.com"}})
	if got.StatusCode != http.StatusConflict || !strings.Contains(got.Source, "already denied this") {
		t.Errorf("got %d", got.StatusCode)
	}
}

// TestEdit_decidedMeanwhileKeepsWhatWasTyped: the answer says who decided, and nothing that was written is lost.
func TestEdit_decidedMeanwhileKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "deny"))
	typed := url.Values{"digest": {a.Digest}, "decision": {"edit"}, "signature": {portaltest.Signature()}, "args.to": {"x@example.com"}, "args.text": {"We open at <ten>.\r\nSee you"}}
	got := b.Post(portaltest.ApprovalPath(a)+"/edit", typed)
	if over := got.Find("#edit-over").Text(); got.StatusCode != http.StatusConflict || !strings.Contains(over, of.Email+" already denied this") {
		t.Errorf("got %d, %q", got.StatusCode, over)
	}
	if text, to := got.Find("textarea[name='args.text']").Text(), got.Find("input[name='args.to']").AttrOr("value", ""); text != "We open at <ten>.\nSee you" || to != "x@example.com" {
		t.Errorf("what was typed is lost: %q to %q", text, to)
	}
	if n := got.Find("button[value=edit]").Length(); n != 0 {
		t.Error("what cannot run any more is still offered")
	}
	portaltest.WantSound(t, portaltest.ApprovalPath(a)+"/edit", got.Document)
	typed.Del("decision")
	if got := b.Partial(portaltest.ApprovalPath(a)+"/edit", typed); got.StatusCode != http.StatusConflict || !strings.Contains(got.Source, `hx-target="#edit-over"`) || !strings.Contains(got.Source, "already denied this") {
		t.Errorf("while the person types: %d, %s", got.StatusCode, got.Source)
	}
}

// TestEdit_openPageTellsOfTheDecision: whoever is still changing the arguments hears at once that it is too late, and that
// it is not when the answer was taken back.
func TestEdit_openPageTellsOfTheDecision(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	s := b.Open(b.Get(portaltest.ApprovalPath(a)+"/edit").Live(), "")
	s.Until("edit-verbs")
	b.Post(portaltest.ApprovalPath(a), portaltest.AnswerTo(a, "allow_once"))
	got := s.Until("already allowed this")
	if portaltest.Part(got, "#edit-over").Find("a").AttrOr("href", "") != portaltest.ApprovalPath(a) || portaltest.Part(got, "#edit-verbs").Find("button").Length() != 0 {
		t.Errorf("the page is told %v", got)
	}
	portaltest.Must(t, h.Approvals.Update(t.Context(), approval.Sender{ID: of.Server, CustomerID: of.ID},
		wire.ApprovalUpdate{ID: a.ID, State: wire.ApprovalPending, Again: &a, Note: "the key is not enrolled"}))
	portaltest.Must(t, h.Relay.Notify(relay.Notice{Kind: relay.KindApproval, CustomerID: string(of.ID), ID: a.ID}))
	if got := s.Until("Allow my version"); portaltest.Part(got, "#edit-over").Find(".notice").Length() != 0 {
		t.Error("the page still says that it is too late")
	}
}
