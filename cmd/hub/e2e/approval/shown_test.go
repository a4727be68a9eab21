package approval

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestDecisions_shown is a hub whose database was rewritten, so that a card shows something else than what its server
// asks, or says something else of it: the browser signs nothing that differs from what it shows, masked or not, and nothing
// of which the card says what the server did not sign. A hub that draws other arguments offers no leave.
func TestDecisions_shown(t *testing.T) {
	m := e2e.StartModel(t)
	h, c := e2e.Start(t, m.Env()...)
	p := h.NewPage(t)
	p.SignIn()
	p.Until("the portal", `location.pathname === "/app"`)
	addKey(p, h, "browser")
	t.Run("a rewritten row", func(t *testing.T) { p.T, c.T = t, t; rewrittenRow(p, h, c) })
	t.Run("a rewritten row that the hub takes for whole", func(t *testing.T) { p.T, c.T = t, t; rewrittenPage(p, h, c) })
	t.Run("a rewritten sentence", func(t *testing.T) { p.T, c.T = t, t; rewrittenSentence(p, h, c) })
	t.Run("a rewritten diff", func(t *testing.T) { p.T, c.T = t, t; rewrittenDiff(p, h, c) })
	t.Run("a card of another server", func(t *testing.T) { p.T, c.T = t, t; otherServer(p, h, c) })
	t.Run("a browser that cannot check", func(t *testing.T) { p.T, c.T = t, t; cannotCheck(p, c) })
	t.Run("a server that signs no cards yet", func(t *testing.T) { p.T, c.T = t, t; signsNone(p, h, c) })
	t.Run("with masks", func(t *testing.T) { p.T, c.T = t, t; maskedAllow(p, h, c, m.Word) })
}

const harmless = `{"path":"tmp/nothing.tmp"}`

// rewrite lets the database say that a question that waits is about something harmless.
func rewrite(h *e2e.Hub, t *testing.T, id string) {
	t.Helper()
	rewriteTo(h, t, id, "summary = 'Delete nothing', args = $2::json", harmless)
}

// rewriteTo lets the database say something else of a question that waits; $2 and so on in set are the values.
func rewriteTo(h *e2e.Hub, t *testing.T, id, set string, values ...any) {
	t.Helper()
	conn := h.Connect(t)
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), "ALTER TABLE approvals DISABLE TRIGGER USER"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "UPDATE approvals SET "+set+" WHERE id = $1", append([]any{id}, values...)...); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "ALTER TABLE approvals ENABLE TRIGGER USER"); err != nil {
		t.Fatal(err)
	}
}

// rewrittenRow: the card says that something is wrong, and can be denied.
func rewrittenRow(p *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	q := c.Asked(c.Say("it-admin", deletion(p.T, "tmp/*.tmp")))
	rewrite(h, p.T, q.ID)
	p.Open("/app/approvals/" + q.ID)
	p.See("main", "This page shows something different from what your server asks")
	if e2e.Eval[bool](p, `!!document.querySelector("button[value^=allow]")`) {
		p.T.Error("the card offers leave")
	}
	p.Shot("approval-rewritten")
	p.Click("button[value=deny]")
	c.End(q.RootRunID)
	if n := e2e.Count(c.Receipts(q.RootRunID), "call.started", "file_delete"); n != 0 {
		p.T.Errorf("%d starts", n)
	}
}

// rewrittenPage: the page shows what is harmless, as a hub that does not look would draw it, beside the text that the
// digest is of. Nothing is signed, and the question waits; then it is allowed as it is.
func rewrittenPage(p *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	q := c.Asked(c.Say("it-admin", deletion(p.T, "tmp/*.tmp")))
	before := len(h.Temps(p.T))
	p.Open("/app/approvals/" + q.ID)
	e2e.Eval[bool](p, fmt.Sprintf(`(addEventListener("submit", e => { e.target.dataset.shown = %s }, true), true)`, e2e.Quote(harmless)))
	p.Click("button[value=allow_once]")
	p.See(".form-failed", "This page shows something different from what your server asks. Nothing was decided. Please tell us.")
	if a := c.Approval(q.ID); a.State != wire.ApprovalPending || before == 0 || len(h.Temps(p.T)) != before {
		p.T.Fatalf("the question is %s, %d of %d files are left", a.State, len(h.Temps(p.T)), before)
	}
	p.Open("/app/approvals/" + q.ID)
	p.Click("button[value=allow_once]")
	c.End(q.RootRunID)
	if n := e2e.Count(c.Receipts(q.RootRunID), "call.started", "file_delete"); n != 1 || len(h.Temps(p.T)) != 0 {
		p.T.Errorf("after the real answer: %d starts, %d files are left", n, len(h.Temps(p.T)))
	}
}

// maskedAllow: a path that looks like a secret is shown with a mask, and allowed as such, in the browser and by a script.
func maskedAllow(p *e2e.Page, h *e2e.Hub, c *e2e.Client, secret string) {
	file := h.Data("tmp", secret)
	for _, script := range []bool{false, true} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			p.T.Fatal(err)
		}
		q := c.Asked(c.Say("it-admin", deletion(p.T, "tmp/WORD")))
		if q.ShownHash == "" || strings.Contains(string(q.Args), secret) || !q.Shows(q.Args) {
			p.T.Fatalf("asked %+v", q)
		}
		if script {
			c.Allow(q.ID)
		} else {
			p.Open("/app/approvals/" + q.ID)
			p.Click("button[value=allow_once]")
		}
		c.End(q.RootRunID)
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			p.T.Errorf("what was allowed did not run: %v", err)
		}
	}
}

// deletion is a message that makes the model delete what a path names.
func deletion(t *testing.T, path string) string {
	return e2e.ToolScript(t, "I tried.", e2e.Tool("file_delete", map[string]any{"path": path}))
}
