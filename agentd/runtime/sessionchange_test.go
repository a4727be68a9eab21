package runtime_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

// signers takes a signature whose key is "good" over what it was told to expect.
type signers struct{ body wire.SessionDeleteBody }

func (s *signers) Change(_ context.Context, _ *sql.Tx, k wire.ChangeKind, body any, sig *wire.Signature) (string, error) {
	if sig.KeyID != "good" || k != wire.ChangeSessionDelete || body != s.body {
		return "", &wire.RPCError{Code: "signature_required", Text: "The signature was refused: it is another."}
	}
	return sig.KeyID, nil
}

// owned is a server on which one conversation may be deleted with a signature.
func owned(t *testing.T, m model, dir, session string) *server {
	t.Helper()
	return startIn(t, dir, options{model: m, signed: &signers{wire.SessionDeleteBody{SessionID: session}}})
}

func try[R any](s *server, m wire.Method, params any) (out R, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return out, err
	}
	got, err := s.rt.Methods().Answer(context.Background(), m, raw)
	if err != nil {
		return out, err
	}
	return got.(R), nil
}

func deletion(session, key string) wire.SessionDelete {
	p := wire.SessionDelete{SessionID: session, By: owner}
	if key != "" {
		p.Signature = &wire.Signature{KeyID: key}
	}
	return p
}

func wantRefused(t *testing.T, what string, err error, code string) {
	t.Helper()
	var no *wire.RPCError
	if !errors.As(err, &no) || no.Code != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// TestSessionRename: a conversation takes the name that it is given, as one line, and no other than one that fits.
func TestSessionRename(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("x")})
	m, _ := s.ask(t, "it-admin", "How full is the disk?")
	info, err := try[wire.SessionInfo](s, wire.MethodSessionRename, wire.SessionRename{SessionID: m.SessionID, Title: "  The\n disk "})
	if err != nil || info.Title != "The disk" {
		t.Errorf("%+v, %v", info, err)
	}
	s.post(t, message(t, m.SessionID, "it-admin", "and now?"))
	for title, code := range map[string]string{"": "bad_request", " \n": "bad_request", strings.Repeat("é", 81): "bad_request"} {
		_, err := try[wire.SessionInfo](s, wire.MethodSessionRename, wire.SessionRename{SessionID: m.SessionID, Title: title})
		wantRefused(t, title, err, code)
	}
	longest := wire.SessionRename{SessionID: m.SessionID, Title: strings.Repeat("é", 80)}
	if _, err := try[wire.SessionInfo](s, wire.MethodSessionRename, longest); err != nil {
		t.Error(err)
	}
	_, err = try[wire.SessionInfo](s, wire.MethodSessionRename, wire.SessionRename{SessionID: id(t), Title: "x"})
	wantRefused(t, "one that is not there", err, "not_found")
}

// TestSessionArchive: one that is archived stands in the other list, until somebody takes it back or writes in it.
func TestSessionArchive(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("x")})
	m, _ := s.ask(t, "it-admin", "Hello")
	other, _ := s.ask(t, "it-admin", "Another")
	want := func(step string, archived bool, ids ...string) {
		t.Helper()
		got := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{Archived: archived})
		var all []string
		for _, c := range got.Items {
			all = append(all, c.ID)
			if c.Archived != archived {
				t.Errorf("%s: %+v", step, c)
			}
		}
		if strings.Join(all, " ") != strings.Join(ids, " ") {
			t.Errorf("%s, archived %v: %v, want %v", step, archived, all, ids)
		}
	}
	archive := func(on bool) {
		t.Helper()
		info, err := try[wire.SessionInfo](s, wire.MethodSessionArchive, wire.SessionArchive{SessionID: m.SessionID, Archived: on})
		if err != nil || info.Archived != on {
			t.Errorf("%+v, %v", info, err)
		}
	}
	archive(true)
	want("archived", false, other.SessionID)
	want("archived", true, m.SessionID)
	archive(false)
	want("taken back", false, other.SessionID, m.SessionID)
	archive(true)
	again := message(t, m.SessionID, "it-admin", "One more thing")
	s.post(t, again)
	s.watch.end(t, again.RunID)
	want("written in", true)
	want("written in", false, m.SessionID, other.SessionID)
}

