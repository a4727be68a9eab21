package rule

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
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
	h, c, p := e2e.StartOwned(t)
	shipped := rulesInForce(p)
	wantWrite(c, "it-admin", "letters/first.txt", false) // a past call for the previews
	t.Run("unreadable", func(t *testing.T) { p.T = t; badRules(p, shipped) })
	t.Run("previewed", func(t *testing.T) { p.T = t; previewRules(p, c) })
	t.Run("stricter", func(t *testing.T) { p.T = t; stricter(p, c) })
	t.Run("looser without a key", func(t *testing.T) { looserUnsigned(t, h, c) })
	t.Run("looser", func(t *testing.T) { p.T = t; looser(p, c) })
	t.Run("changed meanwhile", func(t *testing.T) { p.T = t; rulesMeanwhile(p, shipped) })
	t.Run("taken back", func(t *testing.T) { p.T = t; rulesBack(p, c) })
}

// wantWrite lets an agent write a letter, which is asked first or is not. What is asked is denied.
func wantWrite(c *e2e.Client, agent, path string, asked bool) {
	c.T.Helper()
	run := c.Say(agent, e2e.ToolScript(c.T, "I tried.", e2e.Tool("file_write", map[string]any{"path": path, "content": "Dear all,\n"})))
	s := c.DecideAll(run, wire.Deny)
	n := 0
	for _, e := range s.Events {
		if e.Kind == wire.EventApproval {
			n++
		}
	}
	if rs := c.Receipts(run); n > 0 != asked || e2e.Count(rs, "call.finished", "file_write") > 0 == asked {
		c.T.Errorf("%s writes %s: asked %d times, receipts %v", agent, path, n, e2e.Types(rs))
	}
}

// typeRules writes rules into the editor.
func typeRules(p *e2e.Page, text string) {
	p.T.Helper()
	p.Open("/app/permissions/yaml")
	p.Write("#rules textarea", text)
}

// tryRules sends what stands in the editor: preview or save.
func tryRules(p *e2e.Page, act string) {
	p.T.Helper()
	p.Leave("#rules button[value=" + act + "]")
}

func wantRules(p *e2e.Page, text string) {
	p.T.Helper()
	if got := e2e.Eval[string](p, `document.querySelector("#rules textarea").value`); got != text {
		p.T.Errorf("the editor has %q, want %q", got, text)
	}
}

func badRules(p *e2e.Page, shipped string) {
	for text, why := range map[string]string{
		"version: 1\nrules: [":                           "line",
		"version: 1\nrules:\n  - id: a\n    efect: deny": "efect",
		"version: 1\nrules:\n  - id: a\n    effect: let": "let",
		"version: 7\n": "version",
	} {
		typeRules(p, text)
		tryRules(p, "preview")
		p.See("#preview .notice[data-kind=bad]", why)
		wantRules(p, text)
		tryRules(p, "save")
		p.See("#rules .summary", why)
		wantRules(p, text)
	}
	p.Shot("rules-refused")
	if now := rulesInForce(p); now != shipped {
		p.T.Errorf("in force is %q", now)
	}
}

// rulesInForce are those that the page begins with.
func rulesInForce(p *e2e.Page) string {
	p.T.Helper()
	p.Open("/app/permissions")
	return e2e.Eval[string](p, `document.querySelector("#rules textarea").value`)
}

func previewRules(p *e2e.Page, c *e2e.Client) {
	typeRules(p, askRules)
	tryRules(p, "preview")
	p.See("#preview", "would have changed 1 action last week")
	p.See("#preview tr.add", "- id: letters-are-read-first")
	p.See("#changed", "letters/first.txt")
	wantRules(p, askRules)
	p.Shot("rules-preview")
	p.Phone()
	p.Shot("rules-preview-phone")
	p.Desktop()
	wantWrite(c, "it-admin", "letters/second.txt", false) // nothing is in force yet
}

// stricter: goes on from the preview.
func stricter(p *e2e.Page, c *e2e.Client) {
	p.Write("#rules [name=reason]", "Somebody looks first")
	tryRules(p, "save")
	p.See("#versions", "Version 1")
	p.See("#versions", "Somebody looks first")
	wantRules(p, askRules)
	p.Shot("rules-in-force")
	wantWrite(c, "it-admin", "letters/third.txt", true)
}

// looserUnsigned: a browser without a key puts nothing in force that lets through more.
func looserUnsigned(t *testing.T, h *e2e.Hub, c *e2e.Client) {
	p := h.NewPage(t)
	p.SignIn()
	typeRules(p, letRules)
	tryRules(p, "save")
	p.See(".notice[data-kind=bad]", "device that may approve")
	wantRules(p, letRules)
	p.Shot("rules-unsigned")
	wantWrite(c, "secretary", "letters/fourth.txt", true)
}

func looser(p *e2e.Page, c *e2e.Client) {
	typeRules(p, letRules)
	tryRules(p, "preview")
	p.See("#preview", "the team may do more without asking")
	p.Shot("rules-looser")
	p.Leave("#preview button[value=save]")
	p.See("#versions", "Version 2")
	wantWrite(c, "secretary", "letters/fifth.txt", false)
	wantWrite(c, "it-admin", "letters/sixth.txt", true) // the former rule holds all the same
}

// rulesMeanwhile: two tabs began with the same rules; the second to save is told, and keeps what it has.
func rulesMeanwhile(p *e2e.Page, shipped string) {
	late := p.Tab()
	late.Open("/app/permissions/yaml")
	typeRules(p, strings.Replace(letRules, "ask", "deny", 1))
	tryRules(p, "save")
	p.See("#versions", "Version 3")
	late.Write("#rules textarea", shipped)
	tryRules(late, "save")
	late.See(".notice[data-kind=bad]", "changed meanwhile")
	wantRules(late, shipped)
	tryRules(late, "save") // it has seen what is in force now
	late.See("#versions", "Version 4")
}

// rulesBack loads the first version, which is previewed, and puts it in force from there.
func rulesBack(p *e2e.Page, c *e2e.Client) {
	wantWrite(c, "it-admin", "letters/seventh.txt", false)
	p.Open("/app/permissions")
	p.Leave("#versions li:last-child button")
	wantRules(p, askRules)
	p.Click("#preview summary")
	p.See("#preview tr.add", "- id: letters-are-read-first")
	p.Leave("#preview button[value=save]")
	p.See("#versions", "Version 5")
	wantWrite(c, "it-admin", "letters/eighth.txt", true)
}
