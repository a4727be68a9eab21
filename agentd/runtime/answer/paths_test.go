package answer_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/runtime/answer"
)

// TestPaths: names are found where people write them, and nothing in an answer is taken for a name that leads up or out.
func TestPaths(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"I wrote letters/opening.txt.":                      {"letters/opening.txt"},
		"See `letters/opening hours.txt`, please":           {"letters/opening hours.txt", "letters/opening", "hours.txt"},
		"Look at “price list.csv” and at *notes/a.md*!":     {"price list.csv", "list.csv", "notes/a.md"},
		"In „Preise 2026.txt“ steht mehr.":                  {"Preise 2026.txt", "2026.txt"},
		"[the letter](letters/opening.txt)":                 {"letters/opening.txt"},
		`he said "read letters/a.txt first"`:                {"read letters/a.txt first", "letters/a.txt"},
		"`README`":                                          {"README"},
		"./a.txt and ./a.txt":                               {"./a.txt"},
		"```\nnotes/b.txt 12 KB\n```":                       {"notes/b.txt"},
		"https://evil.example/letters/opening.txt":          nil,
		"../state/agentd.db or letters/../../etc/passwd":    nil,
		"a//b.txt and `x/./y.txt`":                          nil,
		"Nothing to see here. Really":                       nil,
		"letters/opening.txt, letters/opening.txt: twice":   {"letters/opening.txt"},
		"javascript:alert(1)/a.txt `//evil.example/a.txt`":  {"/a.txt"},
		"| letters/a.txt | 3 |\n|---|---|\n| b/c.txt | 4 |": {"letters/a.txt", "b/c.txt"},
	} {
		if got := answer.Paths(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(strconv.Itoa(i) + ".txt ")
	}
	if n := len(answer.Paths(b.String())); n != 200 {
		t.Errorf("%d names of a long answer are looked up", n)
	}
}
