package redact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// published is a rule of the published set: what it finds counts when it is uncertain enough and a keyword stands there.
type published struct {
	id       string
	entropy  float64
	group    int
	keywords []string
	re       *regexp.Regexp
	tree     *syntax.Regexp
}

func publishedRules(t *testing.T) []published {
	t.Helper()
	raw, err := os.ReadFile("testdata/gitleaks.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var all []published
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 {
			t.Fatalf("%d fields in %q", len(f), line)
		}
		p := published{id: f[0], keywords: strings.Split(f[3], ","), re: regexp.MustCompile(f[5])}
		p.entropy, _ = strconv.ParseFloat(f[1], 64)
		p.group, _ = strconv.Atoi(f[2])
		if p.tree, err = syntax.Parse(f[5], syntax.Perl); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// finds are the secrets that the rule sees in a text.
func (p *published) finds(text string) (all []string) {
	low := strings.ToLower(text)
	if !slices.ContainsFunc(p.keywords, func(k string) bool { return strings.Contains(low, strings.ToLower(k)) }) {
		return nil
	}
	for _, m := range p.re.FindAllStringSubmatch(text, -1) {
		s := strings.Trim(m[0], "\n")
		if p.group > 0 {
			s = m[p.group]
		} else if i := slices.IndexFunc(m[1:], func(g string) bool { return g != "" }); i >= 0 {
			s = m[1+i]
		}
		if holder.MatchString(s) {
			continue
		}
		if p.entropy == 0 || uncertainty(s) > p.entropy {
			all = append(all, s)
		}
	}
	return all
}

// holder ends what has a place for a secret, and none in it.
var holder = regexp.MustCompile(`(?:""|''|\}\})$`)

// uncertainty is Shannon's, in bits for each sign.
func uncertainty(s string) (bits float64) {
	count := map[rune]int{}
	for _, c := range s {
		count[c]++
	}
	for _, n := range count {
		p := float64(n) / float64(len(s))
		bits -= p * math.Log2(p)
	}
	return bits
}

// leaves says what a rule finds of a text after the engine has been over it, and nothing when that is nothing. seen says
// whether the rule finds anything at all.
func (p *published) leaves(e *Engine, text string) (why string, seen bool) {
	if len(p.finds(text)) == 0 {
		return "", false
	}
	out := e.Text(text)
	for _, left := range p.finds(out) {
		if strings.Contains(text, left) {
			return fmt.Sprintf("%q became %q: %q is left", text, out, left), true
		}
	}
	return "", true
}

// ownLines are rules for whole lines, quotes included: what is drawn from their expressions is no YAML and no Terraform.
// positive.txt has cases of them.
var ownLines = map[string]bool{"kubernetes-secret-yaml": true, "hashicorp-tf-password": true}

// TestPublished_forms writes texts from the expressions themselves: as people would, and anything that they match.
func TestPublished_forms(t *testing.T) {
	t.Parallel()
	r, times := drawn(t)
	e, tame, wild := New(), newScore(), newScore()
	for _, p := range publishedRules(t) {
		if ownLines[p.id] {
			continue
		}
		for k := range 18 * times {
			text := p.keywords[0] + ":\n" + fromRule(r, p.tree, k%3 == 0) + "\n"
			why, seen := p.leaves(e, text)
			switch {
			case !seen:
			case k%3 == 0:
				wild.note(why)
			case p.id == "generic-api-key":
				tame.note(why) // any name, any sign: too wide for a row of its own
			default:
				tame.note(why, p.id)
			}
		}
		if tame.seen[p.id] < 2*times && p.id != "generic-api-key" {
			t.Errorf("%s: only %d texts that it finds", p.id, tame.seen[p.id])
		}
	}
	tame.check(t, 0.99)
	wild.check(t, 0.84)
}

// TestPublished_places puts what the rules take for secrets where secrets stand, each under a name that its rule knows.
func TestPublished_places(t *testing.T) {
	t.Parallel()
	r, times := drawn(t)
	e, s, places := New(), newScore(), samples(t, "assignments.txt")
	for _, p := range publishedRules(t) {
		if ownLines[p.id] {
			continue
		}
		value := secretOf(p.tree)
		for range 20 * times {
			a := places[r.IntN(len(places))]
			name := strings.Trim(p.keywords[r.IntN(len(p.keywords))], "_-. ") + " " + pickOf(r, gridNames["token"], ",")
			text, _ := placed(a.template, name, fromRule(r, value, false))
			if why, seen := p.leaves(e, text); seen {
				s.note(why, "rule "+p.id, "place "+a.name)
			}
		}
	}
	s.check(t, 0.99)
}

// TestPublished_corpus: of the texts of our own corpus nothing is left that a published rule finds. The one for any name and
// any sign also takes public keys, digests and ids for secrets, so that of it counts what is one.
func TestPublished_corpus(t *testing.T) {
	t.Parallel()
	rules, all, e, found := publishedRules(t), samples(t, "positive.txt"), New(), 0
	seed, left := seedOf(len(all), 0.01)
	for i, s := range all {
		text := fill(rand.New(rand.NewPCG(seed, uint64(100*i))), s.template)
		_, marked, _ := strings.Cut(text, "⟦")
		marked, _, _ = strings.Cut(marked, "⟧")
		text = strings.NewReplacer("⟦", "", "⟧", "").Replace(text)
		out := e.Text(text)
		for _, p := range rules {
			for _, secret := range p.finds(text) {
				if p.id == "generic-api-key" && !strings.Contains(marked, secret) && !strings.Contains(secret, marked) {
					continue
				}
				if found++; slices.Contains(p.finds(out), secret) {
					if left--; left < 0 {
						t.Errorf("seed %d, %s: %s finds %q in %q", seed, s.name, p.id, secret, out)
					}
				}
			}
		}
	}
	if found < len(all)/4 {
		t.Errorf("only %d findings in %d texts", found, len(all))
	}
	t.Logf("%d findings", found)
}
