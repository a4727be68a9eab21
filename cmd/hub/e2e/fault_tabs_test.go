package e2e

import (
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
)

// holdAnswers makes a tab keep back what it sends until send is evaluated there, as if the network took its time, and
// remember whether it ever said that an answer came too late.
const holdAnswers = `(() => {
	new MutationObserver(() => { window.tooLate ||= document.body.innerText.includes("Your answer was not used.") }).observe(document.body, { subtree: true, childList: true, characterData: true })
	const real = window.fetch
	window.fetch = (what, how) => how?.method !== "POST" ? real(what, how) : new Promise(go => { window.send = () => go(real(what, how)) })
	return window.sameLoad = true
})()`

// twoTabs: one question stands in two tabs of one person, each in a browser with a session of its own, and Allow was
// pressed in one and Deny in the other before either was heard. One answer stands; the other tab says who decided and
// what, by itself; what was decided happens once.
func twoTabs(t *testing.T, h *hub) {
	c, list, one := h.api(t), h.newPage(t), h.newPage(t)
	for _, p := range []*page{list, one} {
		p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
		p.until("the portal", `location.pathname === "/app"`)
	}
	list.enrolHere(h)
	q := c.asked(c.say("secretary", "Email tabs@example.com that we open at nine"))
	list.open("/app/approvals")
	one.open("/app/approvals/" + q.ID)
	presses := []struct {
		p    *page
		verb wire.Verb
	}{{list, wire.AllowOnce}, {one, wire.Deny}}
	for _, press := range presses {
		press.p.until("the question", `document.querySelector(".approval [data-decision]")`)
		eval[bool](press.p, holdAnswers)
		press.p.click(".approval .verbs button[value=" + string(press.verb) + "]")
		press.p.until("the press", "window.send")
	}
	if now := c.approval(q.ID); now.State != wire.ApprovalPending {
		t.Fatalf("it is %s before an answer was sent", now.State)
	}
	var both sync.WaitGroup
	for _, press := range presses {
		both.Go(func() {
			if _, err := chromedp.Run(press.p.ctx, chromedp.Evaluate[bool]("(window.send(), true)")); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	c.end(q.RootRunID)
	allowed, words := 0, "Denied"
	if c.approval(q.ID).State == wire.ApprovalAllowed {
		allowed, words = 1, "Allowed once"
	}
	for i, press := range presses {
		press.p.see(".approval", words)
		press.p.see(".approval", h.Demo.Customer.Email)
		press.p.until("nothing more to press, on the page that was there", `window.sameLoad && !document.querySelector(".approval [data-decision]")`)
		if lost := i == allowed; lost {
			press.p.until("that the answer came too late", "window.tooLate")
		} else if eval[bool](press.p, "!!window.tooLate") {
			t.Errorf("the %s that stands was called too late", press.verb)
		}
	}
	rs := c.receipts(q.RootRunID)
	if sent := len(h.mails(t, "tabs@example.com")); sent != allowed || count(rs, "call.started", "message") != allowed {
		t.Errorf("%s stands; %d mails, receipts %v", words, sent, types(rs))
	}
}