// TestSessionDelete: what was said is gone from every table and from the file itself; the receipts stay, with one that says
// that a conversation was deleted and nothing of what it said. A message that comes late is refused.
func TestSessionDelete(t *testing.T) {
	t.Parallel()
	dir, session := t.TempDir(), id(t)
	s := owned(t, model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if newest(o).Role == llm.ToolReply {
			return say("zinnober was done, "+newest(o).Text, text)
		}
		text("I plumbago this.")
		return llm.Reply{Text: "I plumbago this.", Calls: []llm.Call{doit("a", "red", "the thing", "big")}}, nil
	}}, dir, session)
	m := message(t, session, "it-admin", "Please zinnober at once")
	s.post(t, m)
	asked := data[wire.ApprovalData](t, s.watch.until(t, "the question", isApproval(wire.ApprovalPending)))
	_, err := try[wire.SessionDeleted](s, wire.MethodSessionDelete, deletion(session, "good"))
	wantRefused(t, "while a request waits", err, "conflict")
	s.allow(t, &asked.Approval)
	s.watch.end(t, m.RunID)
	kept := filepath.Join(dir, "state", "results")
	if n := countFiles(t, kept); n != 1 {
		t.Fatalf("%d outputs kept", n)
	}
	for key, code := range map[string]string{"": "signature_required", "bad": "signature_required"} {
		_, err := try[wire.SessionDeleted](s, wire.MethodSessionDelete, deletion(session, key))
		wantRefused(t, "signed by "+key, err, code)
	}
	before := s.receiptTypes(t, m.RunID)
	for range 2 { // a repeat changes nothing
		if _, err := try[wire.SessionDeleted](s, wire.MethodSessionDelete, deletion(session, "good")); err != nil {
			t.Fatal(err)
		}
	}
	s.wantGone(t, m, session, asked.ID)
	if after := s.receiptTypes(t, m.RunID); after != before {
		t.Errorf("receipts %s, before %s", after, before)
	}
	deleted := s.receiptBodies(t, "conversation.deleted")
	if len(deleted) != 1 || !strings.Contains(deleted[0], session) || !strings.Contains(deleted[0], `"key_id":"good"`) {
		t.Errorf("receipts of the deletion: %q", deleted)
	}
	if n := countFiles(t, kept); n != 0 {
		t.Errorf("%d outputs left", n)
	}
	s.wantNowhere(t, "plumbago", "zinnober")
	wantNotInFiles(t, filepath.Join(dir, "state"), "zinnober") // the log keeps why an agent did something, not what it was told
}

// wantGone checks that no question about the conversation is answered any more.
func (s *server) wantGone(t *testing.T, m wire.ChatMessage, session, approval string) {
	t.Helper()
	_, err := try[wire.Session](s, wire.MethodSessionGet, wire.SessionParams{SessionID: session})
	wantRefused(t, "the conversation", err, "not_found")
	_, err = try[wire.Run](s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
	wantRefused(t, "its run", err, "not_found")
	_, err = s.Gate.Methods().Answer(t.Context(), wire.MethodApprovalGet, []byte(`{"id":"`+approval+`"}`))
	wantRefused(t, "its request", err, "not_found")
	late := message(t, session, "it-admin", "late")
	_, err = s.rt.Post(t.Context(), late)
	wantRefused(t, "a late message", err, "conflict")
	if all := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{}); len(all.Items) != 0 {
		t.Errorf("%+v", all)
	}
}

// wantNowhere checks every column of every table except those of the log.
func (s *server) wantNowhere(t *testing.T, words ...string) {
	t.Helper()
	for _, table := range s.strings(t, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('receipts')") {
		for _, column := range s.strings(t, "SELECT name FROM pragma_table_info('"+table+"')") {
			for _, word := range words {
				found := s.strings(t, `SELECT "`+column+`" FROM "`+table+`" WHERE instr(CAST("`+column+`" AS TEXT), '`+word+`') > 0`)
				if len(found) > 0 {
					t.Errorf("%s.%s still says %q", table, column, found[0])
				}
			}
		}
	}
}

