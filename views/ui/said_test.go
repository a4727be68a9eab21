package ui

import (
	"bytes"
	"testing"
)

func TestSaid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                "",
		"Nothing special": "Nothing special",
		"In `tmp` lie 14": "In <code>tmp</code> lie 14",
		"`a` and `b`":     "<code>a</code> and <code>b</code>",
		"a ` alone":       "a ` alone",
		"`a` and ` alone": "<code>a</code> and ` alone",
		"`<b>` & <i>":     "<code>&lt;b&gt;</code> &amp; &lt;i&gt;",
		"(`a`), “`b`”":    "(<code>a</code>), “<code>b</code>”",
	} {
		var out bytes.Buffer
		if err := Said(text).Render(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); want != "" && got != want || len(text) == 0 && got != "" {
			t.Errorf("%.40q: %.80q, want %q", text, got, want)
		}
	}
}
