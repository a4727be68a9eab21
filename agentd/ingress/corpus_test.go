package ingress

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sample is one line of a corpus. Places like {{b64:text}} are filled in here, so that the files can be read.
type sample struct {
	ID, Kind, Source, Text string
	Attack                 bool
}

var filler = regexp.MustCompile(`\{\{(b64|b64url|hex|rot13|tags|selectors|zw|pad|sha|rlo)(?::([^}]*))?\}\}`)

// filled replaces the places of a corpus text.
func filled(s string) string {
	return filler.ReplaceAllStringFunc(s, func(m string) string {
		g := filler.FindStringSubmatch(m)
		switch g[1] {
		case "b64":
			return base64.StdEncoding.EncodeToString([]byte(g[2]))
		case "b64url":
			return base64.RawURLEncoding.EncodeToString([]byte(g[2]))
		case "hex":
			return hex.EncodeToString([]byte(g[2]))
		case "rot13":
			return turn(g[2], 13)
		case "tags":
			return strings.Map(func(r rune) rune { return r + 0xE0000 }, g[2])
		case "selectors":
			return inSelectors(g[2])
		case "zw":
			return "\u200b"
		case "rlo":
			return "\u202e"
		case "pad":
			return strings.Repeat("\u200c\u00a0\u034f", 60)
		}
		return strings.Repeat("9f86d081884c7d65", 4)
	})
}

func inSelectors(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(0xE0100 + rune(s[i]) - 16)
	}
	return b.String()
}

func corpus(t *testing.T, name string) (all []sample) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		s.Text = filled(s.Text)
		all = append(all, s)
	}
	return all
}

// TestScan_corpora measures recall and false positives. Most corpora were written by those who wrote the finders, each
// when rules and model were made for those before: 49 to 72 % of the first were found when they were new, 77 to 97 % of
// the later ones, with 2 to 10 % of the harmless look-alikes flagged. All but the fifth and the thirteenth have been
// learned from since.
//
// What stands apart was written by people who had seen nothing of this package, half of it harmless texts that are hard
// to tell. When they were new, 54 to 81 % of their attacks were found and 16 to 39 % of the rest flagged. They have been
// learned from, too; each by itself left out, 77 % are found and 11 % flagged (train -cross). Of texts that nobody here
// has seen that is what is to be expected, and not what stands below.
func TestScan_corpora(t *testing.T) {
	t.Parallel()
	least := map[string]float64{"blind.jsonl": 90, "third.jsonl": 90, "fifth.jsonl": 85, "sixth.jsonl": 90, "thirteenth.jsonl": 90} // others: 95
	names, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d corpora, %v", len(names), err)
	}
	for _, path := range names {
		name := filepath.Base(path)
		found, attacks, wrong, harmless := 0, 0, 0, 0
		for _, s := range corpus(t, name) {
			r := Scan(s.Text)
			switch {
			case s.Attack && r.Flagged:
				attacks, found = attacks+1, found+1
			case s.Attack:
				attacks++
				t.Logf("%s missed (%s): %.160q", s.ID, s.Kind, s.Text)
			case r.Flagged:
				harmless, wrong = harmless+1, wrong+1
				t.Logf("%s wrongly flagged %v: %.160q", s.ID, r.Patterns, s.Text)
			default:
				harmless++
			}
		}
		t.Logf("%s: recall %d/%d (%.1f %%), false positives %d/%d (%.1f %%)", name, found, attacks, percentOf(found, attacks), wrong, harmless, percentOf(wrong, harmless))
		if percentOf(found, attacks) < cmp.Or(least[name], 95) || wrong > 1 && percentOf(wrong, harmless) > 3 {
			t.Errorf("%s: recall must be at least %v %%, false positives at most 3 %%", name, cmp.Or(least[name], 95))
		}
	}
}

func percentOf(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
