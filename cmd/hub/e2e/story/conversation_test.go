package story

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestConversation: a conversation gets a name, leaves the list, comes back by Undo, and is deleted with a key of the owner;
// then nothing that was said in it is on the server or at the hub, and the receipts of what was done still are.
func TestConversation(t *testing.T) {
	h, c, p := e2e.StartOwned(t)
	p.Open("/app/chat")
	p.Say("How full is the disk?")
	p.Until("the answer", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	session := strings.TrimPrefix(e2e.Eval[string](p, `document.querySelector("[name=session]").value`), "/app/chat/")
	run := e2e.Eval[string](p, `document.querySelector(".turn.answer:last-of-type").id.replace("turn-", "")`)
	write := e2e.Tool("file_write", map[string]any{"path": "notes/prices.txt", "content": "Rye bread 3.40\n"})
	c.End(c.Say("it-admin", e2e.ToolScript(t, "The prices are written down.", write)))
	wantArchive(t, p)
	p.Open("/app/activity")
	p.See("#activity .act:first-of-type .act-task", "notes/prices.txt")
	p.Shots("activity-lines")
	p.Open("/app/chat/" + session)
	p.Click("details.powers:not(:has(.tool-list)) summary")
	p.Shots("talk-menu")
	p.Write("#f-title", "")
	p.Write("#f-title", "Zinnober shelf")
	p.Click(".chat-actions form[action$='/rename'] button")
	p.See("[data-toast]", "now called “Zinnober shelf”")
	p.See("h1", "Zinnober shelf")
	p.Until("the tab", `document.title.startsWith("Zinnober shelf")`)
	p.Open("/app/conversations")
	p.InspectOpen("conversations with actions")
	p.Desktop()
	p.Shots("talks")
	p.Click("#talk-" + session + " form button")
	p.See("[data-toast]", "is archived")
	p.Shots("talks-archived-toast")
	p.Click("[data-toast] form button")
	p.See("[data-toast]", "is back in the list")
	p.Until("the row", `document.querySelector("#talk-`+session+`")`)
	p.Open("/app/conversations?show=archived")
	p.Shots("talks-archived")
	p.Open("/app/chat/" + session + "/delete")
	p.InspectOpen("deleting a conversation")
	p.Desktop()
	p.Shots("talk-delete")
	p.Click("button[value=delete]")
	p.See("[data-toast]", "deleted from your server")
	p.Shots("talk-deleted")
	c.Want(http.StatusNotFound, http.MethodGet, "/runs/"+run+"/receipts", nil, nil)
	wantNowhere(t, h, "Zinnober")
}

// wantNowhere looks for a word in the database files of the server and in the tables of the hub.
func wantNowhere(t *testing.T, h *e2e.Hub, word string) {
	t.Helper()
	conn := h.Connect(t)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(h.Data()), "state", "*.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no database of the server: %v, %v", files, err)
	}
	archives, err := filepath.Glob(filepath.Join(filepath.Dir(h.Data()), "state", "exports", "*"))
	if err != nil || len(archives) > 0 {
		t.Errorf("archives of the server are left: %v, %v", archives, err)
	}
	for _, path := range files {
		e2e.Until(t, filepath.Base(path)+" of the server does not hold "+word, func() bool { // a reader may stand in the way
			b, err := os.ReadFile(path)
			return os.IsNotExist(err) || err == nil && !bytes.Contains(b, []byte(word))
		})
	}
	names, err := e2e.TableNames(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		var n int
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM `+name+` x WHERE x::text LIKE '%'||$1||'%'`, word).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			t.Errorf("table %s of the hub holds %q", name, word)
		}
	}
}

// wantArchive has the server make an archive and reads it as it comes to the browser.
func wantArchive(t *testing.T, p *e2e.Page) {
	t.Helper()
	p.Open("/app/settings/data")
	p.InspectOpen("one's own data")
	p.Desktop()
	p.Click("form[action='/app/settings/data'] button")
	p.See("[data-toast]", "has made the archive")
	p.Shots("data")
	e2e.Eval[bool](p, `(fetch(document.querySelector("a[download]").href).then(got => got.arrayBuffer()).then(body => {
		window.archive = btoa(Array.from(new Uint8Array(body), b => String.fromCharCode(b)).join(""));
	}), true)`)
	p.Until("the archive", `window.archive`)
	raw := e2e.Eval[string](p, `window.archive`)
	bytesOf, err := base64.StdEncoding.DecodeString(raw)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(bytesOf), int64(len(bytesOf)))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		for file, word := range map[string]string{".md": "How full is the disk?", ".jsonl": "notes/prices.txt", "team.json": "it-admin"} {
			found[file] = found[file] || strings.HasSuffix(f.Name, file) && strings.Contains(string(text), word)
		}
	}
	for file, there := range found {
		if !there {
			t.Errorf("no %s of the archive says what it should", file)
		}
	}
}
