package ingress

import (
	"bufio"
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

// TestScan_corpora measures recall and false positives. Each corpus after the first was written when the rules and the
// model were made for those before. Seen for the first time they were found to 49, 61 and 60 % by the rules alone, the
// third and hardest to 20 %; with the model to 72 % (third), 85 % (fourth), 67 % (fifth), 71 % (sixth), 81 % (seventh),
// 66 % (eighth), 62 % (ninth, whose harmless half says nearly the same words), 87 % (tenth), 88 % (eleventh), 83 %
// (twelfth, in pairs like the ninth), 90 % (thirteenth), 86 % (fourteenth), 78 % (fifteenth, whole messages with an order
// in passing), 93 % (sixteenth), 77 % (seventeenth, three offices and their post), 95 % (eighteenth, by another hand) and
// 97 % (nineteenth, after it), with 5, 10, 5, 20, 16, 15, 11, 10, 21, 2.5, 5, 4, 7, 8, 2, 10 and 6 % of the harmless
// look-alikes of the last seventeen flagged. All but the fifth and the
// thirteenth have been learned from since, and texts like those missed in these were added: of texts that nobody here
// has seen, less is to be expected than what stands below.
func TestScan_corpora(t *testing.T) {
	t.Parallel()
	for name, least := range map[string]float64{"own.jsonl": 95, "heldout.jsonl": 95, "second.jsonl": 95, "blind.jsonl": 90, "third.jsonl": 90, "fourth.jsonl": 95, "fifth.jsonl": 85, "sixth.jsonl": 90, "seventh.jsonl": 95, "eighth.jsonl": 95, "ninth.jsonl": 95, "tenth.jsonl": 95, "eleventh.jsonl": 95, "twelfth.jsonl": 95, "thirteenth.jsonl": 90, "fourteenth.jsonl": 95, "fifteenth.jsonl": 95, "sixteenth.jsonl": 95, "seventeenth.jsonl": 95, "eighteenth.jsonl": 95, "nineteenth.jsonl": 95} {
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
		if percentOf(found, attacks) < least || percentOf(wrong, harmless) > 3 {
			t.Errorf("%s: recall must be at least %v %%, false positives at most 3 %%", name, least)
		}
	}
}

func percentOf(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
