package portal_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
)

// question is a conversation in which the team waits for an answer.
type question struct {
	run, session string
	a            wire.Approval
}

func (p *peer) question(t testing.TB) question {
	t.Helper()
	q := question{run: newID(), session: newID()}
	p.begin(q.run, q.session, "Write to the customer")
	q.a = p.asks(t, q)
	return q
}

// asks is one more question of the same run.
func (p *peer) asks(t testing.TB, q question) wire.Approval {
	t.Helper()
	a := p.ask(t, func(a *wire.Approval) { a.RunID, a.RootRunID, a.SessionID = q.run, q.run, q.session })
	p.emit(t, q.run, q.session, wire.EventApproval, false, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
	p.mu.Lock()
	p.sessions[0].Turns[0].Last = int64(len(p.events[q.run]))
	p.mu.Unlock()
	return a
}

// live is the address of a page's stream.
func (a answer) live() string { return a.Find("#live").AttrOr("hx-sse:connect", "") }

// wantCard waits until a card is pushed that says so, and says whether it asks.
func wantCard(t *testing.T, s *stream, a wire.Approval, says string, asks bool) string {
	t.Helper()
	got := part(s.until(says), "#approval-"+a.ID)
	if n := got.Find("form").Length(); got.Length() != 1 || (n > 0) != asks {
		t.Errorf("pushed %d cards with %d forms: %s", got.Length(), n, got.Text())
	}
	return got.Text()
}

// TestChat_decidedWhileThePageWasAway: a card whose answer came from elsewhere asks no more when the stream is back, also
// if the server has not heard of the answer yet.
func TestChat_decidedWhileThePageWasAway(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	q := p.question(t)
	b := h.owner(t, of)
	address := b.get("/app/chat/" + q.session).live()
	s := b.open(address, "")
	second := p.asks(t, q)
	seen := s.until("approval-" + second.ID)
	s.cancel()
	b.post(path(q.a), answerTo(q.a, "deny"))
	b.post(path(second), answerTo(second, "allow_once"))
	for how, from := range map[string]string{"goes on": seen[len(seen)-1].id, "begins anew": ""} {
		got := b.open(address, from).until("Waits for the server")
		for id, says := range map[string]string{q.a.ID: "Denied", second.ID: "Allowed once"} {
			if card := find(got, id); !strings.Contains(card, says) || !strings.Contains(card, "We open at nine.") || strings.Contains(card, "<form") {
				t.Errorf("%s: want %q of %s: %s", how, says, id, card)
			}
		}
	}
}

// find is the last pushed markup of a card.
func find(got []message, id string) string {
	card := ""
	for _, m := range got {
		if _, from, ok := strings.Cut(m.data, `id="approval-`+id+`"`); ok {
			card, _, _ = strings.Cut(from, "</article>")
		}
	}
	return card
}

// TestChat_decidedWhileTheServerIsAway: the hub knows the answer, and only it can be asked.
func TestChat_decidedWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	q := p.question(t)
	b := h.owner(t, of)
	address := b.get("/app/chat/" + q.session).live()
	p.away(t)
	b.post(path(q.a), answerTo(q.a, "deny"))
	s := b.open(address, "")
	got := s.until("Denied")
	if card := find(got, q.a.ID); strings.Contains(card, "<form") || strings.Contains(card, "We open at nine.") {
		t.Errorf("the page is sent %s", card)
	}
	if at := got[len(got)-1].id; !strings.HasSuffix(at, q.run+"_1") {
		t.Errorf("a page that has been sent nothing of its run would go on at %s", at)
	}
	p.back(t)
	wantCard(t, s, q.a, "We open at nine.", false)
}

// TestChat_takenBackWhileThePageWasAway: an answer that the server did not accept was none, and the card asks again.
func TestChat_takenBackWhileThePageWasAway(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	q := p.question(t)
	b := h.owner(t, of)
	b.post(path(q.a), answerTo(q.a, "allow_once"))
	page := b.get("/app/chat/" + q.session)
	if text := page.Find("#approval-" + q.a.ID).Text(); !strings.Contains(text, "Allowed once") {
		t.Fatalf("the page shows %s", text)
	}
	must(t, h.approvals.Update(t.Context(), approval.Sender{ID: of.server, CustomerID: of.id},
		wire.ApprovalUpdate{ID: q.a.ID, State: wire.ApprovalPending, Again: &q.a, Note: "the key is not enrolled"}))
	wantCard(t, b.open(page.live(), ""), q.a, "approval-"+q.a.ID, true)
}

// TestChat_decidedShowsOnAPageFromTheRecord: the same where the server gives no events of a run that is open.
func TestChat_decidedShowsOnAPageFromTheRecord(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	q := p.question(t)
	b := h.owner(t, of)
	b.post(path(q.a), answerTo(q.a, "deny"))
	p.mu.Lock()
	delete(p.events, q.run)
	p.sessions[0].Turns[0].Run.Calls = []wire.CallInfo{{ID: q.a.CallID, RunID: q.run, Agent: q.a.Agent, Tool: q.a.Tool, State: wire.ToolAsked, ApprovalID: q.a.ID}}
	p.sessions[0].Turns[0].Run.Asked = []*wire.Approval{&q.a}
	p.mu.Unlock()
	card := b.get("/app/chat/" + q.session).Find("#approval-" + q.a.ID)
	if card.Length() != 1 || card.Find("form").Length() != 0 || !strings.Contains(card.Text(), "Denied") {
		t.Errorf("%d cards on the page, with %d forms: %s", card.Length(), card.Find("form").Length(), card.Text())
	}
}

// TestApprovals_takenBackWhileTheListWasAway: a card that waits again says why, though it is the same approval.
func TestApprovals_takenBackWhileTheListWasAway(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	a := p.ask(t)
	b := h.owner(t, of)
	b.get("/app") // from now on the agents have their names, and cards look as they will later
	page := b.get("/app/approvals")
	s := b.open(page.live(), "")
	seen := s.until("badge-approvals")
	s.cancel()
	b.post(path(a), answerTo(a, "allow_once"))
	const why = "the key is not enrolled"
	must(t, h.approvals.Update(t.Context(), approval.Sender{ID: of.server, CustomerID: of.id},
		wire.ApprovalUpdate{ID: a.ID, State: wire.ApprovalPending, Again: &a, Note: why}))
	said := strings.ToUpper(why[:1]) + why[1:]
	for how, s := range map[string]*stream{"goes on": b.open("/app/stream?on=approvals", seen[len(seen)-1].id), "begins anew": b.open(page.live(), "")} {
		if card := find(s.until(said), a.ID); !strings.Contains(card, "<form") {
			t.Errorf("%s: the card does not ask: %s", how, card)
		}
	}
	if card := b.get("/app/approvals").Find("#approval-" + a.ID); !strings.Contains(card.Text(), said) {
		t.Errorf("a page made anew does not say why: %s", card.Text())
	}
}
