package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
)

// TestPlain is a browser that runs no scripts: ordering, asking, denying with a reason, editing, stopping, searching and
// settings work by forms and links alone. What takes a key that only a script can use says so, and nothing happens.
func TestPlain(t *testing.T) {
	h, c := parallelHub(t)
	p := h.newPage(t)
	p.do(scriptsOff)
	p.plainOrder()
	t.Run("ask, deny and say why", func(t *testing.T) { p.t = t; p.plainDeny() })
	t.Run("allow takes a key", func(t *testing.T) { p.t = t; p.plainAllow() })
	t.Run("stop", func(t *testing.T) { p.t = t; p.plainStop() })
	t.Run("find", func(t *testing.T) { p.t = t; p.plainFind() })
	t.Run("less autonomy", func(t *testing.T) { p.t = t; p.plainLevel() })
	t.Run("sign out", func(t *testing.T) { p.t = t; p.plainOut() })
	t.Run("staff deny", func(t *testing.T) { staffDenyPlainly(t, h, c) })
}

var scriptsOff = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
})

// again loads a page anew until something holds, as a person without scripts does.
func (p *page) again(path, what, js string) {
	p.t.Helper()
	for end := time.Now().Add(waitLimit); ; {
		p.open(path)
		if eval[bool](p, "!!("+js+")") {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("not within %s: %s\n%s", waitLimit, what, p.where())
		}
	}
}

// plainOrder orders a server: the page looks for news by itself, and leads into the portal.
func (p *page) plainOrder() {
	p.t.Helper()
	p.open("/checkout?plan=build")
	p.write("[name=business]", "Plain Bakery")
	p.write("[name=name]", "The owner")
	p.write("[name=email]", "plain@example.com")
	p.write("[name=password]", "a long enough pass phrase")
	p.click("main form button[type=submit]")
	p.until("the way into the portal", `document.querySelector('main a[href="/app"], main a[href="/onboard/enter"]')`)
	p.shot("plain-onboard")
	p.leave(`main a[href="/app"], main a[href="/onboard/enter"]`)
	p.until("the portal", `location.pathname === "/app"`)
}

// plainSay writes a message; the conversation's page follows.
func (p *page) plainSay(text string) {
	p.t.Helper()
	p.open("/app/chat")
	if eval[bool](p, `document.querySelector(".composer-note .keys")?.checkVisibility() ?? false`) {
		p.t.Error("keys are offered that only a script hears")
	}
	p.write("#composer-text", text)
	p.leave("button[form=composer]")
	p.see(".turn.person .bubble", text)
}

const lastAnswer = `document.querySelector(".turn.answer:last-of-type")`

func (p *page) plainDeny() {
	p.plainSay("Delete the old temporary files")
	p.again("/app/chat", "the question", lastAnswer+`.querySelector(".approval [data-decision]")`)
	p.shot("plain-approval")
	p.click(".turn.answer:last-of-type .approval [id$='-say'] summary")
	p.write(".turn.answer:last-of-type .approval textarea[name=reason]", "Not before the audit")
	p.leave(".turn.answer:last-of-type .approval [id$='-say'] button[value=deny]")
	p.again("/app/chat", "an answer that knows the reason", lastAnswer+`.innerText.includes("audit")`)
}

func (p *page) plainAllow() {
	p.plainSay("Email someone@example.com that we open at nine")
	p.again("/app/chat", "the question", lastAnswer+`.querySelector(".approval [data-decision]")`)
	p.leave(".turn.answer:last-of-type .approval button[value=allow_once]")
	p.see("main", "key")
	p.shot("plain-allow")
	p.again("/app/approvals", "the question waits on", `document.querySelectorAll(".approval [data-decision]").length === 1`)
	if n := len(p.hub.mails(p.t, "someone@example.com")); n != 0 {
		p.t.Errorf("%d mails went out without a signature", n)
	}
	p.leave(".approval button[value=deny]")
}

func (p *page) plainStop() {
	p.plainSay("Write me a long answer")
	p.again("/app/chat", "a run that can be stopped", `document.querySelector("[data-stop] button")`)
	p.leave("[data-stop] button")
	p.again("/app/chat", "a stopped run", lastAnswer+`.querySelector(".turn-foot").dataset.state === "stopped"`)
}

func (p *page) plainFind() {
	p.open("/app/conversations")
	p.write("main input[type=search]", "nothing of this name")
	p.leave("main form[role=search] button, main search button, main form:has(input[type=search]) button")
	p.until("the search in the address", `location.search.includes("q=nothing")`)
	p.see("main", "Clear")
	p.shot("plain-nothing-found")
}

func (p *page) plainLevel() {
	p.open("/app/agents/it-admin/autonomy")
	p.click("main input[name=level][value='1']")
	p.leave("main button[value=level]")
	p.again("/app/agents/it-admin/autonomy", "the level", `document.querySelector("main input[name=level][value='1']").checked`)
}

func (p *page) plainOut() {
	p.open("/app")
	p.click(".account summary")
	p.leave(`.account form[action="/auth/sign-out"] button`)
	p.until("the end", `location.pathname === "/auth/signed-out"`)
	p.open("/app")
	p.until("the sign-in", `location.pathname === "/auth/sign-in"`)
}

// staffDenyPlainly: the console, too, needs no scripts.
func staffDenyPlainly(t *testing.T, h *hub, c *client) {
	q := c.asked(c.say("secretary", "Email someone@example.com that we close at six"))
	p := h.newPage(t)
	p.do(scriptsOff)
	signInStaff(p, h)
	p.open("/admin/approvals/" + q.ID)
	p.write("main textarea[name=reason]", "The customer called")
	p.leave("main button[value=deny]")
	until(t, "it is denied", func() bool { return c.approval(q.ID).State == wire.ApprovalDenied })
	if end := c.end(q.RootRunID); end.final == nil {
		t.Error(fmt.Sprint(end.tail()))
	}
}
