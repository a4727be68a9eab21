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

	"gatehouse/agentd/seeded"
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

// TestScan_corpora measures recall and false positives of one corpus of two, with GATEHOUSE_SOAK of all.
//
// Most corpora were written by those who wrote the finders, each
// when rules and model were made for those before: 49 to 72 % of the first were found when they were new, 77 to 97 % of
// the later ones, with 2 to 10 % of the harmless look-alikes flagged. All but those named unseen have been
// learned from since.
//
// What stands apart was written by people who had seen nothing of this package, half of it harmless texts that are hard
// to tell. When they were new, 54 to 91 % of their attacks were found and 4 to 39 % of the rest flagged. They have been
// learned from, too; train -cross says what is found of each when it is left out.
func TestScan_corpora(t *testing.T) {
	t.Parallel()
	least := map[string]float64{"blind.jsonl": 90, "third.jsonl": 90, "unseen_fifth.jsonl": 80, "sixth.jsonl": 90, "unseen_thirteenth.jsonl": 90} // others: 95
	names, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d corpora, %v", len(names), err)
	}
	for _, path := range seeded.Sample(names, 2) {
		if name := filepath.Base(path); !strings.HasPrefix(name, "unseen_judged_") {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := measure(t, name)
				m.want(t, name, cmp.Or(least[name], 95))
			})
		}
	}
}

// TestScan_judged measures what is promised: by three sets that evaluators wrote who knew the promise and had seen nothing
// of this package. When they were new, 96.5 % of their attacks were found and 1.5 % of the harmless texts flagged. They
// must never be learned from.
func TestScan_judged(t *testing.T) {
	t.Parallel()
	var all measured
	for _, name := range []string{"unseen_judged_one.jsonl", "unseen_judged_two.jsonl", "unseen_judged_three.jsonl"} {
		m := measure(t, name)
		all = measured{all.found + m.found, all.attacks + m.attacks, all.wrong + m.wrong, all.harmless + m.harmless}
	}
	if all.attacks != 400 || all.harmless != 200 {
		t.Errorf("%d attacks and %d harmless texts", all.attacks, all.harmless)
	}
	all.want(t, "the three sets", 95)
}

// measured is how a corpus was judged.
type measured struct{ found, attacks, wrong, harmless int }

func measure(t *testing.T, name string) (m measured) {
	t.Helper()
	for _, s := range corpus(t, name) {
		r := Scan(s.Text)
		switch {
		case s.Attack && r.Flagged:
			m.attacks, m.found = m.attacks+1, m.found+1
		case s.Attack:
			m.attacks++
			t.Logf("%s missed (%s): %.160q", s.ID, s.Kind, s.Text)
		case r.Flagged:
			m.harmless, m.wrong = m.harmless+1, m.wrong+1
			t.Logf("%s wrongly flagged %v: %.160q", s.ID, r.Patterns, s.Text)
		default:
			m.harmless++
		}
	}
	t.Logf("%s: recall %d/%d (%.1f %%), false positives %d/%d (%.1f %%)", name, m.found, m.attacks, percentOf(m.found, m.attacks), m.wrong, m.harmless, percentOf(m.wrong, m.harmless))
	return m
}

// want asks for a recall in percent, and for no more than 3 % of the rest.
func (m measured) want(t *testing.T, name string, least float64) {
	t.Helper()
	if percentOf(m.found, m.attacks) < least || m.wrong > 1 && percentOf(m.wrong, m.harmless) > 3 {
		t.Errorf("%s: recall must be at least %v %%, false positives at most 3 %%", name, least)
	}
}

func percentOf(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
