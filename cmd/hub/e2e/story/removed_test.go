package story

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/cmd/hub/e2e"
)

// TestRemoved: what was uploaded and is no longer there, or was taken out before it arrived, leaves the list that it stood in, and
// the page says what happened to the file. What comes after it in the list is uploaded.
func TestRemoved(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	month := "Uploads/" + time.Now().Format("2006-01") + "/"
	dir := t.TempDir()
	large, small := filepath.Join(dir, "Price list.txt"), filepath.Join(dir, "offer.txt")
	wantWritten(t, large, bytes.Repeat([]byte("Rye bread, 750 g, 4.20\n"), 26_000)) // three stretches
	wantWritten(t, small, []byte("one"))
	gone := func(list, name string) {
		t.Helper()
		p.Until(name+" to leave the list", `![...document.querySelectorAll(`+e2e.Quote(list)+`)]
			.some(e => e.textContent.includes(`+e2e.Quote(name)+`))`)
	}

	p.Open("/app/chat/agent/it-admin?new=1")
	attach(p, small)
	p.Until("the upload", `document.querySelector("[data-attached] [data-state=done]")`)
	if err := os.Remove(h.Data(month + "offer.txt")); err != nil {
		t.Fatal(err)
	}
	p.Open("/app/chat/agent/it-admin?new=1")
	p.See("[data-attach-note]", "deleted or moved")
	gone("[data-attached] > li", "offer.txt")
	p.Shots("removed-gone")
	p.Open("/app/chat/agent/it-admin?new=1")
	if n := e2e.Eval[int](p, `document.querySelectorAll("[data-attached] > li").length`); n != 0 {
		t.Errorf("it is listed again after a reload: %d", n)
	}

	partsSent(p, "1")
	attach(p, large)
	p.Until("the second stretch is on its way", `window.parts.includes("1")`)
	attach(p, small)
	p.Click("[data-attached] > li:first-child button")
	gone("[data-attached] > li", "Price list.txt")
	p.See("[data-attach-note]", "Price list.txt was not uploaded")
	p.Until("the next upload", `document.querySelector("[data-attached] [data-state=done]")`)
	if _, err := os.Stat(h.Data(month + "Price list.txt")); !os.IsNotExist(err) {
		t.Errorf("what was taken out has arrived: %v", err)
	}

	p.Open("/app/files")
	partsSent(p, "1")
	choose(p, large)
	p.Click("[data-upload] button[type=submit]")
	p.Until("the second stretch is on its way", `window.parts.includes("1")`)
	p.Click("[data-uploads] > li button")
	gone("[data-uploads] > li", "Price list.txt")
	p.See("[data-upload]", "Price list.txt was not uploaded")
	p.Shots("removed-files")
	choose(p, small)
	p.Click("[data-upload] button[type=submit]")
	p.See("[data-uploads]", "Uploaded")
	wantFile(t, h.Data("offer.txt"), []byte("one"))
}
