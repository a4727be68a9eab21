package story

import (
	"net/url"
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestStaffSearch looks for what waits as our staff do, who may not see what exactly is asked.
func TestStaffSearch(t *testing.T) {
	h, c := e2e.Start(t, e2e.StartModel(t).Env()...)
	p := h.NewPage(t)
	run := c.Say("it-admin", e2e.ToolScript(t, "I asked.", e2e.Tool("file_delete", map[string]any{"path": "tmp/*.tmp"})))
	c.Asked(run)
	p.SignInStaff()
	p.Open("/admin/approvals")
	for _, text := range []string{h.Demo.Customer.Email, "FILE_DEL", "it admin"} {
		look(p, "#approvals-q", text)
		p.Leave("[role=search] button")
		p.See("#approvals article", "Delete files")
	}
	p.Shots("admin-approvals-found")
	look(p, "#approvals-q", "tmp/")
	p.Leave("[role=search] button")
	p.See("#approvals-empty", "Nothing matches “tmp/”")
	p.Until("no card", `!document.querySelector("article")`)
	p.Shots("admin-approvals-nothing")
	p.Leave("#approvals-empty a")
	p.See("#approvals article", "Delete files")
	p.Open("/admin/approvals/history")
	look(p, "#decided-q", "nobody")
	p.See("#decided-results", "Nothing matches “nobody”")
	query := e2e.Quote(url.Values{"q": {"nobody"}}.Encode())
	p.Until("one page, and its address says what was looked for",
		`document.querySelectorAll("main").length === 1 && location.search.includes(`+query+`)`)
	p.Shots("admin-history-nothing")
}

// look writes what to look for.
func look(p *e2e.Page, field, text string) {
	p.T.Helper()
	p.Write(field, text)
	if got := e2e.Eval[string](p, "document.querySelector("+e2e.Quote(field)+").value"); !strings.EqualFold(got, text) {
		p.T.Fatalf("the field has %q", got)
	}
}
