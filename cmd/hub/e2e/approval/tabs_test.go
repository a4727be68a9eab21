package approval

import (
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// holdAnswers makes a tab keep back what it sends until send is evaluated there, as if the network took its time, and
// remember whether it ever said that an answer came too late.
const holdAnswers = `(() => {
	const look = () => { window.tooLate ||= document.body.innerText.includes("Your answer was not used.") }
	new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
	const real = window.fetch
	window.fetch = (what, how) => how?.method !== "POST" ? real(what, how) : new Promise(go => { window.send = () => go(real(what, how)) })
	return window.sameLoad = true
})()`

// twoTabs: one question stands in two tabs of one person, each in a browser with a session of its own, and Allow was
// pressed in one and Deny in the other before either was heard. One answer stands; the other tab says who decided and
// what, by itself; what was decided happens once.
func twoTabs(t *testing.T, h *e2e.Hub) {
	c, list, one := h.API(t), h.NewPage(t), h.NewPage(t)
	for _, p := range []*e2e.Page{list, one} {
		p.SignIn()
		p.Until("the portal", `location.pathname === "/app"`)
	}
	list.EnrolHere()
	q := c.Asked(c.Say("secretary", "Email tabs@example.com that we open at nine"))
	list.Open("/app/approvals")
	one.Open("/app/approvals/" + q.ID)
	presses := []struct {
		p    *e2e.Page
		verb wire.Verb
	}{{list, wire.AllowOnce}, {one, wire.Deny}}
	for _, press := range presses {
		press.p.Until("the question", `document.querySelector(".approval [data-decision]")`)
		e2e.Eval[bool](press.p, holdAnswers)
		press.p.Click(".approval .verbs button[value=" + string(press.verb) + "]")
		press.p.Until("the press", "window.send")
	}
	if now := c.Approval(q.ID); now.State != wire.ApprovalPending {
		t.Fatalf("it is %s before an answer was sent", now.State)
	}
	var both sync.WaitGroup
	for _, press := range presses {
		both.Go(func() {
			if _, err := chromedp.Run(press.p.Ctx, chromedp.Evaluate[bool]("(window.send(), true)")); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	c.End(q.RootRunID)
	allowed, words := 0, "Denied"
	if c.Approval(q.ID).State == wire.ApprovalAllowed {
		allowed, words = 1, "Allowed once"
	}
	for i, press := range presses {
		press.p.See(".approval", words)
		press.p.See(".approval", h.Demo.Customer.Email)
		press.p.Until("nothing more to press, on the page that was there",
			`window.sameLoad && !document.querySelector(".approval [data-decision]")`)
		if lost := i == allowed; lost {
			press.p.Until("that the answer came too late", "window.tooLate")
		} else if e2e.Eval[bool](press.p, "!!window.tooLate") {
			t.Errorf("the %s that stands was called too late", press.verb)
		}
	}
	rs := c.Receipts(q.RootRunID)
	if sent := len(h.Mails(t, "tabs@example.com")); sent != allowed || e2e.Count(rs, "call.started", "message") != allowed {
		t.Errorf("%s stands; %d mails, receipts %v", words, sent, e2e.Types(rs))
	}
}
