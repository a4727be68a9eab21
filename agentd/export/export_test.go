package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/export"
	"gatehouse/agentd/files"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/tools/version"
	"gatehouse/agentd/wire"
)

const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

// server answers as one with a few conversations, of which the first has many turns.
type server struct {
	sync.Mutex
	hold chan struct{} // not nil: the list of conversations is answered when it is closed
	gone string        // a conversation that is deleted while the archive is made
}

func (s *server) ask(_ context.Context, m wire.Method, raw json.RawMessage) (any, error) {
	s.Lock()
	hold := s.hold
	s.Unlock()
	if hold != nil {
		<-hold
	}
	switch m {
	case wire.MethodSessionsList:
		var p wire.ListParams
		if err := json.Unmarshal(raw, &p); err != nil || p.Archived {
			return wire.SessionsResult{}, err
		}
		return wire.SessionsResult{Items: []wire.SessionInfo{
			{ID: "s1", Title: "Prices & more: " + token, Agent: "dispatcher"}, {ID: "s2", Title: "Gone"}, {ID: "s3", Title: "…"},
		}}, nil
	case wire.MethodSessionGet:
		var p wire.SessionParams
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
		if p.SessionID == s.gone {
			return nil, &wire.RPCError{Code: "not_found", Text: "It is not here."}
		}
		return s.session(p), nil
	case wire.MethodMemoryList:
		var p wire.MemoryParams
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
		switch {
		case p.Held:
			return wire.MemoryResult{Items: []wire.MemoryNote{{ID: "odd", Text: "put aside", Held: "It reads odd."}}}, nil
		case p.After == "":
			return wire.MemoryResult{Items: []wire.MemoryNote{{ID: "n1", Text: "key " + token}}, Next: "n1"}, nil
		}
		return wire.MemoryResult{Items: []wire.MemoryNote{{ID: "n2", Text: "after " + p.After}}}, nil
	case wire.MethodSchedulesList:
		return wire.SchedulesResult{Items: []wire.Schedule{{ID: "every-monday"}}}, nil
	case wire.MethodHooksList:
		return wire.HooksResult{Items: []wire.Hook{{ID: "h1", Name: "orders", Task: "key " + token}}}, nil
	case wire.MethodEventRulesList:
		return wire.EventRulesResult{Items: []wire.EventRule{{ID: "e1", Name: "When a run fails", Task: "key " + token}}}, nil
	case wire.MethodPermissionsGet:
		return wire.Permissions{Version: 3, Text: "version: 1\n"}, nil
	case wire.MethodSecretsList:
		return wire.SecretsResult{Items: []wire.SecretInfo{{Name: "shop.api_key"}}}, nil
	}
	return struct{}{}, nil
}

// session has 25 turns.
func (s *server) session(p wire.SessionParams) wire.Session {
	end := 25
	if p.Before != "" {
		_, _ = fmt.Sscanf(p.Before, "r%d", &end) // ours
	}
	out := wire.Session{SessionInfo: wire.SessionInfo{ID: p.SessionID}, More: end-p.Limit > 0}
	for n := max(0, end-p.Limit); n < end; n++ {
		run := wire.Run{
			RunInfo: wire.RunInfo{ID: fmt.Sprintf("r%d", n), Agent: "secretary"}, Final: &wire.FinalData{Text: fmt.Sprintf("answer %d", n)},
			Calls: []wire.CallInfo{{Agent: "secretary", Summary: "E-mail to a@example.com: Hours", State: wire.ToolDone}},
		}
		out.Turns = append(out.Turns, wire.Turn{Run: run, Text: fmt.Sprintf("question %d, the key is %s", n, token)})
	}
	return out
}

type rig struct {
	t   *testing.T
	dir string
	now time.Time
	all rpc.Methods
	ex  *export.Exporter

	tooltest.Dir // the files of the business
	shelf        export.Files
	free         int64 // bytes left on the disk

	restart func()
}

