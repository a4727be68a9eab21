package rule

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestStanding is leave that lasts, given on the card of a request: a rule, whose difference is shown before it is
// signed, and a window, for one destination or for all. What it covers is not asked again; what it does not is.
func TestStanding(t *testing.T) {
	h, c, p := e2e.StartOwned(t)
	t.Run("a rule", func(t *testing.T) { p.T = t; allowByRule(p, c) })
	t.Run("no rule for what is red", func(t *testing.T) { p.T = t; noRuleForRed(p, c, h) })
	t.Run("a rule that was overtaken", func(t *testing.T) { p.T = t; ruleOvertaken(p, c) })
	t.Run("a window for one", func(t *testing.T) { p.T = t; windowForOne(p, c) })
	t.Run("a window for all", func(t *testing.T) { p.T = t; windowForAll(p, c) })
	t.Run("a window is closed", func(t *testing.T) { p.T = t; closeWindows(p, c) })
}

// writes is the script of a letter that an agent writes.
func writes(t *testing.T, path string) string {
	t.Helper()
	return e2e.ToolScript(t, "I tried.", e2e.Tool("file_write", map[string]any{"path": path, "content": "Dear all,\nwe open at nine.\n"}))
}

// allowByRule: the secretary stands at level 1, so what it writes is asked, until a rule says otherwise for this file.
func allowByRule(p *e2e.Page, c *e2e.Client) {
	q := c.Asked(c.Say("secretary", writes(p.T, "letters/opening.txt")))
	p.Open("/app/approvals/" + q.ID)
	p.Click("[id$='-rule'] summary")
	p.See("[id$='-rule'] .diff", "effect: allow")
	p.See("[id$='-rule'] .diff", "letters/opening.txt")
	p.Shot("card-rule")
	p.Phone()
	p.Shot("card-rule-phone")
	p.Desktop()
	p.Click("[id$='-rule'] button[value=allow_rule]")
	p.See(".approval .outcome", "Allowed, and saved as a rule")
	c.End(q.RootRunID)
	if rs := c.Receipts(q.RootRunID); e2e.Count(rs, "call.finished", "file_write") != 1 || e2e.Count(rs, "permissions.applied", "") > 1 {
		p.T.Errorf("receipts %v", e2e.Types(rs))
	}
	p.See(".approval", "Done")
	p.Shot("card-rule-decided")
	p.Open("/app/permissions")
	p.Until("the rule is in force", `document.querySelector("#rules textarea").value.includes("letters/opening.txt")`)
	p.See("#versions", "made of the request "+q.Code)
	wantWrite(c, "secretary", "letters/opening.txt", false)
	wantWrite(c, "secretary", "letters/closing.txt", true)
}

// noRuleForRed: what destroys is asked each time, and an owner is not offered what cannot be had.
func noRuleForRed(p *e2e.Page, c *e2e.Client, h *e2e.Hub) {
	h.Own(p.T, h.Data("letters", "old.txt"), "Dear all\n", 0o640)
	q := c.Asked(c.Say("it-admin", e2e.ToolScript(p.T, "I tried.", e2e.Tool("file_delete", map[string]any{"path": "letters/old.txt"}))))
	p.Open("/app/approvals/" + q.ID)
	p.See(".approval", "letters/old.txt")
	if n := e2e.Eval[int](p, `document.querySelectorAll("[id$='-rule']").length`); n != 0 || q.Rule != nil {
		p.T.Errorf("%d rules are offered: %+v", n, q.Rule)
	}
	if n := e2e.Eval[int](p, `Math.max(...[...document.querySelectorAll("[name=minutes] option")].map(o => Number(o.value)))`); n > 60 {
		p.T.Errorf("a window of %d minutes is offered", n)
	}
	p.Click(".verbs button[value=deny]")
	c.End(q.RootRunID)
}

