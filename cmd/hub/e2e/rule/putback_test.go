package rule

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

const (
	oldPrices = "Rye bread 3.20\r\nBread roll 0.80" // no line feed at the end: it comes back as it was
	newPrices = "Rye bread 9.99\n"
	ownPrices = "Rye bread 4.00, by hand\n"
)

// TestPutBack takes writes of an agent back as the owner does who has only looked at what was done: from the receipt, by
// keyboard; without scripts; and over a change of his own, where he is asked first.
func TestPutBack(t *testing.T) {
	h, c, p := e2e.StartOwned(t)
	file := filepath.Join(h.Data(), "notes", "prices.txt")
	h.Own(t, file, oldPrices, 0o644)
	write := e2e.Tool("file_write", map[string]any{"path": "notes/prices.txt", "content": newPrices})
	run := c.Say("it-admin", e2e.ToolScript(t, "The prices are written down.", write))
	c.End(run)
	wantFile(t, file, newPrices)
	t.Run("from the receipt", func(t *testing.T) { p.T = t; putBackHere(p, c, run, file) })
	t.Run("without scripts", func(t *testing.T) { putBackPlainly(t, h, run, file) })
	t.Run("nothing to put back", func(t *testing.T) { p.T = t; putBackNothing(p, c) })
	t.Run("over a later change", func(t *testing.T) { p.T = t; putBackLater(p, c, run, file) })
}

// wantFile waits until a file holds exactly this.
func wantFile(t *testing.T, file, want string) {
	t.Helper()
	var got string
	for end := time.Now().Add(e2e.WaitLimit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		b, err := os.ReadFile(file)
		if got = string(b); err == nil && got == want {
			return
		}
	}
	t.Fatalf("the file holds %q, want %q", got, want)
}

// putBackHere goes from the evidence below the answer, pressing keys alone.
func putBackHere(p *e2e.Page, c *e2e.Client, run, file string) {
	p.Open("/app/runs/" + run + "/talk")
	p.Click(".turn.answer .evidence summary")
	p.See(".turn.answer .evidence", "Restore the earlier version")
	p.Shots("putback-evidence")
	press(p, ".turn.answer .evidence .receipts a[href*='/changes/']")
	p.See("main h1", "Restore the earlier version")
	p.See("#back .diff", "Rye bread 3.20")
	p.See("main", "Kept until")
	p.InspectOpen("the way back")
	p.Desktop()
	p.Shots("putback")
	press(p, "#back button[type=submit]")
	p.Until("the conversation", `location.pathname.startsWith("/app/chat/")`)
	p.See(".turn.answer:last-of-type .prose", "Put back the earlier version of notes/prices.txt")
	wantFile(p.T, file, oldPrices)
	back := e2e.Eval[string](p, `document.querySelector(".turn.answer:last-of-type").id.replace("turn-", "")`)
	c.End(back)
	if rs := c.Receipts(back); e2e.Count(rs, "call.finished", "file_restore") != 1 {
		p.T.Errorf("receipts %v", e2e.Types(rs))
	}
	p.Shots("putback-done")
}

// press goes to an element and presses Enter there.
func press(p *e2e.Page, sel string) {
	p.T.Helper()
	p.Until(sel+" to press", "document.querySelector("+e2e.Quote(sel)+")")
	e2e.Eval[bool](p, "(e => { e.focus(); return document.activeElement === e })(document.querySelector("+e2e.Quote(sel)+"))")
	p.Do(chromedp.SendKeys(chromedp.CSS(sel), "\r"))
}

// putBackPlainly takes the putting back itself back.
func putBackPlainly(t *testing.T, h *e2e.Hub, run, file string) {
	p := h.NewPage(t)
	p.SignIn()
	p.Do(e2e.ScriptsOff)
	p.Open("/app/runs/" + run + "/talk")
	p.Open("/app/runs/" + e2e.Eval[string](p, `document.querySelector(".turn.answer:last-of-type").id.replace("turn-", "")`))
	p.Leave("#receipts .receipts a[href*='/changes/']")
	p.See("#back .diff", "9.99")
	p.Leave("#back button[type=submit]")
	p.Until("the conversation", `location.pathname.startsWith("/app/chat/")`)
	wantFile(t, file, newPrices)
}

// putBackLater: the owner has changed the file since, and wants to be asked about what this agent does.
func putBackLater(p *e2e.Page, c *e2e.Client, run, file string) {
	p.Open("/app/agents/it-admin/autonomy")
	p.Click("main input[name=level][value='1']")
	p.Leave("main button[value=level]")
	for end := time.Now().Add(e2e.WaitLimit); c.LevelOf("it-admin") != 1; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.T.Fatal("the server does not hear of the level")
		}
	}
	p.Open("/app/runs/" + run)
	p.See("#run-cost", "scripted") // what the model proxy's meter counted for it; nobody has said what that model costs
	p.See("#run-cost", "Not known yet")
	p.Leave("#receipts .receipts a[href*='/changes/']")
	p.See("#back .diff", "9.99")
	if err := os.WriteFile(file, []byte(ownPrices), 0o600); err != nil {
		p.T.Fatal(err)
	}
	p.Leave("#back button[type=submit]")
	p.See("main .notice", "changed since you opened")
	p.See("#back .diff", "by hand")
	p.Shots("putback-later")
	p.Click("#back button[type=submit]")
	p.Until("the consent is asked for", `document.querySelector("#back [name=anyway]:invalid")`)
	wantFile(p.T, file, ownPrices)
	p.Click("#back [name=anyway]")
	p.Leave("#back button[type=submit]")
	p.See(".turn.answer:last-of-type .approval", "notes/prices.txt")
	wantFile(p.T, file, ownPrices)
	back := e2e.Eval[string](p, `document.querySelector(".turn.answer:last-of-type").id.replace("turn-", "")`)
	q := c.Asked(back)
	p.Shots("putback-asked")
	p.Click(".turn.answer:last-of-type .approval button[value=allow_once]")
	c.End(back)
	wantFile(p.T, file, oldPrices)
	rs, state := c.Receipts(back), c.Approval(q.ID).State
	if q.Tool != "file_restore" || state != wire.ApprovalAllowed || e2e.Count(rs, "call.finished", "file_restore") != 1 {
		p.T.Errorf("%s, receipts %v", q.Tool, e2e.Types(rs))
	}
	p.Open("/app/runs/" + run)
	p.Leave("#receipts .receipts a[href*='/changes/']")
	p.See("main", "The file already matches")
	p.Shots("putback-same")
}

// putBackNothing: a write that made its file offers nothing.
func putBackNothing(p *e2e.Page, c *e2e.Client) {
	write := e2e.Tool("file_write", map[string]any{"path": "notes/new.txt", "content": "fresh\n"})
	run := c.Say("it-admin", e2e.ToolScript(p.T, "The note is there.", write))
	c.End(run)
	p.Open("/app/runs/" + run)
	p.See("#receipts .act", "allowed by your rules")
	if n := e2e.Eval[int](p, `document.querySelectorAll("#receipts .receipts a[href*='/changes/']").length`); n != 0 {
		p.T.Errorf("%d ways back", n)
	}
}
