package filewrite

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// Beyond these a diff is not computed or not shown: it costs more than anyone reads.
const (
	maxDiffLines = 10_000
	maxDiffText  = 128 << 10
)

type diff struct {
	text           string
	added, removed int
}

// diffOf is the unified diff of two contents, three lines of context.
func diffOf(rel, before, after string, isNew bool) diff {
	a, b := lines(before), lines(after)
	if len(a)+len(b) > maxDiffLines || !utf8.ValidString(before) || !utf8.ValidString(after) {
		return diff{text: plainChange(rel, before, after), added: len(b), removed: len(a)}
	}
	from := "a/" + rel
	if isNew {
		from = "/dev/null"
	}
	d := count(difflib.NewMatcher(a, b))
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: a, B: b, FromFile: from, ToFile: "b/" + rel, Context: 3})
	if err != nil { // it writes to memory only
		text = plainChange(rel, before, after)
	}
	d.text = shorten(text)
	return d
}

func count(m *difflib.SequenceMatcher) diff {
	var d diff
	for _, op := range m.GetOpCodes() {
		if op.Tag != 'e' {
			d.removed += op.I2 - op.I1
			d.added += op.J2 - op.J1
		}
	}
	return d
}

// lines splits s behind each line feed; a last line without one is marked as diff does.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	out := strings.SplitAfter(s, "\n")
	if last := len(out) - 1; out[last] == "" {
		out = out[:last]
	} else {
		out[last] += "\n\\ No newline at end of file\n"
	}
	return out
}

func plainChange(rel, before, after string) string {
	return fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ too large to show: %s before, %s after @@\n", rel, rel, tool.Bytes(int64(len(before))), tool.Bytes(int64(len(after))))
}

// shorten cuts a diff behind a line. Whoever gets it takes the secrets out, but knows no half of one: the cut leaves none.
func shorten(text string) string {
	if len(text) <= maxDiffText {
		return text
	}
	shown := strings.TrimSuffix(redact.Clip(text, maxDiffText), "…")
	if end := strings.LastIndexByte(shown, '\n') + 1; end > 0 {
		shown = shown[:end]
	}
	return shown + fmt.Sprintf("\n@@ %s more, not shown @@\n", tool.Bytes(int64(len(text)-len(shown))))
}
