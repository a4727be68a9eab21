package chat

import (
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestMessage_longest: the longest message has 32,000 characters, however many bytes they take.
func TestMessage_longest(t *testing.T) {
	t.Parallel()
	m := Message{Text: strings.Repeat("語", 32_000)}
	if err := m.complete(); err != nil {
		t.Error(err)
	}
	if m.Text += "語"; m.complete() == nil {
		t.Error("one more was taken")
	}
}

// TestMessage_files: the paths of files are clean and lead nowhere else.
func TestMessage_files(t *testing.T) {
	t.Parallel()
	m := Message{Text: "read", Files: []string{"Uploads/2026-11/price list (2).txt", "a.txt", "süß.txt"}}
	if err := m.complete(); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		"", ".", "..", "../a.txt", "a/../b.txt", "./a.txt", "/etc/passwd", "a//b", "a/", "a\n.txt", "a\x00", "\xff",
		strings.Repeat("x", 4097),
	} {
		m := Message{Text: "read", Files: []string{"a.txt", bad}}
		if m.complete() == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if m.Files = slices.Repeat([]string{"a.txt"}, 21); m.complete() == nil {
		t.Error("21 files were taken")
	}
}

// TestMessage_digest: the same words with another file are another message.
func TestMessage_digest(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, files := range [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {"b", "a"}} {
		d, err := Message{Text: "read", Once: "1", Files: files}.digest(wire.Origin{})
		if err != nil || seen[string(d)] {
			t.Errorf("%q: %x, %v", files, d, err)
		}
		seen[string(d)] = true
	}
}
