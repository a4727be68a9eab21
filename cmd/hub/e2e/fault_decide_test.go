package e2e

import (
	"net/http"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
)

// TestDecisions: two clients, and two browsers, answer one question at once, and one message is posted twice under one key, or
// from a page that got no answer.
func TestDecisions(t *testing.T) {
	h, _ := parallelHub(t)
	t.Run("raced", func(t *testing.T) { raced(t, h) })
	t.Run("again", func(t *testing.T) { again(t, h) })
	t.Run("answer lost", func(t *testing.T) { answerLost(t, h) })
	t.Run("two browsers", func(t *testing.T) { twoTabs(t, h) })
}

// raced: one answer wins, the other learns which, and what was decided happens once.
func raced(t *testing.T, h *hub) {
	c := h.api(t)
	for range 5 {
		q := c.asked(c.say("secretary", "Email someone@example.com that we open at nine"))
		before := len(h.mails(t, "someone@example.com"))
		verbs := []wire.Verb{wire.AllowOnce, wire.Deny}
		answers := make([]answer, len(verbs))
		var both sync.WaitGroup
		for i, v := range verbs {
			both.Go(func() { answers[i] = c.decide(q.ID, v) })
		}
		both.Wait()
		won := 0
		if answers[1].status == http.StatusOK {
			won = 1
		}
		c.wantLoser(answers[1-won], verbs[won])
		if answers[won].status != http.StatusOK {
			t.Fatalf("nobody won: %d %s, %d %s", answers[0].status, answers[0].body, answers[1].status, answers[1].body)
		}
		c.end(q.RootRunID)
		started := count(c.receipts(q.RootRunID), "call.started", "message")
		if sent := len(h.mails(t, "someone@example.com")) - before; sent != 1-won || started != 1-won {
			t.Errorf("%s won; %d mails, %d starts", verbs[won], sent, started)
		}
	}
}

// wantLoser fails unless an answer is a conflict that names the decision which came first.
func (c *client) wantLoser(a answer, won wire.Verb) {
	c.t.Helper()
	var p struct {
		Decision wire.Verb          `json:"decision"`
		By       string             `json:"by"`
		Time     string             `json:"time"`
		State    wire.ApprovalState `json:"state"`
		Detail   string             `json:"detail"`
	}
	a.into(c.t, &p)
	if a.status != http.StatusConflict || p.Decision != won || p.By != c.hub.Demo.Customer.Email || p.Time == "" || p.State == wire.ApprovalPending || p.Detail == "" {
		c.t.Errorf("the later answer got %d %s", a.status, a.body)
	}
}

// again: under one key a message is taken once, however often and however much at once it is posted.
func again(t *testing.T, h *hub) {
	c := h.api(t)
	runs := make(chan string, 4)
	var all sync.WaitGroup
	for range cap(runs) {
		all.Go(func() {
			a, err := c.try(t.Context(), http.MethodPost, "/chat", map[string]string{"agent": "secretary", "text": "Email twice@example.com that we close at six"}, "Idempotency-Key", "one")
			var sent struct {
				RunID string `json:"run_id"`
			}
			switch {
			case err != nil:
				t.Error(err)
			case a.status == http.StatusAccepted:
				a.into(t, &sent)
			case a.status != http.StatusConflict: // the first is still at work
				t.Errorf("%d %s", a.status, a.body)
			}
			runs <- sent.RunID
		})
	}
	all.Wait()
	run := c.say("secretary", "Email twice@example.com that we close at six", "Idempotency-Key", "one")
	for range cap(runs) {
		if other := <-runs; other != "" && other != run {
			t.Errorf("runs %s and %s for one message", run, other)
		}
	}
	c.allow(c.asked(run).ID)
	c.end(run)
	if n, left := len(h.mails(t, "twice@example.com")), len(c.pending()); n != 1 || left != 0 {
		t.Errorf("%d mails, %d more questions", n, left)
	}
	if a := c.do(http.MethodPost, "/chat", map[string]string{"agent": "secretary", "text": "Something else"}, "Idempotency-Key", "one"); a.status != http.StatusUnprocessableEntity && a.status != http.StatusConflict {
		t.Errorf("another message under the same key: %d %s", a.status, a.body)
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
func answerLost(t *testing.T, h *hub) {
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	p.open("/app/chat/agent/it-admin?new=1")
	p.until("the stream", `document.querySelector("#live").dataset.state === "live"`)
	eval[bool](p, loseAnswer)
	const field = `document.querySelector("#composer-text")`
	p.write("#composer-text", "How full is the disk?\r")
	p.until("the text, still", `window.lost && !`+field+`.readOnly && `+field+`.value === "How full is the disk?"`)
	p.do(chromedp.SendKeys(chromedp.CSS("#composer-text"), "\r"))
	p.until("that it was taken", field+`.value === ""`)
	p.open("/app/chat/" + eval[string](p, `document.querySelector("#composer [name=session]").value`))
	p.until("the answer", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	if n := eval[int](p, `document.querySelectorAll(".turn.person").length`); n != 1 {
		t.Errorf("it was taken %d times", n)
	}
}
