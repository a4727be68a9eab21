package file_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/filedelete"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// formAct is the act of a form of a page, as the script would sign it.
func formAct(t *testing.T, page portaltest.Answer, sel string) wire.FileAct {
	t.Helper()
	form := page.Find(sel)
	var a wire.FileAct
	if err := json.Unmarshal([]byte(form.Find("input[name=act]").AttrOr("value", "")), &a); err != nil || form.Length() != 1 {
		t.Fatalf("%s: %d forms, %v", sel, form.Length(), err)
	}
	if form.AttrOr("data-change", "") != "file" || form.AttrOr("data-change-body", "") != form.Find("input[name=act]").AttrOr("value", "") {
		t.Fatalf("%s: what is signed is not what is sent", sel)
	}
	return a
}

// do sends an act as its form does.
func (d *desk) do(a wire.FileAct, signature string) portaltest.Answer {
	d.t.Helper()
	return d.Post("/app/files/change", url.Values{"act": {text(d.t, a)}, "signature": {signature}})
}

// TestChange: folders are made, files renamed and deleted, each signed, once, and on record; what was deleted comes back.
func TestChange(t *testing.T) {
	t.Parallel()
	d := open(t)
	me := portaltest.Signer()
	folder := formAct(t, d.Get("/app/files"), "#add form[data-names=path]")
	folder.Path = "Letters 2026"
	got := d.do(folder, d.sign(me, folder))
	if got.StatusCode != http.StatusSeeOther || !d.Has("Letters 2026") {
		t.Fatalf("folder: %d", got.StatusCode)
	}
	if got = d.Get(got.Header.Get("Location")); !strings.Contains(got.Find("[data-toast]").Text(), "Letters 2026 is there now") {
		t.Errorf("nothing says so: %s", got.Find("[data-toast]").Text())
	}
	d.Write(t, map[string]string{"a.txt": "one"})
	move := formAct(t, d.Get(at("/app/files/view", "a.txt")), "#acts form[data-names=to]")
	move.To = "Letters 2026/b.txt"
	got = d.do(move, d.sign(me, move))
	if got.StatusCode != http.StatusSeeOther || d.Read(t, "Letters 2026/b.txt") != "one" || d.Has("a.txt") {
		t.Fatalf("move: %d", got.StatusCode)
	}
	page := d.Get(at("/app/files/view", "Letters 2026/b.txt"))
	portaltest.WantSound(t, "a file", page.Document)
	remove := formAct(t, page, "#delete")
	signature := d.sign(me, remove)
	if got = d.do(remove, signature); got.StatusCode != http.StatusSeeOther || d.Has("Letters 2026/b.txt") {
		t.Fatalf("delete: %d", got.StatusCode)
	}
	d.Write(t, map[string]string{"Letters 2026/b.txt": "another"})
	if got = d.do(remove, signature); got.StatusCode == http.StatusSeeOther || !d.Has("Letters 2026/b.txt") {
		t.Errorf("the same signature deleted twice: %d", got.StatusCode)
	}
	portaltest.Must(t, os.Remove(filepath.Join(d.Data, "Letters 2026/b.txt")))
	page = d.Get(at("/app/files", "Letters 2026"))
	portaltest.WantSound(t, "a folder", page.Document)
	if says := page.Find("#changes").Text(); !strings.Contains(says, "b.txt") || !strings.Contains(says, "Deleted by "+d.of.Email) {
		t.Errorf("%s", says)
	}
	back := formAct(t, page, "#changes form")
	if got = d.do(back, d.sign(me, back)); got.StatusCode != http.StatusSeeOther || d.Read(t, "Letters 2026/b.txt") != "one" {
		t.Fatalf("take back: %d", got.StatusCode)
	}
	if n := len(d.receipts("file.done")); n != 4 {
		t.Errorf("%d acts are on record", n)
	}
}

