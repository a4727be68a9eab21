package file_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/filedelete"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// ask puts a question to the server as the hub does, which may stop waiting.
func (d *desk) ask(ctx context.Context, m wire.Method, params any) {
	d.t.Helper()
	_, _ = d.methods.Answer(ctx, m, json.RawMessage(text(d.t, params))) // what comes of it shows on the disk
}

// deleted lets an agent delete a folder with two files.
func (d *desk) deleted() {
	d.t.Helper()
	d.Write(d.t, map[string]string{"old/a.txt": "A", "old/b.txt": "B"})
	g := tooltest.NewGate(d.t, d.Dir, filedelete.New(d.Root, d.versions))
	if w := g.Do(d.t, "file_delete", policy.FileDeleteArgs{Path: "old"}); w.State != wire.ToolDone || d.Has("old") {
		d.t.Fatalf("%+v", w)
	}
}

// TestTakeBack_late: what takes longer than the hub waits is done to its end.
func TestTakeBack_late(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.deleted()
	me := portaltest.Signer()
	back := formAct(t, d.Get("/app/files"), "#changes form")
	var sig *wire.Signature
	portaltest.Must(t, json.Unmarshal([]byte(d.sign(me, back)), &sig))
	ctx, stop := context.WithCancel(t.Context())
	d.looked = stop
	d.ask(ctx, wire.MethodFilesChange, wire.FileChange{Act: back, Signature: sig, By: wire.DecidedBy{Name: "owner"}})
	if ctx.Err() == nil {
		t.Fatal("it was not late")
	}
	folder := formAct(t, d.Get("/app/files"), "#add form[data-names=path]")
	folder.Path = "after" // waits until the other is done
	if got := d.do(folder, d.sign(me, folder)); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("folder: %d", got.StatusCode)
	}
	if d.Read(t, "old/a.txt") != "A" || d.Read(t, "old/b.txt") != "B" {
		t.Error("it is not as it was")
	}
}

// whole is an upload that has arrived and is not finished yet.
func (d *desk) whole(name, before string, content []byte) *sending {
	d.t.Helper()
	s := d.sending(name, content)
	s.act.Before = before
	status, _ := s.begin(d.sign(portaltest.Signer(), s.act))
	wantStatus(d.t, "begin", status, http.StatusOK)
	for i := range s.parts {
		status, _ = s.part(i, s.stretch(i))
		wantStatus(d.t, "part", status, http.StatusOK)
	}
	return s
}

// TestUpload_late: an upload is not thrown away because nobody waits for its end.
func TestUpload_late(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{"a.txt": "old"})
	s := d.whole("a.txt", formAct(t, d.Get(at("/app/files/view", "a.txt")), "#delete").Before, []byte("new"))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	d.ask(ctx, wire.MethodFilesFinish, wire.FileFinish{ID: s.act.ID})
	wantStatus(t, "finish", s.finish(), http.StatusOK)
	if d.Read(t, "a.txt") != "new" || len(d.receipts("file.done")) != 1 {
		t.Errorf("it is not there: %q", d.receipts("file.failed"))
	}
}

// TestUpload_crashed: an upload goes on after a crash, whether it left a half written file or the file in its place.
func TestUpload_crashed(t *testing.T) {
	t.Parallel()
	d := open(t)
	half := d.whole("half.txt", "", []byte("all of it"))
	d.Write(t, map[string]string{".gatehouse-" + half.act.ID: "all"})
	wantStatus(t, "finish", half.finish(), http.StatusOK)
	placed := d.whole("placed.txt", "", []byte("all of it"))
	d.Write(t, map[string]string{"placed.txt": "all of it"})
	wantStatus(t, "finish", placed.finish(), http.StatusOK)
	other := d.whole("other.txt", "", []byte("all of it"))
	d.Write(t, map[string]string{"other.txt": "of others"})
	wantStatus(t, "over another", other.finish(), http.StatusConflict)
	if d.Read(t, "half.txt") != "all of it" || d.Read(t, "other.txt") != "of others" || d.Has(".gatehouse-"+half.act.ID) {
		t.Error("it is not as it should be")
	}
	for _, name := range []string{"half.txt", "placed.txt"} {
		if !d.marked(name) {
			t.Errorf("%s is not marked", name)
		}
	}
}

func (d *desk) marked(name string) bool {
	d.t.Helper()
	var n int
	row := d.db.Read().QueryRowContext(d.t.Context(), "SELECT count(*) FROM derived_files WHERE path = ?", name)
	portaltest.Must(d.t, row.Scan(&n))
	return n > 0
}

func (d *desk) exec(query string, args ...any) {
	d.t.Helper()
	portaltest.Must(d.t, d.db.Write(d.t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}))
}

// TestUpload_room: uploads under way keep the room that they will need.
func TestUpload_room(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.free = 256_000_000 + 3*1000
	first := d.sending("a.bin", noise(1000))
	status, _ := first.begin(d.sign(portaltest.Signer(), first.act))
	wantStatus(t, "first", status, http.StatusOK)
	second := d.sending("b.bin", noise(1000))
	status, _ = second.begin(d.sign(portaltest.Signer(), second.act))
	wantStatus(t, "second", status, http.StatusConflict)
}

// TestTakeBack_marks: what came from outside comes back as that, file by file, however long it was gone.
func TestTakeBack_marks(t *testing.T) {
	t.Parallel()
	d := open(t)
	me := portaltest.Signer()
	for _, name := range []string{"old/a.txt", "one.txt"} {
		d.exec("INSERT INTO derived_files (path, source, ref, at) VALUES (?, 'a letter', 'l', 1)", name)
	}
	d.deleted()
	d.Write(t, map[string]string{"one.txt": "1"})
	remove := formAct(t, d.Get(at("/app/files/view", "one.txt")), "#delete")
	if got := d.do(remove, d.sign(me, remove)); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("delete: %d", got.StatusCode)
	}
	d.exec("DELETE FROM derived_files") // as a month later
	forms := d.Get("/app/files").Find("#changes form")
	for i := range forms.Length() {
		var a wire.FileAct
		portaltest.Must(t, json.Unmarshal([]byte(forms.Eq(i).AttrOr("data-change-body", "")), &a))
		if got := d.do(a, d.sign(me, a)); got.StatusCode != http.StatusSeeOther {
			t.Errorf("take back %s: %d", a.Path, got.StatusCode)
		}
	}
	if !d.marked("old/a.txt") || !d.marked("one.txt") || d.marked("old/b.txt") {
		t.Error("the marks are not as they were")
	}
}

// TestMove_marks: the marks of what is in a folder go along when it gets another name.
func TestMove_marks(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{"in/a.txt": "A"})
	for _, name := range []string{"in/a.txt", "out/a.txt"} { // the second one is gone
		d.exec("INSERT INTO derived_files (path, source, ref, at) VALUES (?, 'a letter', 'l', 1)", name)
	}
	move := formAct(t, d.Get(at("/app/files", "in")), "#acts form[data-names=to]")
	move.To = "out"
	got := d.do(move, d.sign(portaltest.Signer(), move))
	if got.StatusCode != http.StatusSeeOther || !d.marked("out/a.txt") || d.marked("in/a.txt") {
		t.Errorf("move: %d", got.StatusCode)
	}
	if _, err := os.Stat(filepath.Join(d.Data, "out/a.txt")); err != nil {
		t.Error(err)
	}
}
