package channel

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestSplit: parts fit, nothing is lost, and words, links, signs and code stay whole.
func TestSplit(t *testing.T) {
	t.Parallel()
	const most = 60
	for name, text := range map[string]string{
		"words":      strings.Repeat("several words in a row ", 20),
		"paragraphs": strings.Repeat("A paragraph of some length.\n\n", 9),
		"one word":   strings.Repeat("x", 500),
		"link":       strings.Repeat("word ", 8) + "[the page of it](https://example.com/a/b/c) " + strings.Repeat("word ", 20),
		"right":      strings.Repeat("שלום עולם ", 40),
		"emoji":      strings.Repeat("👩‍👩‍👧‍👦", 40),
		"flags":      strings.Repeat("é́", 200),
		"invalid":    strings.Repeat("\xff", 200),
	} {
		parts := Split(text, most)
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if bare(strings.Join(parts, " ")) != bare(text) {
			t.Errorf("%s: something was lost: %q", name, parts)
		}
		for _, p := range parts {
			if units(p) > most || p == "" || strings.HasPrefix(p, "\u200d") {
				t.Errorf("%s: %q", name, p)
			}
			if name != "invalid" && !utf8.ValidString(p) {
				t.Errorf("%s: torn: %q", name, p)
			}
			if strings.Count(p, "[") != strings.Count(p, ")") {
				t.Errorf("%s: a torn link: %q", name, p)
			}
		}
	}
	if got := Split("short", 0); len(got) != 1 || got[0] != "short" {
		t.Errorf("without a limit: %q", got)
	}
}

// TestSplit_code: code that goes on in the next part is code there, and each part closes what it opens.
func TestSplit_code(t *testing.T) {
	t.Parallel()
	parts := Split("Here it is:\n```go\n"+strings.Repeat("x := call(1)\n", 20)+"```\nThat is all of it.", 80)
	if len(parts) < 4 {
		t.Fatalf("%q", parts)
	}
	for i, p := range parts {
		if strings.Count(p, "```")%2 != 0 || units(p) > 80 {
			t.Errorf("part %d: %q", i, p)
		}
	}
	last := parts[len(parts)-1]
	if !strings.HasPrefix(parts[1], "```go\n") || strings.Contains(last, "call") && !strings.Contains(last, "```") {
		t.Errorf("%q", parts)
	}
}

// TestSplit_ends: a line that begins code and is longer than a part is split like any other, and does not go on for ever.
func TestSplit_ends(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"```" + strings.Repeat("x", 5000), "```" + strings.Repeat("x", 4088) + "\n" + strings.Repeat("y", 200),
		"```\n" + strings.Repeat("`", 9000),
	} {
		parts := Split(text, 4096)
		if len(parts) > 4 || !slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, text[:1000]) }) {
			t.Errorf("%d parts of %q", len(parts), text[:10])
		}
		for _, p := range parts {
			if units(p) > 4096 {
				t.Errorf("a part of %d", units(p))
			}
		}
	}
}
