package e2e

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// Rules as an owner writes them: one makes the administrator ask, the other spares the secretary's questions.
const (
	askRules = "version: 1\nrules:\n  - id: letters-are-read-first\n    effect: ask\n    agent: it-admin\n    tool: file_write\n"
	letRules = askRules + "  - id: letters-by-the-secretary\n    effect: allow\n    agent: secretary\n    tool: file_write\n"
)

// TestRules is permissions.yaml in the hands of its owner: what cannot be read is said with its line and stays to be put
// right, a preview tells which past calls would have gone otherwise, what loosens takes a signature, and what is put in
// force holds for the next call.
func TestRules(t *testing.T) {
	h, c, p := ownedHub(t)
	shipped := rulesInForce(p)
	c.wantWrite("it-admin", "letters/first.txt", false) // a past call for the previews
	t.Run("unreadable", func(t *testing.T) { p.t = t; badRules(p, shipped) })
	t.Run("previewed", func(t *testing.T) { p.t = t; previewRules(p, c) })
	t.Run("stricter", func(t *testing.T) { p.t = t; stricter(p, c) })
	t.Run("looser without a key", func(t *testing.T) { looserUnsigned(t, h, c) })
	t.Run("looser", func(t *testing.T) { p.t = t; looser(p, c) })
	t.Run("changed meanwhile", func(t *testing.T) { p.t = t; rulesMeanwhile(p, shipped) })
	t.Run("taken back", func(t *testing.T) { p.t = t; rulesBack(p, c) })
}

// wantWrite lets an agent write a letter, which is asked first or is not. What is asked is denied.
func (c *client) wantWrite(agent, path string, asked bool) {
	c.t.Helper()
	run := c.say(agent, script(c.t, call(tool("file_write", map[string]any{"path": path, "content": "Dear all,\n"})), step{Say: "I tried."}))
	s := c.denyAll(run)
	n := 0
	for _, e := range s.events {
		if e.kind == wire.EventApproval {
			n++
		}
	}
	if rs := c.receipts(run); n > 0 != asked || count(rs, "call.finished", "file_write") > 0 == asked {
		c.t.Errorf("%s writes %s: asked %d times, receipts %v", agent, path, n, types(rs))
	}
}

// typeRules writes rules into the editor.
func typeRules(p *page, text string) {
	p.t.Helper()
	p.open("/app/permissions")
	p.write("#rules textarea", text)
}

// tryRules sends what stands in the editor: preview or save.
func tryRules(p *page, act string) {
	p.t.Helper()
	p.leave("#rules button[value=" + act + "]")
}

func (p *page) wantRules(text string) {
	p.t.Helper()
	if got := eval[string](p, `document.querySelector("#rules textarea").value`); got != text {
		p.t.Errorf("the editor has %q, want %q", got, text)
	}
}

func badRules(p *page, shipped string) {
	for text, why := range map[string]string{
		"version: 1\nrules: [":                           "line",
		"version: 1\nrules:\n  - id: a\n    efect: deny": "efect",
		"version: 1\nrules:\n  - id: a\n    effect: let": "let",
		"version: 7\n": "version",
	} {
		typeRules(p, text)
		tryRules(p, "preview")
		p.see("#preview .notice[data-kind=bad]", why)
		p.wantRules(text)
		tryRules(p, "save")
		p.see("#rules .summary", why)
		p.wantRules(text)
	}
	p.shot("rules-refused")
	if now := rulesInForce(p); now != shipped {
		p.t.Errorf("in force is %q", now)
	}
}

// rulesInForce are those that the page begins with.
func rulesInForce(p *page) string {
	p.t.Helper()
	p.open("/app/permissions")
	return eval[string](p, `document.querySelector("#rules textarea").value`)
}

func previewRules(p *page, c *client) {
	typeRules(p, askRules)
	tryRules(p, "preview")
	p.see("#preview", "1 call of the last week would have gone otherwise")
	p.see("#preview tr.add", "- id: letters-are-read-first")
	p.see("#changed", "letters/first.txt")
	p.wantRules(askRules)
	p.shot("rules-preview")
	p.phone()
	p.shot("rules-preview-phone")
	p.desktop()
	c.wantWrite("it-admin", "letters/second.txt", false) // nothing is in force yet
}

// stricter: goes on from the preview.
func stricter(p *page, c *client) {
	p.write("#rules [name=reason]", "Somebody looks first")
	tryRules(p, "save")
	p.see("#versions", "Version 1")
	p.see("#versions", "Somebody looks first")
	p.wantRules(askRules)
	p.shot("rules-in-force")
	c.wantWrite("it-admin", "letters/third.txt", true)
}

// looserUnsigned: a browser without a key puts nothing in force that lets through more.
func looserUnsigned(t *testing.T, h *hub, c *client) {
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	typeRules(p, letRules)
	tryRules(p, "save")
	p.see(".notice[data-kind=bad]", "signature")
	p.wantRules(letRules)
	p.shot("rules-unsigned")
	c.wantWrite("secretary", "letters/fourth.txt", true)
}

func looser(p *page, c *client) {
	typeRules(p, letRules)
	tryRules(p, "preview")
	p.see("#preview", "This lets through more")
	p.shot("rules-looser")
	p.leave("#preview button[value=save]")
	p.see("#versions", "Version 2")
	c.wantWrite("secretary", "letters/fifth.txt", false)
	c.wantWrite("it-admin", "letters/sixth.txt", true) // the former rule holds all the same
}

// rulesMeanwhile: two tabs began with the same rules; the second to save is told, and keeps what it has.
func rulesMeanwhile(p *page, shipped string) {
	late := p.tab()
	late.open("/app/permissions")
	typeRules(p, strings.Replace(letRules, "ask", "deny", 1))
	tryRules(p, "save")
	p.see("#versions", "Version 3")
	late.write("#rules textarea", shipped)
	tryRules(late, "save")
	late.see(".notice[data-kind=bad]", "changed meanwhile")
	late.wantRules(shipped)
	tryRules(late, "save") // it has seen what is in force now
	late.see("#versions", "Version 4")
}

// rulesBack loads the first version, which is previewed, and puts it in force from there.
func rulesBack(p *page, c *client) {
	c.wantWrite("it-admin", "letters/seventh.txt", false)
	p.open("/app/permissions")
	p.leave("#versions li:last-child button")
	p.wantRules(askRules)
	p.see("#preview tr.add", "- id: letters-are-read-first")
	p.leave("#preview button[value=save]")
	p.see("#versions", "Version 5")
	c.wantWrite("it-admin", "letters/eighth.txt", true)
}
