package chat

import (
	"strings"
	"testing"
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
