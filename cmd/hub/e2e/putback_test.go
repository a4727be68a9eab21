package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
)

const (
	oldPrices = "Rye bread 3.20\r\nBread roll 0.80" // no line feed at the end: it comes back as it was
	newPrices = "Rye bread 9.99\n"
	ownPrices = "Rye bread 4.00, by hand\n"
)

// TestPutBack takes writes of an agent back as the owner does who has only looked at what was done: from the receipt, by
// keyboard; without scripts; and over a change of his own, where he is asked first.
func TestPutBack(t *testing.T) {
	h, c, p := ownedHub(t)
	file := filepath.Join(h.data(), "notes", "prices.txt")
	h.own(t, file, oldPrices, 0o644)
	run := c.say("it-admin", script(t, call(tool("file_write", map[string]any{"path": "notes/prices.txt", "content": newPrices})), step{Say: "The prices are written down."}))
	c.end(run)
	wantFile(t, file, newPrices)
	t.Run("from the receipt", func(t *testing.T) { p.t = t; putBackHere(p, c, run, file) })
	t.Run("without scripts", func(t *testing.T) { putBackPlainly(t, h, run, file) })
	t.Run("nothing to put back", func(t *testing.T) { p.t = t; putBackNothing(p, c) })
	t.Run("over a later change", func(t *testing.T) { p.t = t; putBackLater(p, c, run, file) })
}

// wantFile waits until a file holds exactly this.
func wantFile(t *testing.T, file, want string) {
	t.Helper()
	var got string
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		b, err := os.ReadFile(file)
		if got = string(b); err == nil && got == want {
			return
		}
	}
	t.Fatalf("the file holds %q, want %q", got, want)
}

// putBackHere goes from the evidence below the answer, pressing keys alone.
func putBackHere(p *page, c *client, run, file string) {
	p.open("/app/runs/" + run + "/talk")
	p.click(".turn.answer .evidence summary")
	p.see(".turn.answer .evidence", "Put back what was there before")
	p.shots("putback-evidence")
	p.press(".turn.answer .evidence .receipt a.btn")
	p.see("main h1", "Put back what was there before")
	p.see("#back .diff", "Rye bread 3.20")
	p.see("main", "Kept until")
	axe, err := os.ReadFile(axeSource)
	if err != nil {
		p.t.Fatal(err)
	}
	p.inspectOpen("the way back", string(axe))
	p.desktop()
	p.shots("putback")
	p.press("#back button[type=submit]")
	p.until("the conversation", `location.pathname.startsWith("/app/chat/")`)
	p.see(".turn.answer:last-of-type .prose", "Put back the earlier version of notes/prices.txt")
	wantFile(p.t, file, oldPrices)
	back := eval[string](p, `document.querySelector(".turn.answer:last-of-type").id.replace("turn-", "")`)
	c.end(back)
	if rs := c.receipts(back); count(rs, "call.finished", "file_restore") != 1 {
		p.t.Errorf("receipts %v", types(rs))
	}
	p.shots("putback-done")
}

// press goes to an element and presses Enter there.
func (p *page) press(sel string) {
	p.t.Helper()
	p.until(sel+" to press", "document.querySelector("+quote(sel)+")")
	eval[bool](p, "(e => { e.focus(); return document.activeElement === e })(document.querySelector("+quote(sel)+"))")
	p.do(chromedp.SendKeys(chromedp.CSS(sel), "\r"))
}

// putBackPlainly takes the putting back itself back.
func putBackPlainly(t *testing.T, h *hub, run, file string) {
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	p.do(scriptsOff)
	p.open("/app/runs/" + run + "/talk")
	p.open("/app/runs/" + eval[string](p, `document.querySelector(".turn.answer:last-of-type").id.replace("turn-", "")`))
	p.leave("#receipts .receipt a.btn")
	p.see("#back .diff", "9.99")
	p.leave("#back button[type=submit]")
	p.until("the conversation", `location.pathname.startsWith("/app/chat/")`)
	wantFile(t, file, newPrices)
}

// putBackLater: the owner has changed the file since, and wants to be asked about what this agent does.
func putBackLater(p *page, c *client, run, file string) {
	p.open("/app/agents/it-admin/autonomy")
	p.click("main input[name=level][value='1']")
	p.leave("main button[value=level]")
	for end := time.Now().Add(waitLimit); c.levelOf("it-admin") != 1; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatal("the server does not hear of the level")
		}
	}
	p.open("/app/runs/" + run)
	p.leave("#receipts .receipt a.btn")
	p.see("#back .diff", "9.99")
	if err := os.WriteFile(file, []byte(ownPrices), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.leave("#back button[type=submit]")
	p.see("main .notice", "changed since you looked")
	p.see("#back .diff", "by hand")
	p.shots("putback-later")
	p.click("#back button[type=submit]")
	p.until("the consent is asked for", `document.querySelector("#back [name=anyway]:invalid")`)
	wantFile(p.t, file, ownPrices)
	p.click("#back [name=anyway]")
	p.leave("#back button[type=submit]")
	p.see(".turn.answer:last-of-type .approval", "notes/prices.txt")
	wantFile(p.t, file, ownPrices)
	back := eval[string](p, `document.querySelector(".turn.answer:last-of-type").id.replace("turn-", "")`)
	q := c.asked(back)
	p.shots("putback-asked")
	p.click(".turn.answer:last-of-type .approval button[value=allow_once]")
	c.end(back)
	wantFile(p.t, file, oldPrices)
	if rs := c.receipts(back); q.Tool != "file_restore" || c.approval(q.ID).State != wire.ApprovalAllowed || count(rs, "call.finished", "file_restore") != 1 {
		p.t.Errorf("%s, receipts %v", q.Tool, types(rs))
	}
	p.open("/app/runs/" + run)
	p.leave("#receipts .receipt a.btn")
	p.see("main", "The file is as it was before")
	p.shots("putback-same")
}

// putBackNothing: a write that made its file offers nothing.
func putBackNothing(p *page, c *client) {
	run := c.say("it-admin", script(p.t, call(tool("file_write", map[string]any{"path": "notes/new.txt", "content": "fresh\n"})), step{Say: "The note is there."}))
	c.end(run)
	p.open("/app/runs/" + run)
	p.see("#receipts", "Finished")
	if n := eval[int](p, `document.querySelectorAll("#receipts .receipt a.btn").length`); n != 0 {
		p.t.Errorf("%d ways back", n)
	}
}