// ruleOvertaken: the rules were changed while the card was open. Nothing runs by a rule that nobody saw: it is asked
// again, with the rule as it would stand now.
func ruleOvertaken(p *e2e.Page, c *e2e.Client) {
	q := c.Asked(c.Say("secretary", writes(p.T, "letters/spring.txt")))
	p.Open("/app/approvals/" + q.ID)
	p.Click("[id$='-rule'] summary")
	other := p.Tab()
	typeRules(other, "")
	tryRules(other, "save")
	p.Click("[id$='-rule'] button[value=allow_rule]")
	next := ".approval .outcome a[href^='/app/approvals/']"
	p.Until("the way to the new request", "document.querySelector("+e2e.Quote(next)+")")
	if rs := c.Receipts(q.RootRunID); e2e.Count(rs, "call.started", "") != 0 {
		p.T.Errorf("receipts %v", e2e.Types(rs))
	}
	p.Shot("card-overtaken")
	p.Leave(next)
	p.See(".approval", "the rules have changed meanwhile")
	p.Click("[id$='-rule'] summary")
	p.Click("[id$='-rule'] button[value=allow_rule]")
	c.End(q.RootRunID)
	wantWrite(c, "secretary", "letters/spring.txt", false)
	wantWrite(c, "secretary", "letters/opening.txt", true) // that rule was taken back
}

// wantMail lets the secretary write to somebody, which is asked first or is not. What is asked is denied.
func wantMail(c *e2e.Client, to string, asked bool) {
	c.T.Helper()
	before := len(c.Hub.Mails(c.T, to))
	run := c.Say("secretary", letterTo(c.T, to))
	s := c.DecideAll(run, wire.Deny)
	n := 0
	for _, e := range s.Events {
		if e.Kind == wire.EventApproval {
			n++
		}
	}
	if sent := len(c.Hub.Mails(c.T, to)) - before; n > 0 != asked || sent > 0 == asked {
		c.T.Errorf("to %s: asked %d times, %d mails, receipts %v", to, n, sent, e2e.Types(c.Receipts(run)))
	}
}

// letterTo is a mail that the owner asks for: one to somebody whom nobody named is looked at whatever is open.
func letterTo(t *testing.T, to string) string {
	t.Helper()
	message := e2e.Tool("message", map[string]any{"to": to, "subject": "Opening hours", "text": "We open at nine."})
	return "For " + to + ": " + e2e.ToolScript(t, "I tried.", message)
}

// openWindow lets a mail through, and mails like it for a while. only says whether to its reader alone.
func openWindow(p *e2e.Page, c *e2e.Client, to string, only bool) {
	p.T.Helper()
	q := c.Asked(c.Say("secretary", letterTo(p.T, to)))
	p.Open("/app/approvals/" + q.ID)
	p.Click("[id$='-window'] summary")
	p.See("[id$='-window']", to)
	if !only {
		p.Click("[data-only-there]")
	}
	p.Shot(fmt.Sprintf("card-window-%t", only))
	p.Click("[id$='-window'] button[value=allow_window]")
	c.End(q.RootRunID)
	if n := len(c.Hub.Mails(c.T, to)); n == 0 {
		p.T.Error("the mail itself was not sent")
	}
}

func windowForOne(p *e2e.Page, c *e2e.Client) {
	openWindow(p, c, "anna@example.com", true)
	wantMail(c, "anna@example.com", false)
	wantMail(c, "bert@example.com", true)
	p.Open("/app/permissions")
	p.See("#windows", "anna@example.com")
	p.Shot("windows")
}

func windowForAll(p *e2e.Page, c *e2e.Client) {
	openWindow(p, c, "carla@example.com", false)
	wantMail(c, "carla@example.com", false)
	wantMail(c, "bert@example.com", false)
	stranger := c.Asked(c.Say("secretary", strings.TrimPrefix(letterTo(p.T, "dora@example.com"), "For dora@example.com: ")))
	c.DecideAll(stranger.RootRunID, wire.Deny)
	wantWrite(c, "secretary", "letters/summer.txt", true) // another tool
}

// closeWindows: the owner ends both before their time.
func closeWindows(p *e2e.Page, c *e2e.Client) {
	p.Open("/app/permissions")
	for range 2 {
		p.Leave("#windows button[value=close]")
	}
	p.See("#windows", "There are none now")
	wantMail(c, "anna@example.com", true)
}
