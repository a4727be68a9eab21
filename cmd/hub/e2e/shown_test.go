package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestDecisions_shown is a hub whose database was rewritten, so that a card shows something else than what its server
// asks, or says something else of it: the browser signs nothing that differs from what it shows, masked or not, and nothing
// of which the card says what the server did not sign. A hub that draws other arguments offers no leave.
func TestDecisions_shown(t *testing.T) {
	m := startModel(t)
	h, c := parallelHub(t, m.env()...)
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	p.until("the portal", `location.pathname === "/app"`)
	p.addKey(h, "browser")
	t.Run("a rewritten row", func(t *testing.T) { p.t, c.t = t, t; rewrittenRow(p, h, c) })
	t.Run("a rewritten row that the hub takes for whole", func(t *testing.T) { p.t, c.t = t, t; rewrittenPage(p, h, c) })
	t.Run("a rewritten sentence", func(t *testing.T) { p.t, c.t = t, t; rewrittenSentence(p, h, c) })
	t.Run("a rewritten diff", func(t *testing.T) { p.t, c.t = t, t; rewrittenDiff(p, h, c) })
	t.Run("a card of another server", func(t *testing.T) { p.t, c.t = t, t; otherServer(p, h, c) })
	t.Run("a browser that cannot check", func(t *testing.T) { p.t, c.t = t, t; cannotCheck(p, c) })
	t.Run("a server that signs no cards yet", func(t *testing.T) { p.t, c.t = t, t; signsNone(p, h, c) })
	t.Run("with masks", func(t *testing.T) { p.t, c.t = t, t; maskedAllow(p, h, c, m.word) })
}

const harmless = `{"path":"tmp/nothing.tmp"}`

// rewrite lets the database say that a question that waits is about something harmless.
func (h *hub) rewrite(t *testing.T, id string) {
	t.Helper()
	h.rewriteTo(t, id, "summary = 'Delete nothing', args = $2::json", harmless)
}

// rewriteTo lets the database say something else of a question that waits; $2 and so on in set are the values.
func (h *hub) rewriteTo(t *testing.T, id, set string, values ...any) {
	t.Helper()
	conn := h.connect(t)
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
func rewrittenRow(p *page, h *hub, c *client) {
	q := c.asked(c.say("it-admin", deletion(p.t, "tmp/*.tmp")))
	h.rewrite(p.t, q.ID)
	p.open("/app/approvals/" + q.ID)
	p.see("main", "What this page shows is not what the server asks")
	if eval[bool](p, `!!document.querySelector("button[value^=allow]")`) {
		p.t.Error("the card offers leave")
	}
	p.shot("approval-rewritten")
	p.click("button[value=deny]")
	c.end(q.RootRunID)
	if n := count(c.receipts(q.RootRunID), "call.started", "file_delete"); n != 0 {
		p.t.Errorf("%d starts", n)
	}
}

// rewrittenPage: the page shows what is harmless, as a hub that does not look would draw it, beside the text that the
// digest is of. Nothing is signed, and the question waits; then it is allowed as it is.
func rewrittenPage(p *page, h *hub, c *client) {
	q := c.asked(c.say("it-admin", deletion(p.t, "tmp/*.tmp")))
	before := len(h.temps(p.t))
	p.open("/app/approvals/" + q.ID)
	eval[bool](p, fmt.Sprintf(`(addEventListener("submit", e => { e.target.dataset.shown = %s }, true), true)`, quote(harmless)))
	p.click("button[value=allow_once]")
	p.see(".form-failed", "What this page shows is not what the server asks. Nothing was decided. Tell us.")
	if a := c.approval(q.ID); a.State != wire.ApprovalPending || before == 0 || len(h.temps(p.t)) != before {
		p.t.Fatalf("the question is %s, %d of %d files are left", a.State, len(h.temps(p.t)), before)
	}
	p.open("/app/approvals/" + q.ID)
	p.click("button[value=allow_once]")
	c.end(q.RootRunID)
	if n := count(c.receipts(q.RootRunID), "call.started", "file_delete"); n != 1 || len(h.temps(p.t)) != 0 {
		p.t.Errorf("after the real answer: %d starts, %d files are left", n, len(h.temps(p.t)))
	}
}

// maskedAllow: a path that looks like a secret is shown with a mask, and allowed as such, in the browser and by a script.
func maskedAllow(p *page, h *hub, c *client, secret string) {
	file := h.data("tmp", secret)
	for _, script := range []bool{false, true} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			p.t.Fatal(err)
		}
		q := c.asked(c.say("it-admin", deletion(p.t, "tmp/WORD")))
		if q.ShownHash == "" || strings.Contains(string(q.Args), secret) || !q.Shows(q.Args) {
			p.t.Fatalf("asked %+v", q)
		}
		if script {
			c.allow(q.ID)
		} else {
			p.open("/app/approvals/" + q.ID)
			p.click("button[value=allow_once]")
		}
		c.end(q.RootRunID)
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			p.t.Errorf("what was allowed did not run: %v", err)
		}
	}
}

// deletion is a message that makes the model delete what a path names.
func deletion(t *testing.T, path string) string {
	return script(t, call(tool("file_delete", map[string]any{"path": path})), step{Say: "I tried."})
}
