package merge_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/team/merge"
)

const base = "You are kind.\nYou write short texts.\nYou ask first.\nYou sign with your name.\n"

func TestTexts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base, yours, shipped, want string
		conflicts                  int
	}{
		"nobody": {base, base, base, base, 0},
		"yours":  {base, base + "You rhyme.\n", base, base + "You rhyme.\n", 0},
		"theirs": {base, base, "Be brief.\n" + base, "Be brief.\n" + base, 0},
		"both, apart": {
			base, strings.Replace(base, "kind", "very kind", 1), base + "You rhyme.\n",
			strings.Replace(base, "kind", "very kind", 1) + "You rhyme.\n", 0,
		},
		"both the same": {base, base + "You rhyme.\n", base + "You rhyme.\n", base + "You rhyme.\n", 0},
		"both, the same line": {
			"a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n",
			"a\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> template\nc\n", 1,
		},
		"deleted and changed": {
			"a\nb\nc\n", "a\nc\n", "a\nB\nc\n", "a\n<<<<<<< yours\n=======\nB\n>>>>>>> template\nc\n", 1,
		},
		"no base":         {"", "mine\n", "theirs\n", "<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> template\n", 1},
		"without an end":  {"a\nb", "a\nb\nc", "x\na\nb", "x\na\nb\nc\n", 0},
		"ends of Windows": {"a\r\nb\r\n", "a\r\nb\r\nc\r\n", "a\nb\n", "a\nb\nc\n", 0},
		"all taken away":  {base, "", base, "", 0},
	} {
		got, n := merge.Texts(c.base, c.yours, c.shipped)
		if got != c.want || n != c.conflicts || merge.Marked(got) != (n > 0) {
			t.Errorf("%s: %d conflicts, %q; want %d, %q", name, n, got, c.conflicts, c.want)
		}
	}
}

// TestTexts_losesNothing: whatever two people make of a text, each line that one of them added is in the result, and each line
// that both kept.
func TestTexts_losesNothing(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2))
	var old []string
	for i := range 12 {
		old = append(old, "line "+strconv.Itoa(i%9)) // some twice
	}
	edit := func(who string) string {
		var out []string
		for i, l := range old {
			switch draw.IntN(5) {
			case 0:
				out = append(out, l, who+strconv.Itoa(i))
			case 1:
			default:
				out = append(out, l)
			}
		}
		return strings.Join(out, "\n")
	}
	for range 2000 {
		a, b := edit("yours "), edit("theirs ")
		got, _ := merge.Texts(strings.Join(old, "\n"), a, b)
		for line := range strings.Lines(a + "\n" + b) {
			line = strings.TrimSpace(line)
			if !strings.HasPrefix(line, "line") && !strings.Contains(got, line+"\n") {
				t.Fatalf("%q is lost of\n%s\nand\n%s\nin\n%s", line, a, b, got)
			}
		}
	}
}
