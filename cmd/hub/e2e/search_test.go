package e2e

import (
	"net/url"
	"strings"
	"testing"
)

// TestStaffSearch looks for what waits as our staff do, who may not see what exactly is asked.
func TestStaffSearch(t *testing.T) {
	t.Parallel()
	slot(t)
	h := startHub(t, startModel(t).env()...)
	c, p := h.api(t), h.newPage(t)
	run := c.say("it-admin", script(t, call(tool("file_delete", map[string]any{"path": "tmp/*.tmp"})), step{Say: "I asked."}))
	c.asked(run)
	signInStaff(p, h)
	p.open("/admin/approvals")
	for _, text := range []string{h.Demo.Customer.Email, "FILE_DEL", "it admin"} {
		p.look("#approvals-q", text)
		p.leave("[role=search] button")
		p.see("#approvals article", "file_delete")
	}
	p.shots("admin-approvals-found")
	p.look("#approvals-q", "tmp/")
	p.leave("[role=search] button")
	p.see("#approvals-empty", "Nothing here fits “tmp/”")
	p.until("no card", `!document.querySelector("article")`)
	p.shots("admin-approvals-nothing")
	p.leave("#approvals-empty a")
	p.see("#approvals article", "file_delete")
	p.open("/admin/approvals/history")
	p.look("#decided-q", "nobody")
	p.see("#decided-results", "Nothing here fits “nobody”")
	p.until("one page, and its address says what was looked for", `document.querySelectorAll("main").length === 1 && location.search.includes(`+quote(url.Values{"q": {"nobody"}}.Encode())+`)`)
	p.shots("admin-history-nothing")
}

// look writes what to look for.
func (p *page) look(field, text string) {
	p.t.Helper()
	p.write(field, text)
	if got := eval[string](p, "document.querySelector("+quote(field)+").value"); !strings.EqualFold(got, text) {
		p.t.Fatalf("the field has %q", got)
	}
}

// shots keeps pictures of the page in both sizes and both schemes.
func (p *page) shots(name string) {
	p.t.Helper()
	for _, s := range []string{"light", "dark"} {
		p.do(scheme(s))
		p.shot(name + "-" + s)
		p.phone()
		p.shot(name + "-phone-" + s)
		p.desktop()
	}
	p.do(scheme("light"))
}
