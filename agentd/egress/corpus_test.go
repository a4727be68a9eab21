package egress

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/redact"
)

// sample is one line of a corpus. Places like {{aws}} are filled in here: what looks like a credential is made when the
// test runs.
type sample struct {
	ID, Kind, Channel, Recipient, Text string
	Bad                                bool
	Known                              []string `json:"known_recipients"`
}

var filler = regexp.MustCompile(`\{\{(\w+)(?::([^}]*))?\}\}`)

func filled(s string) string {
	return filler.ReplaceAllStringFunc(s, func(m string) string {
		g := filler.FindStringSubmatch(m)
		if made := credential(g[1]); made != "" {
			return made
		}
		switch g[1] {
		case "b64":
			return base64.StdEncoding.EncodeToString([]byte(g[2]))
		case "b64url":
			return base64.RawURLEncoding.EncodeToString([]byte(g[2]))
		case "hex":
			return hex.EncodeToString([]byte(g[2]))
		case "tags":
			return strings.Map(func(r rune) rune { return r + 0xE0000 }, g[2])
		}
		return rows(g[1], g[2])
	})
}

// rows makes a list of so many entries.
func rows(kind, count string) string {
	n := 0
	if _, err := fmt.Sscan(count, &n); err != nil {
		return "no such filler"
	}
	var b strings.Builder
	for i := range n {
		if kind == "phones" {
			fmt.Fprintf(&b, "+43 660 %07d\n", 1234567+i*7919)
		} else {
			fmt.Fprintf(&b, "person%d@firm%d.example\n", i, i*3)
		}
	}
	return b.String()
}

// noise is n signs that never stood anywhere.
func noise(n int, from string) string {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = from[r.IntN(len(from))]
	}
	return string(b)
}

const upper, lowerCase, decimal = "ABCDEFGHJKLMNPQRSTUVWXYZ", "abcdefghijkmnopqrstuvwxyz", "23456789"

func credential(kind string) string {
	switch kind {
	case "aws":
		return "AK" + "IA" + noise(16, upper+"234567")
	case "github":
		return "gh" + "p_" + noise(36, upper+lowerCase+decimal)
	case "stripe":
		return "sk" + "_live_" + noise(24, upper+lowerCase+decimal)
	case "slack":
		return "xo" + "xb-" + noise(12, decimal) + "-" + noise(12, decimal) + "-" + noise(24, upper+lowerCase+decimal)
	case "jwt":
		enc := base64.RawURLEncoding.EncodeToString
		return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(`{"sub":"1","name":"x"}`)) + "." + noise(43, upper+lowerCase+decimal)
	case "pem":
		return "-----BEGIN " + "PRIVATE KEY-----\n" + noise(64, upper+lowerCase) + "\n" + noise(64, upper+lowerCase) + "\n-----END " + "PRIVATE KEY-----"
	case "dsn":
		return "postgres://app:" + noise(16, upper+lowerCase+decimal) + "@db.internal:5432/app"
	case "password":
		return noise(14, upper+lowerCase+decimal+"!%")
	}
	return ""
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

func (s sample) outgoing() Outgoing {
	return Outgoing{Channel: s.Channel, Recipient: s.Recipient, Known: s.Known, Text: s.Text}
}

// TestScan_corpora measures recall and false positives: a bad message must not pass and must be found for what it is,
// a harmless one must pass without a finding. The held-out corpus was written when the rules for the first were
// done; seen for the first time, 87 % of it were found for what they are, and nothing harmless was stopped. The later
// corpus is a part of two more; seen for the first time, 90 and 92 % of those did not pass, and 0 and 2 % of what is
// harmless was stopped. The fifth is of other languages and trades and showed what was missing: 52 % and 5 %. The sixth
// came when that was mended: 83 % and 5 %, the seventh after it: 93 % and 13 %, for it has many ways to ask for a
// payment. The eighth: 100 % and 7 %; the ninth: 100 % and 0 %; the tenth, by
// another hand: 87 % and 3 %; the eleventh, after it: 93 % and 2 %; the twelfth, by a third hand: 100 % and 6 %. The
// thirteenth is what a fourth hand found missing, and what is near to it.
func TestScan_corpora(t *testing.T) {
	t.Parallel()
	scanner := Scanner{Secrets: redact.New()}
	for _, name := range []string{"own.jsonl", "heldout.jsonl", "later.jsonl", "fifth.jsonl", "sixth.jsonl", "seventh.jsonl", "eighth.jsonl", "ninth.jsonl", "tenth.jsonl", "eleventh.jsonl", "twelfth.jsonl", "thirteenth.jsonl"} {
		caught, bad, wrong, harmless := 0, 0, 0, 0
		for _, s := range corpus(t, name) {
			v := scanner.Scan(s.outgoing())
			named := slices.Contains(v.Findings, Finding{Kind(s.Kind)})
			switch {
			case s.Bad && named && v.Decision != Allow:
				bad, caught = bad+1, caught+1
			case s.Bad:
				bad++
				t.Logf("%s missed (%s, got %v): %.140q", s.ID, s.Kind, v.Findings, s.Text)
			case len(v.Findings) > 0 || v.Decision != Allow:
				harmless, wrong = harmless+1, wrong+1
				t.Logf("%s wrongly %s %v: %.140q", s.ID, v.Decision, v.Findings, s.Text)
			default:
				harmless++
			}
		}
		recall, mistaken := share(caught, bad), share(wrong, harmless)
		t.Logf("%s: recall %d/%d (%.1f %%), false positives %d/%d (%.1f %%)", name, caught, bad, recall, wrong, harmless, mistaken)
		if recall < 95 || mistaken > 3 {
			t.Errorf("%s: recall must be at least 95 %%, false positives at most 3 %%", name)
		}
	}
}

func share(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