// TestChange_refused: what nobody signed for is refused, and so is what was not seen, leads out, or hides a secret.
func TestChange_refused(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{"a.txt": "one", "b.txt": "two", "full/x": "", "shop/.env": "K=1"})
	d.link(d.Path, "up")
	me := portaltest.Signer()
	page := d.Get(at("/app/files/view", "a.txt"))
	remove := formAct(t, page, "#delete")
	for what, signature := range map[string]string{"unsigned": "", "a stranger": d.sign(portaltest.Stranger(), remove)} {
		if got := d.do(remove, signature); got.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", what, got.StatusCode)
		}
	}
	other := remove
	other.Path = "b.txt"
	if got := d.do(other, d.sign(me, remove)); got.StatusCode != http.StatusForbidden {
		t.Errorf("of another file: %d", got.StatusCode)
	}
	d.Write(t, map[string]string{"a.txt": "changed by the team"})
	if got := d.do(remove, d.sign(me, remove)); got.StatusCode != http.StatusConflict {
		t.Errorf("of a file that was changed: %d", got.StatusCode)
	}
	before := formAct(t, d.Get(at("/app/files/view", "b.txt")), "#delete").Before
	for _, to := range []string{"../b.txt", "up/b.txt", "/tmp/b.txt", "a.txt", ".env", ".ssh/b", "none/b.txt", "full", ""} {
		a := wire.FileAct{ID: portaltest.NewID(), Do: wire.FileDoMove, Path: "b.txt", To: to, Before: before}
		if got := d.do(a, d.sign(me, a)); got.StatusCode < 400 {
			t.Errorf("moved to %q: %d", to, got.StatusCode)
		}
	}
	for _, path := range []string{"full", "shop"} {
		a := formAct(t, d.Get(at("/app/files", path)), "#delete")
		if got := d.do(a, d.sign(me, a)); got.StatusCode < 400 {
			t.Errorf("%s was deleted with all in it: %d", path, got.StatusCode)
		}
	}
	a := formAct(t, d.Get(at("/app/files", "shop")), "#acts form[data-names=to]")
	a.To = "harmless"
	if got := d.do(a, d.sign(me, a)); got.StatusCode < 400 || !d.Has("shop/.env") {
		t.Errorf("a folder with secrets got another name: %d", got.StatusCode)
	}
	if all, err := d.versions.List(); err != nil || len(all) != 0 {
		t.Errorf("what was not deleted could be taken back: %+v, %v", all, err)
	}
	for _, name := range []string{"a.txt", "b.txt", "full/x"} {
		if !d.Has(name) {
			t.Errorf("%s is gone", name)
		}
	}
	if len(d.receipts("file.done")) != 0 || len(d.receipts("file.failed")) == 0 {
		t.Errorf("on record: %q", d.receipts("file.done"))
	}
}

// TestTakeBack_team: what an agent has changed, made and deleted is listed with its name, and is taken back.
func TestTakeBack_team(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{"menu.txt": "soup", "old/a.txt": "A", "old/b.txt": "B"})
	g := tooltest.NewGate(t, d.Dir, d.writes, filedelete.New(d.Root, d.versions))
	for _, args := range []policy.FileWriteArgs{{Path: "menu.txt", Content: "salad"}, {Path: "made.txt", Content: "new"}} {
		if o := g.Do(t, "file_write", args); o.State != wire.ToolDone {
			t.Fatalf("%+v", o)
		}
	}
	w := g.Do(t, "file_delete", policy.FileDeleteArgs{Path: "old"})
	if w.State != wire.ToolDone || d.Has("old/a.txt") {
		t.Fatalf("%+v", w)
	}
	page := d.Get("/app/files")
	text := strings.Join(strings.Fields(page.Find("#changes").Text()), " ")
	for _, want := range []string{"2 files deleted by Secretary", "Made by Secretary", "Changed by Secretary"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	forms := page.Find("#changes form")
	for i := range forms.Length() {
		var a wire.FileAct
		portaltest.Must(t, json.Unmarshal([]byte(forms.Eq(i).AttrOr("data-change-body", "")), &a))
		if got := d.do(a, ""); got.StatusCode != http.StatusForbidden {
			t.Errorf("unsigned: %d", got.StatusCode)
		}
		if got := d.do(a, d.sign(portaltest.Signer(), a)); got.StatusCode != http.StatusSeeOther {
			t.Errorf("take back %s: %d %s", a.Path, got.StatusCode, got.Find("[data-problem]").Text())
		}
	}
	if d.Read(t, "menu.txt") != "soup" || d.Has("made.txt") || d.Read(t, "old/a.txt") != "A" || d.Read(t, "old/b.txt") != "B" {
		t.Error("it is not as it was")
	}
}

