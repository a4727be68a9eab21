package approval

import (
	"net/http"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestDecisions: two clients, and two browsers, answer one question at once, and one message is posted twice under one key, or
// from a page that got no answer.
func TestDecisions(t *testing.T) {
	h, _ := e2e.Start(t)
	t.Run("raced", func(t *testing.T) { raced(t, h) })
	t.Run("again", func(t *testing.T) { again(t, h) })
	t.Run("answer lost", func(t *testing.T) { answerLost(t, h) })
	t.Run("two browsers", func(t *testing.T) { twoTabs(t, h) })
}

// raced: one answer wins, the other learns which, and what was decided happens once.
func raced(t *testing.T, h *e2e.Hub) {
	c := h.API(t)
	for range e2e.Rounds(2, 5) {
		q := c.Asked(c.Say("secretary", "Email someone@example.com that we open at nine"))
		before := len(h.Mails(t, "someone@example.com"))
		verbs := []wire.Verb{wire.AllowOnce, wire.Deny}
		answers := make([]e2e.Answer, len(verbs))
		var both sync.WaitGroup
		for i, v := range verbs {
			both.Go(func() { answers[i] = c.Decide(q.ID, v) })
		}
		both.Wait()
		won := 0
		if answers[1].Status == http.StatusOK {
			won = 1
		}
		wantLoser(c, answers[1-won], verbs[won])
		if answers[won].Status != http.StatusOK {
			t.Fatalf("nobody won: %d %s, %d %s", answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
		}
		c.End(q.RootRunID)
		started := e2e.Count(c.Receipts(q.RootRunID), "call.started", "message")
		if sent := len(h.Mails(t, "someone@example.com")) - before; sent != 1-won || started != 1-won {
			t.Errorf("%s won; %d mails, %d starts", verbs[won], sent, started)
		}
	}
}

// wantLoser fails unless an answer is a conflict that names the decision which came first.
func wantLoser(c *e2e.Client, a e2e.Answer, won wire.Verb) {
	c.T.Helper()
	var p struct {
		Decision wire.Verb          `json:"decision"`
		By       string             `json:"by"`
		Time     string             `json:"time"`
		State    wire.ApprovalState `json:"state"`
		Detail   string             `json:"detail"`
	}
	a.Into(c.T, &p)
	named := p.Decision == won && p.By == c.Hub.Demo.Customer.Email && p.Time != "" && p.Detail != ""
	if a.Status != http.StatusConflict || !named || p.State == wire.ApprovalPending {
		c.T.Errorf("the later answer got %d %s", a.Status, a.Body)
	}
}

// again: under one key a message is taken once, however often and however much at once it is posted.
func again(t *testing.T, h *e2e.Hub) {
	c := h.API(t)
	runs := make(chan string, 4)
	var all sync.WaitGroup
	for range cap(runs) {
		all.Go(func() {
			message := map[string]string{"agent": "secretary", "text": "Email twice@example.com that we close at six"}
			a, err := c.Try(t.Context(), http.MethodPost, "/chat", message, "Idempotency-Key", "one")
			var sent struct {
				RunID string `json:"run_id"`
			}
			switch {
			case err != nil:
				t.Error(err)
			case a.Status == http.StatusAccepted:
				a.Into(t, &sent)
			case a.Status != http.StatusConflict: // the first is still at work
				t.Errorf("%d %s", a.Status, a.Body)
			}
			runs <- sent.RunID
		})
	}
	all.Wait()
	run := c.Say("secretary", "Email twice@example.com that we close at six", "Idempotency-Key", "one")
	for range cap(runs) {
		if other := <-runs; other != "" && other != run {
			t.Errorf("runs %s and %s for one message", run, other)
		}
	}
	c.Allow(c.Asked(run).ID)
	c.End(run)
	if n, left := len(h.Mails(t, "twice@example.com")), len(c.Pending()); n != 1 || left != 0 {
		t.Errorf("%d mails, %d more questions", n, left)
	}
	other := map[string]string{"agent": "secretary", "text": "Something else"}
	a := c.Do(http.MethodPost, "/chat", other, "Idempotency-Key", "one")
	if a.Status != http.StatusUnprocessableEntity && a.Status != http.StatusConflict {
		t.Errorf("another message under the same key: %d %s", a.Status, a.Body)
	}
}

// loseAnswer lets the next form reach the hub, and not the answer to it the page: whoever stands between says so.
const loseAnswer = `(() => {
	const real = window.fetch
	window.fetch = async (what, how) => {
		const came = await real(what, how)
		if (how?.method !== "POST") return came
		window.fetch = real
		window.lost = true
		return new Response("", { status: 502 })
	}
	return true
})()`

// answerLost: a person sends a message again that seems not to have arrived. It is in the conversation once.
func answerLost(t *testing.T, h *e2e.Hub) {
	p := h.NewPage(t)
	p.SignIn()
	p.Open("/app/chat/agent/it-admin?new=1")
	p.Until("the stream", `document.querySelector("#live").dataset.state === "live"`)
	e2e.Eval[bool](p, loseAnswer)
	const field = `document.querySelector("#composer-text")`
	p.Write("#composer-text", "How full is the disk?\r")
	p.Until("the text, still", `window.lost && !`+field+`.readOnly && `+field+`.value === "How full is the disk?"`)
	p.Do(chromedp.SendKeys(chromedp.CSS("#composer-text"), "\r"))
	p.Until("that it was taken", field+`.value === ""`)
	p.Open("/app/chat/" + e2e.Eval[string](p, `document.querySelector("#composer [name=session]").value`))
	p.Until("the answer", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	if n := e2e.Eval[int](p, `document.querySelectorAll(".turn.person").length`); n != 1 {
		t.Errorf("it was taken %d times", n)
	}
}
