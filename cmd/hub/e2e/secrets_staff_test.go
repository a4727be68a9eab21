package e2e

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestStaffSeeNoContent walks through every page that staff can reach by links, while a question waits, after another was
// answered, and beside a secret: nothing of what was written, and no secret's name or value, stands on any. The same walk
// through the owner's pages finds what was written, and the name.
func TestStaffSeeNoContent(t *testing.T) {
	h, c, owner := ownedHub(t)
	const name = "zqxshop.api_key"
	value := give(owner, name)
	letter := tool("message", map[string]any{"to": marker + "@example.com", "subject": marker, "text": "We open, " + marker})
	talk := script(t, call(letter), step{Say: "Asked for " + marker})
	denied := c.asked(c.say("secretary", talk))
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+denied.ID, map[string]any{"decision": wire.Deny, "reason": "No " + marker}, nil)
	c.end(denied.RootRunID)
	c.asked(c.say("secretary", talk))
	staff := h.newPage(t)
	signInStaff(staff, h)

	words := map[string]string{"content": marker, "name of the secret": name, "value of the secret": value}
	pages := staff.walk("/admin")
	if len(pages) < 10 || !slices.ContainsFunc(slices.Collect(maps.Keys(pages)), func(path string) bool { return strings.HasPrefix(path, "/admin/approvals/0") }) {
		t.Errorf("only %v were visited", slices.Sorted(maps.Keys(pages)))
	}
	for what, word := range words {
		for _, on := range holding(pages, word) {
			t.Errorf("%s: the %s", on, what)
		}
	}
	t.Run("what is planted is found", func(t *testing.T) { plantedIsFound(t, h, value) })
	pages = owner.walk("/app")
	for what, word := range words {
		if on := holding(pages, word); (len(on) == 0) != (word == value) {
			t.Errorf("of the owner's %d pages, %v hold the %s", len(pages), on, what)
		}
	}
}

// walk opens a page and all that links below it lead to, and gives what stands on each.
func (p *page) walk(from string) map[string]string {
	p.t.Helper()
	const most = 60
	pages := map[string]string{}
	for next := []string{from}; len(next) > 0 && len(pages) < most; next = next[1:] {
		path := next[0]
		if _, ok := pages[path]; ok {
			continue
		}
		p.open(path)
		p.until("a page at "+path, `document.readyState === "complete" && document.body`)
		pages[path] = eval[string](p, `document.documentElement.outerHTML`)
		next = append(next, eval[[]string](p, `[...document.querySelectorAll("a[href^='`+from+`']")].map(a => a.getAttribute("href").split("#")[0])`)...)
	}
	return pages
}

// holding are the pages that hold a word in any of its forms.
func holding(pages map[string]string, word string) (on []string) {
	for path, text := range pages {
		for how, form := range formsOf(word) {
			if strings.Contains(text, string(form)) {
				on = append(on, path+" ("+how+")")
			}
		}
	}
	return on
}
