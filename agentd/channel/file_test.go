package channel_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// paper puts a file where agents read, and gives it as it would be attached.
func (w *world) paper(t testing.TB, name, content string) tool.Attachment {
	t.Helper()
	at := filepath.Join(w.dir, "papers", name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(content))
	return tool.Attachment{Path: name, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// attach has every answer from now on carry these files.
func (w *world) attach(all ...tool.Attachment) {
	w.runs.mu.Lock()
	defer w.runs.mu.Unlock()
	w.runs.files = all
}

// withFiles is a server whose channel takes files.
func withFiles(t *testing.T, p wire.ChannelPolicy) *world {
	t.Helper()
	dir := t.TempDir()
	post := newPost(dir)
	post.can.SendBytes, post.can.SendFiles = 100, 2
	w := startIn(t, dir, post)
	if _, err := w.act(putting(p)); err != nil {
		t.Fatal(err)
	}
	w.allow(t, owner, true)
	return w
}

// outgoing are the copies of files that wait.
func (w *world) outgoing(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(w.dir, "outgoing", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// asksWith has somebody write, and answers them.
func (w *world) asksWith(t testing.TB, who, text string) {
	t.Helper()
	n := len(w.all(t))
	w.came(from(who, "<file@x>", "Send it to me", true))
	until(t, "a run", func() bool { return len(w.all(t)) == n+1 })
	w.answer(t, w.all(t)[n].RunID, text)
}

// asked waits for the one question that a person is asked.
func (w *world) asked(t *testing.T) (a wire.Approval) {
	t.Helper()
	until(t, "a question", func() bool {
		for _, s := range w.Sent() {
			if s.Type == wire.TypeApprovalRequest {
				a = approvalOf(t, s.Body)
			}
		}
		return a.ID != ""
	})
	return a
}

// TestFiles: what was attached goes to the owner with the answer, without a question, and its copy is removed then.
func TestFiles(t *testing.T) {
	t.Parallel()
	w := withFiles(t, wire.ChannelPairing)
	w.attach(w.paper(t, "offers/offer 1.pdf", "%PDF\xff"), w.paper(t, "b.txt", "two"))
	w.asksWith(t, owner, "Here it is.")
	until(t, "the answer", func() bool { return len(w.sent(t)) == 1 })
	m := w.sent(t)[0]
	if len(m.Files) != 2 || m.Files[0].Name != "offer 1.pdf" || string(m.Files[0].Data) != "%PDF\xff" || string(m.Files[1].Data) != "two" {
		t.Errorf("%+v", m.Files)
	}
	if m.Text != "Here it is." {
		t.Errorf("%q", m.Text)
	}
	until(t, "no copy is left", func() bool { w.Wake(); return len(w.outgoing(t)) == 0 })
}

// TestFiles_left: a file that does not go is said in the text, with where it is, and the others go.
func TestFiles_left(t *testing.T) {
	t.Parallel()
	w := withFiles(t, wire.ChannelPairing)
	changed := w.paper(t, "changed.txt", "before")
	w.paper(t, "changed.txt", "behind")
	gone := tool.Attachment{Path: "gone.txt", Bytes: 1, SHA256: "x"}
	token := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	w.attach(changed, gone, w.paper(t, "large.txt", strings.Repeat("x", 101)), w.paper(t, "key.txt", token), w.paper(t, "empty.txt", ""),
		w.paper(t, "one.txt", "1"), w.paper(t, "two.txt", "2"), w.paper(t, "three.txt", "3"))
	w.asksWith(t, owner, "Here.")
	until(t, "the answer", func() bool { return len(w.sent(t)) == 1 })
	m := w.sent(t)[0]
	if len(m.Files) != 2 || m.Files[0].Name != "one.txt" || m.Files[1].Name != "two.txt" {
		t.Errorf("%+v", m.Files)
	}
	for _, want := range []string{
		"changed.txt is not attached, because it was changed", "gone.txt is not attached, because it is not there", "too large (101 bytes)",
		"key.txt is not attached, because it holds something", "empty.txt is not attached, because it is empty",
		"three.txt is not attached, because 2 files go", "https://hub.example/app/files/view?path=large.txt",
	} {
		if !strings.Contains(m.Text, want) {
			t.Errorf("no %q in %s", want, m.Text)
		}
	}
}

// TestFiles_asked: anybody but the owner gets a file only with leave, which names it with its size and its hash. A channel's signed leave
// to answer does not count for files. A copy that is touched meanwhile is not sent.
func TestFiles_asked(t *testing.T) {
	t.Parallel()
	for name, touch := range map[string]bool{"as it was": false, "the copy is another": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := withFiles(t, wire.ChannelPairing)
			w.allow(t, stranger, false)
			a := w.paper(t, "offers/offer.txt", "We offer")
			w.attach(a)
			w.asksWith(t, stranger, "Here it is.")
			asked := w.asked(t)
			facts, err := json.Marshal(asked.Facts)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"1 file: offer.txt", "offer.txt: 8 bytes, SHA-256 " + a.SHA256} {
				if !strings.Contains(string(facts), want) {
					t.Errorf("no %q in %s", want, facts)
				}
			}
			if asked.Tier != "yellow_external" || asked.Action != "channel.file.send" || !strings.Contains(string(asked.Args), a.SHA256) {
				t.Errorf("%+v", asked)
			}
			w.paper(t, "offers/offer.txt", "Something else") // what lies in the data folder now is nobody's concern
			if touch {
				if err := os.WriteFile(w.outgoing(t)[0], []byte("We 0ffer"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Decide(decision(asked, wire.AllowOnce)); err != nil {
				t.Fatal(err)
			}
			until(t, "no copy is left", func() bool { w.Wake(); return len(w.outgoing(t)) == 0 })
			sent := w.sent(t)
			if touch && len(sent) != 0 {
				t.Errorf("%+v", sent)
			}
			if !touch && (len(sent) != 1 || string(sent[0].Files[0].Data) != "We offer") {
				t.Errorf("%+v", sent)
			}
		})
	}
}

// TestFiles_stranger: a file that stands beside the answer to somebody whom nobody has confirmed goes nowhere.
func TestFiles_stranger(t *testing.T) {
	t.Parallel()
	w := withFiles(t, wire.ChannelOpen)
	w.attach(w.paper(t, "secret.txt", "secret"))
	w.asksWith(t, stranger, "Here it is.")
	a := w.asked(t)
	if strings.Contains(string(a.Args), "secret.txt") || a.Action != "channel.message.send" {
		t.Errorf("%s", a.Args)
	}
	if err := w.Decide(decision(a, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	until(t, "the answer", func() bool { return len(w.sent(t)) == 1 })
	if m := w.sent(t)[0]; len(m.Files) != 0 || strings.Contains(m.Text, "secret.txt") {
		t.Errorf("%+v", m)
	}
	until(t, "no copy is left", func() bool { w.Wake(); return len(w.outgoing(t)) == 0 })
}

// TestSendsFiles: what is no channel shows files itself; a channel says whether it sends them.
func TestSendsFiles(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*world{"with": withFiles(t, wire.ChannelPairing), "without": start(t, wire.ChannelPairing)} {
		if got, err := w.SendsFiles(t.Context(), wire.ChannelEmail); err != nil || got != (name == "with") {
			t.Errorf("%s: %t, %v", name, got, err)
		}
		if got, err := w.SendsFiles(t.Context(), "portal"); err != nil || !got {
			t.Errorf("the portal: %t, %v", got, err)
		}
	}
}

// TestFiles_forged: no call sends a file that is not one of the letter.
func TestFiles_forged(t *testing.T) {
	t.Parallel()
	w := withFiles(t, wire.ChannelPairing)
	file := channel.SentFile{Name: "a", Path: "a", Bytes: 1}
	for _, kind := range []string{"answer", "reply", "code", "test", "told", "person"} {
		o, err := w.Gate.Do(t.Context(), callOf(t, channel.SendArgs{
			Channel: wire.ChannelEmail, ID: "1", Kind: kind, To: owner, Text: "x", Files: []channel.SentFile{file},
		}), func(bool) {})
		if err != nil || o.State == wire.ToolDone || len(w.sent(t)) != 0 {
			t.Errorf("%s: %+v, %v", kind, o, err)
		}
	}
}
