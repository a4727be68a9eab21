package transcript_test

import (
	"database/sql"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime/transcript"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
)

func open(t *testing.T) *store.DB {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	storetest.Seed(t, dir)
	db, err := store.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func keep(t *testing.T, db *store.DB, entries ...transcript.Entry) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *sql.Tx) error {
		for _, e := range entries {
			if err := transcript.Insert(db, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var at = time.Date(2026, 3, 1, 12, 0, 0, 1000, time.UTC)

// TestOfRuns: what was said comes back whole and in order, of the runs that are asked for and of no other.
func TestOfRuns(t *testing.T) {
	t.Parallel()
	db := open(t)
	all := []transcript.Entry{
		{RunID: "r1", Kind: transcript.Assistant, Step: 1, Text: "I look.", At: at, Calls: []transcript.Call{
			{ID: "c1", Ref: "ref1", Tool: "file_read", Args: `{"path":"a.txt"}`},
			{ID: "c2", Ref: "ref2", Tool: "shell", Args: `{}`, Agent: "other"},
		}},
		{RunID: "r2", Kind: transcript.Assistant, Step: 1, Text: "Another run.", At: at},
		{RunID: "r1", Kind: transcript.Tool, Step: 1, Text: "what it holds", CallID: "c1", At: at.Add(time.Second)},
		{RunID: "r3", Kind: transcript.Check, Step: 2, Text: "Not proven.", At: at},
	}
	keep(t, db, all...)
	for _, c := range []struct {
		runs []string
		want []transcript.Entry
	}{
		{[]string{"r1"}, []transcript.Entry{all[0], all[2]}},
		{[]string{"r3", "r1"}, []transcript.Entry{all[0], all[2], all[3]}},
		{[]string{"nobody"}, nil},
		{nil, nil},
	} {
		if got, err := transcript.OfRuns(t.Context(), db.Read(), c.runs...); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("of %v: %+v, %v, want %+v", c.runs, got, err, c.want)
		}
	}
}

// TestInsert_redacts: a secret is kept neither in the text nor in the arguments of a call, and the entry of the caller stays as
// it was. The gate reads the arguments as they were written.
func TestInsert_redacts(t *testing.T) {
	t.Parallel()
	db := open(t)
	secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	args := `{"text":"` + secret + `"}`
	calls := []transcript.Call{{ID: "c1", Args: args}}
	e := transcript.Entry{RunID: "r1", Kind: transcript.Assistant, Text: "It is " + secret + ".", Calls: calls, At: at}
	keep(t, db, e)
	if calls[0].Args != args {
		t.Errorf("the arguments of the caller became %s", calls[0].Args)
	}
	kept, err := transcript.OfRuns(t.Context(), db.Read(), "r1")
	if err != nil || len(kept) != 1 || len(kept[0].Calls) != 1 {
		t.Fatalf("%+v, %v", kept, err)
	}
	if got := kept[0].Text + kept[0].Calls[0].Args; strings.Contains(got, secret) || !strings.Contains(got, "It is ") {
		t.Errorf("kept is %q", got)
	}
	err = db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO run_calls (id, run_id, root_id, agent, tool, args, reason, state, action, tier,
			summary, result, target, child, approval_id, created_at, started_at, ended_at)
			VALUES ('c1', 'r1', 'r1', '', '', ?, '', 'requested', '', '', '', '', '', '', '', 0, 0, 0)`, args)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	written, err := transcript.AsWritten(t.Context(), db.Read(), "r1")
	if err != nil || len(written) != 1 || written[0].Calls[0].Args != args {
		t.Errorf("as written: %+v, %v", written, err)
	}
}

// TestMessage: the model reads its calls, and the results of them, by the ids of its provider.
func TestMessage(t *testing.T) {
	t.Parallel()
	refs := map[string]string{}
	for _, c := range []struct {
		entry transcript.Entry
		want  llm.Message
	}{
		{
			transcript.Entry{Kind: transcript.Assistant, Text: "I look.", Calls: []transcript.Call{
				{ID: "c1", Ref: "ref1", Tool: "shell", Args: "{}", Agent: "a"},
			}},
			llm.Message{Role: llm.Assistant, Text: "I look.", Calls: []llm.Call{{ID: "ref1", Name: "shell", Args: "{}"}}},
		},
		{
			transcript.Entry{Kind: transcript.Tool, Text: "seen", CallID: "c1"},
			llm.Message{Role: llm.ToolReply, Text: "seen", CallID: "ref1"},
		},
		{transcript.Entry{Kind: transcript.Check, Text: "Not proven."}, llm.Message{Role: llm.User, Text: "Not proven."}},
	} {
		if got := c.entry.Message(refs); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v is read as %+v, want %+v", c.entry, got, c.want)
		}
	}
}
