package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// TestTranscript_keepsNoSecret: a message and an answer that hold a credential leave none on the disk, not even its
// beginning, wherever the shorter texts of lists are cut.
func TestTranscript_keepsNoSecret(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	for _, cut := range []int{40, 60, 200, 500} {
		for _, back := range []int{8, 20, 39} {
			text := strings.Repeat("hm ", cut)[:cut-back-1] + " " + key + " is the new one"
			dir := t.TempDir()
			s := startIn(t, dir, options{model: says(text)})
			s.ask(t, "it-admin", text)
			for name, b := range files(t, dir) {
				if bytes.Contains(b, []byte(key[:8])) {
					t.Errorf("cut at %d, %d bytes into the key: %s holds the beginning", cut, back, name)
				}
			}
		}
	}
}

// TestTranscript_errorKeepsNoSecret: an error tells what was said before it, and what the endpoint said. Neither leaves a
// credential on the disk, of the run itself or one that it delegated.
func TestTranscript_errorKeepsNoSecret(t *testing.T) {
	t.Parallel()
	said, told := "ghp_"+strings.Repeat("aB3dE6gH9k", 4)[:36], "ghp_"+strings.Repeat("zY8xW5vU2t", 4)[:36]
	dir := t.TempDir()
	s := startIn(t, dir, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if isDispatcher(o) && newest(o).Role == llm.User {
			return calls(hand("h", "it-admin", "look"))
		}
		text("The key is " + said[:20])
		text(said[20:] + ", as you said.")
		return llm.Reply{}, &llm.Error{Kind: llm.Rejected, Detail: "bad key " + told + " in the request"}
	}}})
	_, e := s.ask(t, "dispatcher", "Go")
	if d := data[wire.ErrorData](t, e); !strings.Contains(d.Text, "The key is [REDACTED") || !strings.Contains(d.Detail, "bad key") {
		t.Errorf("%+v", d)
	}
	for name, b := range files(t, dir) {
		if bytes.Contains(b, []byte(said[:8])) || bytes.Contains(b, []byte(told[:8])) {
			t.Errorf("%s holds a credential", name)
		}
	}
}

// files are the contents of all files in a folder. A server that runs there removes some while they are listed.
func files(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		all[path] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDelta_acrossPieces: what the model writes leaves in pieces, and a credential between two of them in none.
func TestDelta_acrossPieces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, deltaAcrossPieces)
}

func deltaAcrossPieces(t *testing.T) {
	t.Helper()
	key := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	whole := "It is " + key + " from now on, as you said."
	s := start(t, options{model: model{func(_ context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		for i := 0; i < len(whole); i += 3 {
			text(whole[i:min(i+3, len(whole))])
			time.Sleep(7 * time.Millisecond) // of the test's own clock, so that they are not all one event
		}
		return llm.Reply{Text: whole}, nil
	}}})
	m, end := s.ask(t, "it-admin", "Say it")
	var told strings.Builder
	deltas := 0
	for _, e := range s.watch.events() {
		if e.Root == m.RunID && e.Event == wire.EventDelta {
			told.WriteString(data[wire.DeltaData](t, e).Text)
			deltas++
		}
	}
	if deltas < 2 {
		t.Errorf("%d pieces", deltas)
	}
	if final := data[wire.FinalData](t, end).Text; told.String() != final || strings.Contains(final, key[:8]) ||
		!strings.HasSuffix(final, " from now on, as you said.") {
		t.Errorf("%d pieces make %q, the answer is %q", deltas, told.String(), final)
	}
}