// TestTakeBack_later: a change that others came after says so, and is taken back only by who was told.
func TestTakeBack_later(t *testing.T) {
	t.Parallel()
	d := open(t)
	me := portaltest.Signer()
	d.Write(t, map[string]string{"menu.txt": "soup", "mine.txt": "one"})
	g := tooltest.NewGate(t, d.Dir, d.writes)
	if o := g.Do(t, "file_write", policy.FileWriteArgs{Path: "menu.txt", Content: "salad"}); o.State != wire.ToolDone {
		t.Fatalf("%+v", o)
	}
	up := d.whole("mine.txt", formAct(t, d.Get(at("/app/files/view", "mine.txt")), "#delete").Before, []byte("two"))
	wantStatus(t, "upload", up.finish(), http.StatusOK)
	for _, name := range []string{"menu.txt", "mine.txt"} {
		view := at("/app/files/view", name)
		page := d.Get(view)
		if plain := formAct(t, page, "#changes form"); plain.Anyway || strings.Contains(page.Find("#changes").Text(), "Changed again") {
			t.Errorf("%s was not changed since: %+v", name, plain)
		}
		was := d.Read(t, name)
		d.Write(t, map[string]string{name: was + ", by hand"})
		page = d.Get(view)
		portaltest.WantSound(t, "changed since", page.Document)
		back := formAct(t, page, "#changes form")
		dialog := page.Find("#" + page.Find("#changes form").AttrOr("data-confirm", "none"))
		if !back.Anyway || !strings.Contains(page.Find("#changes").Text(), "Changed again since then") || dialog.Length() != 1 {
			t.Errorf("%s: nothing says that it was changed since", name)
		}
		silent := back
		silent.Anyway = false
		if got := d.do(silent, d.sign(me, silent)); got.StatusCode != http.StatusConflict || d.Read(t, name) != was+", by hand" {
			t.Errorf("%s: taken back silently: %d", name, got.StatusCode)
		}
		if got := d.do(back, d.sign(me, back)); got.StatusCode != http.StatusSeeOther || d.Read(t, name) == was+", by hand" {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
		if page = d.Get(view); page.Find("#changes form").Length() == 0 {
			t.Errorf("%s: what was there is not kept", name)
		}
	}
	if d.Read(t, "menu.txt") != "soup" || d.Read(t, "mine.txt") != "one" {
		t.Error("it is not as it was")
	}
}

// TestChange_unkept: what is too large to be kept is said before it is deleted or replaced, and after.
func TestChange_unkept(t *testing.T) {
	t.Parallel()
	d := open(t)
	me := portaltest.Signer()
	d.Write(t, map[string]string{"big.txt": strings.Repeat("x", 1000), "old.txt": strings.Repeat("y", 1000)})
	remove := formAct(t, d.Get(at("/app/files/view", "big.txt")), "#delete")
	d.free = 300_000_000
	if says := d.Get(at("/app/files/view", "big.txt")).Find("#acts").Text(); !strings.Contains(says, "for up to 30 days") {
		t.Errorf("there is room: %s", says)
	}
	d.free = 3999
	if says := d.Get(at("/app/files/view", "big.txt")).Find("#acts").Text(); !strings.Contains(says, "you cannot take that back") {
		t.Errorf("there is none: %s", says)
	}
	_, about := answeredGet[wire.FileInfo](d, at("/app/files/about", "big.txt"))
	if !about.Unkept {
		t.Errorf("%+v", about)
	}
	got := d.do(remove, d.sign(me, remove))
	page := d.Get(got.Header.Get("Location"))
	if says := page.Find("[data-toast]").Text(); d.Has("big.txt") || !strings.Contains(says, "No copy could be kept") {
		t.Errorf("%d: %s", got.StatusCode, says)
	}
	if page.Find("#changes form").Length() != 0 {
		t.Error("it could be taken back")
	}
	d.free = 1 << 40
	up := d.whole("old.txt", formAct(t, d.Get(at("/app/files/view", "old.txt")), "#delete").Before, []byte("new"))
	d.free = 3999
	status, info := answered[wire.FileInfo](d, "/app/files/finish", url.Values{"id": {up.act.ID}})
	if wantStatus(t, "finish", status, http.StatusOK); !info.Unkept {
		t.Errorf("%+v", info)
	}
}

func answeredGet[T any](d *desk, path string) (int, T) {
	d.t.Helper()
	var out T
	got := d.Get(path)
	portaltest.Must(d.t, json.Unmarshal([]byte(got.Source), &out))
	return got.StatusCode, out
}