func start(t *testing.T, srv *server) *rig {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	storetest.Seed(t, state)
	r := &rig{t: t, dir: filepath.Join(state, "exports"), now: time.Now(), Dir: tooltest.NewDir(t), free: 1 << 40}
	kept := version.New(r.Root, time.Now, func() int64 { return r.free }, nil)
	r.shelf = files.New(files.Deps{Root: r.Root, Versions: kept, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	db, err := store.Open(state, func() time.Time { return r.now })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	log := receipt.New(db, func() time.Time { return r.now })
	err = db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := log.Append(tx, receipt.Entry{Type: "call.finished", Body: map[string]any{"summary": "Did it"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.restart = func() {
		r.ex = export.New(export.Deps{
			Dir: r.dir, DB: db, Receipts: log, Ask: srv.ask, Now: func() time.Time { return r.now }, Log: slog.New(slog.DiscardHandler),
			Files: r.shelf, Free: func() (state, data int64) { return r.free, r.free }, ServerID: func() string { return "server" },
		})
		r.all = r.ex.Methods()
	}
	r.restart()
	t.Cleanup(func() { r.ex.Close() })
	return r
}

func ask[R any](r *rig, m wire.Method, params any) (out R, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return out, err
	}
	got, err := r.all.Answer(context.Background(), m, raw)
	if err != nil {
		return out, err
	}
	return got.(R), nil
}

func (r *rig) made() wire.Export {
	r.t.Helper()
	got, err := ask[wire.Export](r, wire.MethodExportStart, wire.ExportStart{By: wire.Origin{Email: "owner@example.com"}})
	if err != nil || got.State != wire.ExportDone {
		r.t.Fatalf("%+v, %v", got, err)
	}
	return got
}

// download reads an archive in stretches from an offset.
func (r *rig) download(e wire.Export, from int64) []byte {
	r.t.Helper()
	var all []byte
	for at := from; at < e.Size; {
		got, err := ask[wire.Boxed](r, wire.MethodExportRead, wire.ExportRead{ID: e.ID, Offset: at})
		if err != nil || len(got.Box) == 0 {
			r.t.Fatalf("at %d: %d bytes, %v", at, len(got.Box), err)
		}
		all, at = append(all, got.Box...), at+int64(len(got.Box))
	}
	return all
}

func unzip(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err := errors.Join(err, in.Close()); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// TestExport: everything is in the archive, in order and whole, and no secret in clear; who asked for it is on record.
func TestExport(t *testing.T) {
	t.Parallel()
	r := start(t, &server{gone: "s2"})
	e := r.made()
	files := unzip(t, r.download(e, 0))
	var talk struct {
		Conversation wire.SessionInfo
		Turns        []wire.Turn
	}
	for name, text := range files {
		if strings.Contains(text, token) || strings.Contains(name, "ghp") {
			t.Errorf("%s holds a secret", name)
		}
		if strings.HasSuffix(name, "-s1.json") {
			if err := json.Unmarshal([]byte(text), &talk); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		whole := strings.Contains(text, "answer 0") && strings.Contains(text, "E-mail to a@example.com: Hours")
		if strings.HasSuffix(name, "-s1.md") && !whole {
			t.Errorf("%s: %s", name, text)
		}
	}
	if len(talk.Turns) != 25 || talk.Turns[0].Run.ID != "r0" || talk.Turns[24].Run.Final.Text != "answer 24" {
		t.Errorf("%d turns", len(talk.Turns))
	}
	for name, want := range map[string]string{
		"README.md": "values never leave the server", "receipts.jsonl": "data.exported", "rules/permissions.yaml": "version: 1",
		"credentials.json": "shop.api_key", "team.json": "{",
		"memory.jsonl": "after n1", "schedules.jsonl": "every-monday",
		"hooks.jsonl": "orders", "event-rules.jsonl": "When a run fails",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s: %q", name, files[name])
		}
	}
	notes := files["memory.jsonl"]
	if strings.Count(notes, "\n") != 3 || !strings.Contains(notes, "put aside") || strings.Contains(notes, token) {
		t.Errorf("notes: %s", notes)
	}
	if strings.Contains(files["hooks.jsonl"]+files["event-rules.jsonl"], token) {
		t.Errorf("hooks and rules hold a secret: %s%s", files["hooks.jsonl"], files["event-rules.jsonl"])
	}
	log := files["receipts.jsonl"]
	if strings.Count(log, "\n") != 2 || !strings.Contains(log, "owner@example.com") {
		t.Errorf("receipts: %s", log)
	}
	if e.Conversations != 2 || len(files) != 17 {
		t.Errorf("%d conversations, %d files", e.Conversations, len(files))
	}
}

// TestExport_again: a download goes on where it was cut, an archive outlives a restart, and is gone after its day; one that a
// restart has cut is begun anew.
func TestExport_again(t *testing.T) {
	t.Parallel()
	r := start(t, &server{})
	e := r.made()
	whole := r.download(e, 0)
	if rest := r.download(e, 100); !bytes.Equal(rest, whole[100:]) {
		t.Error("the rest of a download is another")
	}
	if err := os.WriteFile(filepath.Join(r.dir, "half.zip.part"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.ex.Close()
	r.restart()
	got, err := ask[wire.Export](r, wire.MethodExportGet, nil)
	if err != nil || got.ID != e.ID || got.State != wire.ExportDone || got.Size != e.Size {
		t.Errorf("after a restart: %+v, %v", got, err)
	}
	if all, err := os.ReadDir(r.dir); err != nil || len(all) != 3 {
		t.Errorf("%d files, %v", len(all), err)
	}
	next := r.made()
	if _, err := ask[wire.Boxed](r, wire.MethodExportRead, wire.ExportRead{ID: e.ID}); err == nil {
		t.Error("the former archive can still be read")
	}
	r.now = r.now.Add(wire.ExportKept + time.Hour)
	if _, err := ask[wire.Boxed](r, wire.MethodExportRead, wire.ExportRead{ID: next.ID}); err == nil {
		t.Error("an archive outlives its day")
	}
	if got, _ := ask[wire.Export](r, wire.MethodExportGet, nil); got.State != wire.ExportNone {
		t.Errorf("%+v", got)
	}
	if all, _ := os.ReadDir(r.dir); len(all) != 0 {
		t.Errorf("%d files left", len(all))
	}
}

// TestExport_oneAtATime: whoever asks while one is made gets that one; when agentd stops, it is not kept half.
func TestExport_oneAtATime(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	r := start(t, &server{hold: hold})
	first, err := ask[wire.Export](r, wire.MethodExportStart, nil)
	if err != nil || first.State != wire.ExportRunning {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, err := ask[wire.Boxed](r, wire.MethodExportRead, wire.ExportRead{ID: first.ID}); err == nil {
		t.Error("what is being made can be read")
	}
	second, err := ask[wire.Export](r, wire.MethodExportStart, nil)
	if err != nil || second.ID != first.ID {
		t.Errorf("%+v, %v", second, err)
	}
	closed := make(chan struct{})
	go func() { defer close(closed); r.ex.Close() }()
	close(hold)
	<-closed
	got, _ := ask[wire.Export](r, wire.MethodExportGet, nil)
	if all, _ := os.ReadDir(r.dir); got.State != wire.ExportFailed || len(all) != 0 {
		t.Errorf("%s, %d files left", got.State, len(all))
	}
}

// TestExport_forgets: an archive goes when its day is over though nobody asks, and at once when something in it was deleted.
func TestExport_forgets(t *testing.T) {
	t.Parallel()
	r := start(t, &server{})
	path := filepath.Join(r.dir, r.made().ID+".zip")
	almost := r.now.Add(50*time.Millisecond - wire.ExportKept)
	if err := os.Chtimes(path, almost, almost); err != nil {
		t.Fatal(err)
	}
	r.ex.Close()
	r.restart()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("an archive outlives its day")
		}
	}
	r.made()
	r.ex.Forget()
	if left, err := filepath.Glob(filepath.Join(r.dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if now, err := ask[wire.Export](r, wire.MethodExportGet, nil); err != nil || now.State != wire.ExportNone {
		t.Errorf("%+v, %v", now, err)
	}
	r.made()
}
