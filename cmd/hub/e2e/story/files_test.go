package story

import (
	"archive/zip"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/leakscan"
	"gatehouse/cmd/hub/e2e"
)

// partsSent makes a page note which stretches it sends, and lets the one with this number never arrive; -1 lets all.
func partsSent(p *e2e.Page, hang string) {
	e2e.Eval[bool](p, `(() => {
		const send = window.fetch
		window.parts = []
		window.fetch = (path, o) => {
			if (String(path).endsWith("/part")) {
				const index = o.body.get("index")
				window.parts.push(index)
				if (index === `+e2e.Quote(hang)+`) return new Promise(() => {})
			}
			return send(path, o)
		}
		return true
	})()`)
}

// choose puts a file of this machine into the form.
func choose(p *e2e.Page, file string) {
	p.Do(chromedp.SetUploadFiles(chromedp.CSS("#upload-files"), []string{file}))
}

// TestFiles: the owner uploads a file, leaves in the middle, goes on, looks at it, has it back as it was, renames it, deletes
// it and takes that back; each change is in the folder of the business the moment the page says so.
func TestFiles(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	canary := rand.Text()
	content := bytes.Repeat([]byte("Rye bread, 750 g, 4.20, "+canary+"\n"), 13_000) // three stretches
	file := filepath.Join(t.TempDir(), "Price list.txt")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Open("/app/files")
	partsSent(p, "1")
	choose(p, file)
	p.Click("[data-upload] button[type=submit]")
	p.Until("the second stretch is on its way", `window.parts.includes("1")`)
	p.Shots("files-uploading")
	p.Open("/app/files")
	partsSent(p, "-1")
	choose(p, file)
	p.Click("[data-upload] button[type=submit]")
	p.See("[data-uploads]", "Uploaded")
	p.See("#files", "Price list.txt")
	if sent := e2e.Eval[string](p, `window.parts.join()`); sent != "1,2" {
		t.Errorf("gone on with the stretches %s", sent)
	}
	wantFile(t, h.Data("Price list.txt"), content)
	p.Shots("files")
	p.Open("/app/files/view?path=Price+list.txt")
	p.See("#preview", "Rye bread")
	p.Shots("files-one")
	wantDownload(p, content)
	p.Click("#acts summary")
	p.Write("#acts input[type=text]", "Prices.txt")
	p.Leave("#acts [data-names] button")
	p.See("h1", "Prices.txt")
	wantFile(t, h.Data("Prices.txt"), content)
	p.Click("#acts summary")
	p.Click("#delete button")
	p.Shots("files-delete")
	p.Leave("[data-confirmed]")
	p.See("#changes", "Deleted by "+h.Demo.Customer.Email)
	if _, err := os.Stat(h.Data("Prices.txt")); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	p.Shots("files-deleted")
	p.Leave("#changes form button")
	p.See("h1", "Prices.txt")
	wantFile(t, h.Data("Prices.txt"), content)
	wantPacked(p, "Prices.txt", content)
	wantNotAtHub(t, h, canary)
}

// wantPacked has the server pack all files, opens the archive that the browser puts together, and compares one.
func wantPacked(p *e2e.Page, name string, content []byte) {
	p.T.Helper()
	p.Open("/app/settings/data")
	p.Click("form[action='/app/settings/data'] button")
	p.See("[data-toast]", "has made the archive")
	p.Shots("data")
	e2e.Eval[bool](p, `(() => {
		const make = URL.createObjectURL
		URL.createObjectURL = blob => {
			const reader = new FileReader()
			reader.onload = () => { window.packed = reader.result.split(",")[1] }
			reader.readAsDataURL(blob)
			return make(blob)
		}
		return true
	})()`)
	p.Click("[data-download] button")
	p.Until("the archive to be put together", `window.packed`)
	raw, err := base64.StdEncoding.DecodeString(e2e.Eval[string](p, `window.packed`))
	if err != nil {
		p.T.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		p.T.Fatal(err)
	}
	in, err := z.Open("files/" + name)
	if err != nil {
		p.T.Fatal(err)
	}
	got, err := io.ReadAll(in)
	if err := errors.Join(err, in.Close()); err != nil || !bytes.Equal(got, content) {
		p.T.Errorf("the archive has %d of %d bytes of %s, %v", len(got), len(content), name, err)
	}
}