func (s *server) strings(t *testing.T, query string, args ...any) (all []string) {
	t.Helper()
	rows, err := s.DB.Read().QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func (s *server) receiptTypes(t *testing.T, run string) string {
	t.Helper()
	return strings.Join(s.strings(t, "SELECT type FROM receipts WHERE run_id = ? ORDER BY seq", run), " ")
}

func (s *server) receiptBodies(t *testing.T, kind string) []string {
	t.Helper()
	return s.strings(t, "SELECT body FROM receipts WHERE type = ?", kind)
}

func countFiles(t *testing.T, dir string) int {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return len(all)
}

// wantNotInFiles looks for a word in the bytes of the database, where a deleted row could still lie.
func wantNotInFiles(t *testing.T, state, word string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(state, "*.db*"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, path := range all {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte(word)) {
			t.Errorf("%s still holds %q", filepath.Base(path), word)
		}
	}
}

// TestSessionDelete_otherParts: what other parts keep of a conversation goes in the transaction that deletes it. One that fails keeps it.
func TestSessionDelete_otherParts(t *testing.T) {
	t.Parallel()
	session, fails := id(t), true
	var heard []string
	s := startIn(t, t.TempDir(), options{
		model: once(doit("a", "green", "x", "")), signed: &signers{wire.SessionDeleteBody{SessionID: session}},
		forget: func(tx *sql.Tx, session string) error {
			var there bool
			const deleted = "SELECT EXISTS (SELECT 1 FROM deleted_sessions WHERE id = ?)"
			if err := tx.QueryRowContext(context.Background(), deleted, session).Scan(&there); err != nil || !there {
				t.Errorf("heard outside of the transaction: %v", err)
			}
			if fails {
				return errors.New("the disk is full")
			}
			heard = append(heard, session)
			return nil
		},
	})
	m := message(t, session, "it-admin", "Do it")
	s.post(t, m)
	s.watch.end(t, m.RunID)
	if _, err := try[wire.SessionDeleted](s, wire.MethodSessionDelete, deletion(session, "good")); err == nil {
		t.Error("deleted, though a part still keeps something")
	}
	if got, err := try[wire.Session](s, wire.MethodSessionGet, wire.SessionParams{SessionID: session}); err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	fails = false
	if _, err := try[wire.SessionDeleted](s, wire.MethodSessionDelete, deletion(session, "good")); err != nil {
		t.Fatal(err)
	}
	without := id(t) // a conversation in which nothing was said
	if done, err := s.rt.EraseSession(t.Context(), without); err != nil || !done {
		t.Errorf("%v, %v", done, err)
	}
	if !slices.Equal(heard, []string{session, without}) {
		t.Errorf("heard of %q", heard)
	}
}

// TestSessionDelete_limitsStillCount: a conversation that is deleted gives the agent no more calls than the owner's rules do.
func TestSessionDelete_limitsStillCount(t *testing.T) {
	t.Parallel()
	session := id(t)
	s := owned(t, once(doit("a", "green", "x", "")), t.TempDir(), session)
	m := message(t, session, "it-admin", "Do it")
	s.post(t, m)
	s.watch.end(t, m.RunID)
	if _, err := try[wire.SessionDeleted](s, wire.MethodSessionDelete, deletion(session, "good")); err != nil {
		t.Fatal(err)
	}
	got := s.strings(t, "SELECT state || ' ' || json_extract(body, '$.Class.tier') FROM gate_calls WHERE session_id = ?", session)
	if len(got) != 1 || got[0] != "done green" {
		t.Errorf("calls on record: %q", got)
	}
	err := s.DB.Write(t.Context(), applying(func(tx tx) error {
		_, err := tx.ExecContext(context.Background(), "UPDATE gate_calls SET state = 'denied' WHERE session_id = ?", session)
		return err
	}))
	if err == nil {
		t.Error("a call of a deleted conversation can be changed")
	}
}

var _ runtime.Approvals = (*gate.Gate)(nil)
