package secret

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// plantedIsFound: the search that ends every test finds what is planted in a log and in a table, and says where.
func plantedIsFound(t *testing.T, h *e2e.Hub, value string) {
	path := filepath.Join(h.Dir, "worse.log")
	line := "first line\n" + `{"msg":"sent","body":"` + base64.StdEncoding.EncodeToString([]byte("value: "+value)) + `"}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	conn := h.Connect(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	const worse = "CREATE TABLE worse AS SELECT now() AS at, jsonb_build_object('note', $1::text) AS body"
	if _, err := conn.Exec(t.Context(), worse, hex.EncodeToString([]byte(value))); err != nil {
		t.Fatal(err)
	}
	found, err := h.FindPlanted(t.Context())
	said := fmt.Sprint(found)
	located := strings.Contains(said, "worse.log, line 2 (base64") && strings.Contains(said, "public.worse (hex")
	if err != nil || len(found) != 2 || !located || strings.Contains(said, value) {
		t.Errorf("found %s, %v", said, err)
	}
	if _, err := conn.Exec(t.Context(), "DROP TABLE worse"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestStaffSeeNoContent walks through every page that staff can reach by links, while a question waits, after another was
// answered, and beside a secret: nothing of what was written, and no secret's name or value, stands on any. The same walk
// through the owner's pages finds what was written, and the name.
func TestStaffSeeNoContent(t *testing.T) {
	h, c, owner := e2e.StartOwned(t)
	const name = "zqxshop.api_key"
	value := owner.GiveSecret(name)
	letter := e2e.Tool("message", map[string]any{"to": marker + "@example.com", "subject": marker, "text": "We open, " + marker})
	talk := e2e.ToolScript(t, "Asked for "+marker, letter)
	denied := c.Asked(c.Say("secretary", talk))
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+denied.ID, map[string]any{"decision": wire.Deny, "reason": "No " + marker}, nil)
	c.End(denied.RootRunID)
	c.Asked(c.Say("secretary", talk))
	staff := h.NewPage(t)
	staff.SignInStaff()

	words := map[string]string{"content": marker, "name of the secret": name, "value of the secret": value}
	pages := walk(staff, "/admin")
	ofApproval := func(path string) bool { return strings.HasPrefix(path, "/admin/approvals/0") }
	if len(pages) < 10 || !slices.ContainsFunc(slices.Collect(maps.Keys(pages)), ofApproval) {
		t.Errorf("only %v were visited", slices.Sorted(maps.Keys(pages)))
	}
	for what, word := range words {
		for _, on := range holding(pages, word) {
			t.Errorf("%s: the %s", on, what)
		}
	}
	t.Run("what is planted is found", func(t *testing.T) { plantedIsFound(t, h, value) })
	pages = walk(owner, "/app")
	for what, word := range words {
		if on := holding(pages, word); (len(on) == 0) != (word == value) {
			t.Errorf("of the owner's %d pages, %v hold the %s", len(pages), on, what)
		}
	}
}

// walk opens a page and all that links below it lead to, and gives what stands on each.
func walk(p *e2e.Page, from string) map[string]string {
	p.T.Helper()
	const most = 60
	pages := map[string]string{}
	for next := []string{from}; len(next) > 0 && len(pages) < most; next = next[1:] {
		path := next[0]
		if _, ok := pages[path]; ok {
			continue
		}
		p.Open(path)
		p.Until("a page at "+path, `document.readyState === "complete" && document.body`)
		pages[path] = e2e.Eval[string](p, `document.documentElement.outerHTML`)
		for _, file := range e2e.Eval[[]string](p, linksOf(from, "[download]")) {
			pages[file] = p.Fetch(file)
		}
		links := e2e.Eval[[]string](p, linksOf(from, ":not([download])"))
		for _, link := range links {
			link, _, _ = strings.Cut(link, "#")
			next = append(next, link)
		}
	}
	return pages
}

// linksOf is the script that lists a page's links below a path.
func linksOf(below, which string) string {
	return `[...document.querySelectorAll("a[href^='` + below + `']` + which + `")].map(a => a.getAttribute("href"))`
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
