package markdown

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "gatehouse/agentd/seeded"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		done     []string
		tail     string
	}{
		{"one open paragraph", "a b", nil, "a b"},
		{"a blank line alone finishes nothing", "a\n\n", nil, "a\n\n"},
		{"an unfinished line could still be anything", "a\n\nb", nil, "a\n\nb"},
		{"a whole line after a blank one finishes the block", "a\n\nb\n", []string{"a\n\n"}, "b\n"},
		{"a list goes on over blank lines", "- a\n\n- b\n", nil, "- a\n\n- b\n"},
		{"a list goes on after leading blank lines", "\n- a\n\n- b\n", nil, "\n- a\n\n- b\n"},
		{"another kind of list is another block", "- a\n\n1. b\n", []string{"- a\n\n"}, "1. b\n"},
		{"an indented line belongs to the item", "- a\n\n  more\n", nil, "- a\n\n  more\n"},
		{"a fence holds its blank lines", "```\na\n\nb\n```\n\nc\n", []string{"```\na\n\nb\n```\n\n"}, "c\n"},
		{"a longer fence is not closed by a shorter one", "````\n```\n\nb\n````\n\nc\n", []string{"````\n```\n\nb\n````\n\n"}, "c\n"},
		{"a fence in a list item", "- ```\n  a\n\n  b\n  ```\n\nc\n", []string{"- ```\n  a\n\n  b\n  ```\n\n"}, "c\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			done, tail := Split(c.in)
			if !slices.Equal(done, c.done) || tail != c.tail {
				t.Errorf("got %q + %q, want %q + %q", done, tail, c.done, c.tail)
			}
		})
	}
}

func TestSplitter_piecesDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := markdownText().Draw(t, "text")
		want, wantTail := Split(text)
		var s Splitter
		var got []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			got = append(got, s.Write(rest[:n])...)
			rest = rest[n:]
		}
		if !slices.Equal(got, want) || s.Tail() != wantTail {
			t.Fatalf("in pieces: %q + %q\nat once: %q + %q", got, s.Tail(), want, wantTail)
		}
	})
}

func TestSplitter_losesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := markdownText().Draw(t, "text")
		done, tail := Split(text)
		if got := strings.Join(done, "") + tail; got != text {
			t.Fatalf("joined %q, want %q", got, text)
		}
	})
}

func TestSplitter_boundsBlocks(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one endless line": strings.Repeat("ä", 100<<10),
		"one endless list": strings.Repeat("- item\n\n", 20<<10),
		"one long fence":   "```go\n" + strings.Repeat("x := 1\n", 20<<10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done, tail := Split(text)
			for _, b := range append(done, tail) {
				if len(b) > maxBlock+2*maxLine {
					t.Fatalf("a block of %d bytes", len(b))
				}
			}
		})
	}
}

func TestSplitter_longTableKeepsItsHeader(t *testing.T) {
	t.Parallel()
	done, tail := Split("| file | size |\n|---|---|\n" + strings.Repeat("| reports/2026/january.csv | 12 |\n", 2000))
	if len(done) < 2 {
		t.Fatalf("only %d blocks", len(done))
	}
	for i, b := range append(done, tail) {
		if out := HTML(b); strings.Count(out, "<th>") != 2 || strings.Contains(out, "<p>") {
			t.Fatalf("block %d of a long table is no table: %.120q", i, out)
		}
	}
}

func TestSplitter_longFenceStaysCode(t *testing.T) {
	t.Parallel()
	done, tail := Split("```\n" + strings.Repeat("# not a heading\n", 10<<10))
	for i, b := range append(done, tail) {
		if out := HTML(b); strings.Contains(out, "<h3>") || strings.Count(out, "<pre") != 1 {
			t.Fatalf("block %d of a long fence is not one code block: %.120q", i, out)
		}
	}
}

// markdownText draws text rich in what the splitter looks at.
func markdownText() *rapid.Generator[string] {
	bits := []string{"a", "word ", "\n", "\n", "\n\n", "- ", "* ", "1. ", "  ", "\t", "```", "````", "~~~", "> ", "`", "#", "|", "---", "ä", "€", "\r\n"}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(bits), 0, 60).Draw(t, "bits"), "")
	})
}
