package chat_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/web/portal/portaltest"
)

// ask is a conversation in which the team waits for an answer.
type question struct {
	run, session string
	a            wire.Approval
}

func ask(p *portaltest.Peer, t testing.TB) question {
	t.Helper()
	q := question{run: portaltest.NewID(), session: portaltest.NewID()}
	p.Begin(q.run, q.session, "Write to the customer")
	q.a = askAgain(p, t, q)
	return q
}

// askAgain is one more question of the same run.
func askAgain(p *portaltest.Peer, t testing.TB, q question) wire.Approval {
	t.Helper()
	a := p.Propose(t, func(a *wire.Approval) { a.RunID, a.RootRunID, a.SessionID = q.run, q.run, q.session })
	p.Emit(t, q.run, q.session, wire.EventApproval, false, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
	p.Lock()
	p.Sessions[0].Turns[0].Last = int64(len(p.Events[q.run]))
	p.Unlock()
	return a
}

// wantCard waits until a card is pushed that says so, and says whether it asks.
func wantCard(t *testing.T, s *portaltest.Stream, a wire.Approval, says string, asks bool) string {
	t.Helper()
	got := portaltest.Part(s.Until(says), "#approval-"+a.ID)
	if n := got.Find("form").Length(); got.Length() != 1 || (n > 0) != asks {
		t.Errorf("pushed %d cards with %d forms: %s", got.Length(), n, got.Text())
	}
	return got.Text()
}

// TestChat_decidedWhileThePageWasAway: a card whose answer came from elsewhere asks no more when the stream is back, also
// if the server has not heard of the answer yet.
func TestChat_decidedWhileThePageWasAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	q := ask(p, t)
	b := h.Owner(t, of)
	address := b.Get("/app/chat/" + q.session).Live()
	s := b.Open(address, "")
	second := askAgain(p, t, q)
	seen := s.Until("approval-" + second.ID)
	s.Cancel()
	b.Post(portaltest.ApprovalPath(q.a), portaltest.AnswerTo(q.a, "deny"))
	b.Post(portaltest.ApprovalPath(second), portaltest.AnswerTo(second, "allow_once"))
	for how, from := range map[string]string{"goes on": seen[len(seen)-1].ID, "begins anew": ""} {
		got := b.Open(address, from).Until("Waiting for the server")
		for id, says := range map[string]string{q.a.ID: "Denied", second.ID: "Allowed once"} {
			if card := portaltest.FindCard(got, id); !strings.Contains(card, says) || !strings.Contains(card, "We open at nine.") || strings.Contains(card, "<form") {
				t.Errorf("%s: want %q of %s: %s", how, says, id, card)
			}
		}
	}
}

// TestChat_decidedWhileTheServerIsAway: the hub knows the answer, and only it can be asked.
func TestChat_decidedWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	q := ask(p, t)
	b := h.Owner(t, of)
	address := b.Get("/app/chat/" + q.session).Live()
	p.Away(t)
	b.Post(portaltest.ApprovalPath(q.a), portaltest.AnswerTo(q.a, "deny"))
	s := b.Open(address, "")
	got := s.Until("Denied")
	if card := portaltest.FindCard(got, q.a.ID); strings.Contains(card, "<form") || strings.Contains(card, "We open at nine.") {
		t.Errorf("the page is sent %s", card)
	}
	if at := got[len(got)-1].ID; !strings.HasSuffix(at, q.run+"_1") {
		t.Errorf("a page that has been sent nothing of its run would go on at %s", at)
	}
	p.Back(t)
	wantCard(t, s, q.a, "We open at nine.", false)
}

// TestChat_takenBackWhileThePageWasAway: an answer that the server did not accept was none, and the card asks again.
func TestChat_takenBackWhileThePageWasAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	q := ask(p, t)
	b := h.Owner(t, of)
	b.Post(portaltest.ApprovalPath(q.a), portaltest.AnswerTo(q.a, "allow_once"))
	page := b.Get("/app/chat/" + q.session)
	if text := page.Find("#approval-" + q.a.ID).Text(); !strings.Contains(text, "Allowed once") {
		t.Fatalf("the page shows %s", text)
	}
	portaltest.Must(t, h.Approvals.Update(t.Context(), approval.Sender{ID: of.Server, CustomerID: of.ID},
		wire.ApprovalUpdate{ID: q.a.ID, State: wire.ApprovalPending, Again: &q.a, Note: "the key is not enrolled"}))
	wantCard(t, b.Open(page.Live(), ""), q.a, "approval-"+q.a.ID, true)
}

// TestChat_decidedShowsOnAPageFromTheRecord: the same where the server gives no events of a run that is open.
func TestChat_decidedShowsOnAPageFromTheRecord(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	q := ask(p, t)
	b := h.Owner(t, of)
	b.Post(portaltest.ApprovalPath(q.a), portaltest.AnswerTo(q.a, "deny"))
	p.Lock()
	delete(p.Events, q.run)
	p.Sessions[0].Turns[0].Run.Calls = []wire.CallInfo{{ID: q.a.CallID, RunID: q.run, Agent: q.a.Agent, Tool: q.a.Tool, State: wire.ToolAsked, ApprovalID: q.a.ID}}
	p.Sessions[0].Turns[0].Run.Asked = []*wire.Approval{&q.a}
	p.Unlock()
	card := b.Get("/app/chat/" + q.session).Find("#approval-" + q.a.ID)
	if card.Length() != 1 || card.Find("form").Length() != 0 || !strings.Contains(card.Text(), "Denied") {
		t.Errorf("%d cards on the page, with %d forms: %s", card.Length(), card.Find("form").Length(), card.Text())
	}
}
