package secret

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// marker stands in everything that a person or the team writes in this test.
const marker = "zqxmarkerqxz"

// TestContentsStayOnTheServer writes a marker into messages, drafts, questions, answers, edits and reasons, also while
// the server is away: afterwards it stands in no table of the hub, nor in any log.
func TestContentsStayOnTheServer(t *testing.T) {
	h, c := e2e.Start(t, e2e.OwnPostgres)
	note := c.Asked(c.Say("secretary", "Write a note to notes/"+marker+".md: buy "+marker))
	if found := tables(h, t, marker); len(found) != 1 || found[0] != "approvals" {
		t.Errorf("while a question waits, contents are in %v", found)
	}
	c.Allow(note.ID)
	c.End(note.RootRunID)
	mail := c.Asked(c.Say("secretary", "Email someone@example.com that "+marker))
	edited := map[string]any{"to": "someone@example.com", "subject": marker, "text": "We open, " + marker}
	signed := c.Signed(mail, map[string]any{"decision": wire.Edit, "args": edited})
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+mail.ID, signed, nil)
	c.End(mail.RootRunID)
	denied := c.Asked(c.Say("secretary", "Write a note to notes/other.md: "+marker))
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+denied.ID, map[string]any{"decision": wire.Deny, "reason": "No " + marker}, nil)
	c.End(denied.RootRunID)
	c.End(c.Say("it-admin", "Read notes/"+marker+".md"))
	whileAway(c, h)

	if found := tables(h, t, marker); len(found) > 0 {
		t.Errorf("contents are in the tables %v", found)
	}
	if found := logsWith(t, h.Dir, marker); len(found) > 0 {
		t.Errorf("contents are in the logs %v", found)
	}
	if strings.Contains(h.Output(), marker) {
		t.Error("contents were written to the terminal")
	}
	if mails := h.Mails(t, "someone@example.com"); len(mails) != 1 || !strings.Contains(mails[0].Text, marker) {
		t.Errorf("the search proves nothing: %v were sent", mails)
	}
}

// whileAway writes and decides while agentd does not answer; what waits for it is sealed.
func whileAway(c *e2e.Client, h *e2e.Hub) {
	c.T.Helper()
	q := c.Asked(c.Say("secretary", "Email someone@example.org that "+marker))
	pid := h.Agentd(c.T)
	e2e.Signal(c.T, pid, syscall.SIGSTOP)
	run := c.Say("secretary", "What is "+marker+"?")
	c.Want(http.StatusOK, http.MethodPost, "/approvals/"+q.ID, map[string]any{"decision": wire.Deny, "reason": marker}, nil)
	if found := tables(h, c.T, marker); len(found) > 0 {
		c.T.Errorf("while the server is away, contents are in %v", found)
	}
	e2e.Signal(c.T, pid, syscall.SIGCONT)
	c.End(run)
	c.End(q.RootRunID)
}

// tables are those of the hub's database that show word anywhere, as text, as bytes or in base64.
func tables(h *e2e.Hub, t *testing.T, word string) (found []string) {
	t.Helper()
	conn := h.Connect(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	names, err := e2e.TableNames(t.Context(), conn)
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
		count := "SELECT count(*) FROM " + name + " AS r WHERE r::text LIKE ANY ($1)"
		if err := conn.QueryRow(t.Context(), count, likes(forms)).Scan(&hits); err != nil {
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
