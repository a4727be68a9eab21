package e2e

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/db/devpg"
)

// marker stands in everything that a person or the team writes in this test.
const marker = "zqxmarkerqxz"

// TestContentsStayOnTheServer writes a marker into messages, drafts, questions, answers, edits and reasons, also while
// the server is away: afterwards it stands in no table of the hub, nor in any log.
func TestContentsStayOnTheServer(t *testing.T) {
	h, c := parallelHub(t, ownPostgres)
	note := c.asked(c.say("secretary", "Write a note to notes/"+marker+".md: buy "+marker))
	if found := h.tables(t, marker); len(found) != 1 || found[0] != "approvals" {
		t.Errorf("while a question waits, contents are in %v", found)
	}
	c.allow(note.ID)
	c.end(note.RootRunID)
	mail := c.asked(c.say("secretary", "Email someone@example.com that "+marker))
	edited := map[string]any{"to": "someone@example.com", "subject": marker, "text": "We open, " + marker}
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+mail.ID, c.signed(mail, map[string]any{"decision": wire.Edit, "args": edited}), nil)
	c.end(mail.RootRunID)
	denied := c.asked(c.say("secretary", "Write a note to notes/other.md: "+marker))
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+denied.ID, map[string]any{"decision": wire.Deny, "reason": "No " + marker}, nil)
	c.end(denied.RootRunID)
	c.end(c.say("it-admin", "Read notes/"+marker+".md"))
	c.whileAway(h)

	if found := h.tables(t, marker); len(found) > 0 {
		t.Errorf("contents are in the tables %v", found)
	}
	if found := logsWith(t, h.Dir, marker); len(found) > 0 {
		t.Errorf("contents are in the logs %v", found)
	}
	if strings.Contains(h.Output(), marker) {
		t.Error("contents were written to the terminal")
	}
	if mails := h.mails(t, "someone@example.com"); len(mails) != 1 || !strings.Contains(mails[0].Text, marker) {
		t.Errorf("the search proves nothing: %v were sent", mails)
	}
}

// whileAway writes and decides while agentd does not answer; what waits for it is sealed.
func (c *client) whileAway(h *hub) {
	c.t.Helper()
	q := c.asked(c.say("secretary", "Email someone@example.org that "+marker))
	pid := h.agentd(c.t)
	signal(c.t, pid, syscall.SIGSTOP)
	run := c.say("secretary", "What is "+marker+"?")
	c.want(http.StatusOK, http.MethodPost, "/approvals/"+q.ID, map[string]any{"decision": wire.Deny, "reason": marker}, nil)
	if found := h.tables(c.t, marker); len(found) > 0 {
		c.t.Errorf("while the server is away, contents are in %v", found)
	}
	signal(c.t, pid, syscall.SIGCONT)
	c.end(run)
	c.end(q.RootRunID)
}

// tables are those of the hub's database that show word anywhere, as text, as bytes or in base64.
func (h *hub) tables(t *testing.T, word string) (found []string) {
	t.Helper()
	conn := h.connect(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	names, err := tableNames(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	forms := []string{word, hex.EncodeToString([]byte(word))}
	for i := range 3 { // base64 of the word depends on what stands before it
		whole := base64.RawStdEncoding.EncodeToString([]byte("xxx"[:i] + word))
		forms = append(forms, whole[4:len(whole)-4])
	}
	for _, name := range names {
		var hits int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+name+" AS r WHERE r::text LIKE ANY ($1)", likes(forms)).Scan(&hits); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if hits > 0 {
			found = append(found, strings.TrimPrefix(name, "public."))
		}
	}
	return found
}

func likes(forms []string) (out []string) {
	for _, f := range forms {
		out = append(out, "%"+f+"%")
	}
	return out
}

// tableNames are those of every table of a hub's database, as SQL writes them.
func tableNames(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, "SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'")
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(names) < 20 {
		err = fmt.Errorf("only %d tables", len(names))
	}
	return names, err
}

// connect opens the hub's own database, which runs already.
func (h *hub) connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := h.database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func (h *hub) database(ctx context.Context) (*pgx.Conn, error) {
	if h.dsn != "" {
		return pgx.Connect(ctx, h.dsn)
	}
	pg, err := devpg.Start(ctx, devpg.Options{Dir: filepath.Join(h.Dir, "postgres"), Durable: true})
	if err != nil {
		return nil, err
	}
	if !pg.Adopted {
		return nil, errors.Join(errors.New("the hub's Postgres did not run"), pg.Stop(ctx))
	}
	return pgx.Connect(ctx, strings.Replace(pg.DSN, "/postgres?", "/gatehouse?", 1))
}

// logsWith are the logs below dir that hold word.
func logsWith(t *testing.T, dir, word string) (found []string) {
	t.Helper()
	looked := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".log") {
			return nil // a file may be gone meanwhile
		}
		looked++
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), word) {
			found = append(found, path)
		}
		return err
	})
	if err != nil || looked < 2 {
		t.Fatalf("%d logs were looked at, %v", looked, err)
	}
	return found
}
