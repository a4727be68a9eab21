package rule

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestBuilder is rules without YAML: a rule is put together as a sentence, with what it would have changed beside it, made of a
// request in one press, saved as any other, and holds; the text of the same rules keeps what it has besides.
func TestBuilder(t *testing.T) {
	_, c, p := e2e.StartOwned(t)
	wantWrite(c, "it-admin", "letters/first.txt", false) // a past call for the replay
	t.Run("a sentence", func(t *testing.T) { p.T = t; buildRule(p, c) })
	t.Run("the same as text", func(t *testing.T) { p.T = t; sameAsText(p) })
	t.Run("of a request", func(t *testing.T) { p.T = t; ruleOfRequest(p, c) })
}

// buildRule: the administrator is asked before writing letters.
func buildRule(p *e2e.Page, c *e2e.Client) {
	p.Open("/app/permissions")
	p.See("#rules", "No rules of your own yet")
	p.Shots("builder-empty")
	p.Click("#rules button[value=add]")
	p.See("#rule-0", "When anyone on the team wants to do anything")
	p.Choose("r0.agent", "it-admin")
	p.See("#rule-0", "When IT admin wants to do anything")
	p.Choose("r0.tool", "file_write")
	p.See("#rule-0 [data-says]", "wants to write files")
	p.See("#preview", "would have changed 1 action last week")
	p.Choose("r0.test0.how", "under")
	p.Choose("r0.test0.arg", "path")
	p.See("#rule-0", "Fill in what the condition compares with")
	p.Choose("r0.test0.value", "letters")
	p.See("#rule-0 [data-says]", "in the folder letters")
	p.See("#preview", "1 action would have been asked first")
	p.See("#changed", "letters/first.txt")
	p.Shots("builder-rule")
	p.InspectOpen("a rule that is open")
	p.Desktop()
	p.Leave("#preview button[value=save]")
	p.See("#versions", "Version 1")
	wantWrite(c, "it-admin", "letters/second.txt", true)
	wantWrite(c, "it-admin", "notes/second.txt", false)
}

// sameAsText: what is written as text shows as a sentence, and the other way round; comments stay.
func sameAsText(p *e2e.Page) {
	p.Open("/app/permissions")
	p.Leave("#rules button[value=yaml]")
	before := e2e.Eval[string](p, `document.querySelector("#rules textarea").value`)
	if !strings.Contains(before, "under: letters") {
		p.T.Errorf("the text is\n%s", before)
	}
	p.Write("#rules textarea", "# ours\n"+strings.Replace(before, "effect: ask", "effect: deny", 1))
	p.Leave("#rules button[value=rules]")
	p.See("#rule-0", "Never")
	p.Click("#rule-0 button[value='open:0']")
	p.Choose("r0.effect", "ask")
	p.See("#rule-0", "Ask me first")
	p.Until("the text has both", `(t => t.startsWith("# ours") && t.includes("effect: ask"))(document.querySelector("[name=text]").value)`)
}

// ruleOfRequest: from a request to a rule in one press; it lets through more, so the key signs it.
func ruleOfRequest(p *e2e.Page, c *e2e.Client) {
	q := c.Asked(c.Say("secretary", writes(p.T, "notes/monday.txt")))
	p.Open("/app/approvals/" + q.ID)
	p.Shots("card-always")
	p.Leave("a.always")
	p.See("#rule-1 [data-says]", "When Secretary wants to write files, in the folder notes")
	p.See("#rule-1", "Allow")
	p.See("#preview", "the team may do more without asking")
	p.Shots("builder-request")
	p.Leave("#preview button[value=save]")
	p.See("#versions", "Version 2")
	c.Decide(q.ID, wire.Deny)
	c.End(q.RootRunID)
	wantWrite(c, "secretary", "notes/tuesday.txt", false)
	wantWrite(c, "secretary", "letters/tuesday.txt", true)
}