// wantNotAtHub looks for what stands in a file of the business in everything that the hub keeps: its tables, logs and mails, and
// every file in its folder that is not the server's.
func wantNotAtHub(t *testing.T, h *e2e.Hub, canary string) {
	t.Helper()
	s := leakscan.New(leakscan.Canary{Name: "what the file says", Value: canary})
	if at, err := os.ReadFile(h.Data("Prices.txt")); err != nil || len(s.Bytes("the file", at)) == 0 {
		t.Fatalf("the search does not find it where it is, %v", err)
	}
	for _, leak := range h.Scan(t, s) {
		t.Error(leak)
	}
	looked := 0
	err := filepath.WalkDir(h.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == filepath.Join(h.Dir, "servers") {
			return fs.SkipDir // the database removes files meanwhile
		}
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil //nolint:nilerr // the same
		}
		looked++
		if bytes.Contains(b, []byte(canary)) {
			t.Errorf("%s holds what the file says", path)
		}
		return nil
	})
	if err != nil || looked < 5 { // the database lies apart: its tables were searched above
		t.Fatalf("%d files of the hub were looked at, %v", looked, err)
	}
}

// wantFile checks what lies in the folder of the business.
func wantFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("%s: %d bytes, %v", path, len(got), err)
	}
}

// wantDownload checks what the browser puts together.
func wantDownload(p *e2e.Page, content []byte) {
	p.T.Helper()
	e2e.Eval[bool](p, `(() => {
		const make = URL.createObjectURL
		URL.createObjectURL = blob => {
			blob.arrayBuffer().then(b => crypto.subtle.digest("SHA-256", b)).then(d => {
				window.got = [...new Uint8Array(d)].map(b => b.toString(16).padStart(2, "0")).join("")
			})
			return make(blob)
		}
		return true
	})()`)
	p.Click("[data-download] button")
	p.Until("the file to be put together", `window.got`)
	sum := sha256.Sum256(content)
	if got := e2e.Eval[string](p, `window.got`); !strings.EqualFold(got, hex.EncodeToString(sum[:])) {
		p.T.Errorf("downloaded was another file: %s", got)
	}
}

// TestFiles_own: an upload that was cut does not go on as something else than the owner says now; one that replaced a file is
// taken back over a later change only after a question.
func TestFiles_own(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	content := bytes.Repeat([]byte("Rye bread, 750 g, 4.20\n"), 26_000) // three stretches
	file := filepath.Join(t.TempDir(), "List.txt")
	wantWritten(t, file, content)
	wantWritten(t, h.Data("List.txt"), []byte("before"))
	send := func(own bool, hang string) {
		p.Open("/app/files")
		partsSent(p, hang)
		e2e.Eval[bool](p, `(() => { window.asked = []; window.confirm = says => window.asked.push(says) > 0; return true })()`)
		if e2e.Eval[bool](p, `document.querySelector("[data-upload] [name=own]").checked`) != own {
			p.Click("[data-upload] [name=own]")
		}
		choose(p, file)
		p.Click("[data-upload] button[type=submit]")
	}
	send(false, "1")
	p.Until("the second stretch is on its way", `window.parts.includes("1")`)
	send(true, "-1")
	p.See("[data-uploads]", "Uploaded")
	if sent := e2e.Eval[string](p, `window.parts.join()`); sent != "0,1,2" {
		t.Errorf("what is their own went on with the stretches %s", sent)
	}
	if asked := e2e.Eval[string](p, `window.asked.join()`); !strings.Contains(asked, "for up to 30 days") {
		t.Errorf("asked: %s", asked)
	}
	wantFile(t, h.Data("List.txt"), content)
	wantWritten(t, h.Data("List.txt"), []byte("by hand"))
	p.Open("/app/files/view?path=List.txt")
	p.See("#changes", "Changed again since then")
	p.Shots("files-later")
	p.Click("#changes form button")
	p.See("dialog[open]", "also undoes the later changes")
	p.Shots("files-later-sure")
	p.Leave("dialog[open] [data-confirmed]")
	p.See("[data-toast]", "is as it was before")
	wantFile(t, h.Data("List.txt"), []byte("before"))
}

// wantWritten writes a file.
func wantWritten(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}
