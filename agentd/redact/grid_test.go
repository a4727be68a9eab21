package redact

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// score counts what was found of what should have been, by each side of a grid.
type score struct {
	all, found int
	missed     map[string]int
	seen       map[string]int
	examples   map[string]string
}

func newScore() *score {
	return &score{missed: map[string]int{}, seen: map[string]int{}, examples: map[string]string{}}
}

func (s *score) note(why string, sides ...string) {
	s.all++
	for _, side := range sides {
		s.seen[side]++
		if why != "" {
			s.missed[side]++
			s.examples[side] = why
		}
	}
	if why == "" {
		s.found++
	}
}

// check fails below the goal, or when most of a row or column of the grid is missed: a hole, however small.
func (s *score) check(t *testing.T, goal float64) {
	t.Helper()
	worst := slices.SortedFunc(maps.Keys(s.missed), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.missed[b]*s.seen[a], s.missed[a]*s.seen[b]), cmp.Compare(a, b))
	})
	for i, side := range worst {
		if line := fmt.Sprintf("%4d of %4d %s: %s", s.missed[side], s.seen[side], side, s.examples[side]); 3*s.missed[side] > s.seen[side] {
			t.Error(line)
		} else if i < 40 {
			t.Log(line)
		}
	}
	share := float64(s.found) / float64(s.all)
	t.Logf("%d of %d, %.2f %%", s.found, s.all, 100*share)
	if share < goal {
		t.Errorf("%.2f %% are fewer than %.2f %%", 100*share, 100*goal)
	}
}

// drawn is the source of a grid: the same each time, another each time in the soak.
func drawn(t *testing.T) (r *rand.Rand, times int) {
	seed, times := uint64(1), 1
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		seed, times = rand.Uint64(), 20
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 3)), times
}

// plain says that a format has nothing of its own: only the name before it tells what it is.
var plain = regexp.MustCompile(`^(u\+|sk|BQ|A|00|2)?(\{\{\w+( \d+)?\}\}[=:._-]*)+$`)

// vendorPlaces are where a credential without a form of its own stands beside the name of its vendor.
var vendorPlaces = []string{
	"⟪UPPER⟫_API_KEY=@", "⟪UPPER⟫_TOKEN=@⏎", "⟪words⟫ api key: @", "⟪camel⟫ApiKey: \"@\"", "\"⟪snake⟫_api_token\": \"@\"", "--⟪kebab⟫-token @",
	"const ⟪camel⟫Secret = '@';", "the ⟪words⟫ token is @", "⟪snake⟫.api_key=@", "export ⟪UPPER⟫_SECRET='@'", "⟪words⟫ secret: @.", "<⟪camel⟫Token>@</⟪camel⟫Token>",
	"⟪snake⟫:⏎  api_key: @⏎", "\"⟪snake⟫\": {\"apiKey\": \"@\"}", "X-⟪Kebab⟫-Key: @", "⟪words⟫ api key @", "| ⟪Title⟫ API key | `@` |", "?⟪snake⟫_token=@&x=1",
}

func TestGrid_formats(t *testing.T) {
	t.Parallel()
	r, times := drawn(t)
	e, s := New(), newScore()
	for _, f := range samples(t, "formats.txt") {
		for range times {
			value := strings.ReplaceAll(fill(r, f.template), `\n`, "\n")
			if plain.MatchString(f.template) && !strings.Contains(f.template, "jwt") && !strings.Contains(f.template, "bcrypt") {
				for _, p := range vendorPlaces {
					before, after, _ := strings.Cut(styled(fill(r, p), strings.Fields(f.name), "⟪", "⟫"), "@")
					s.note(missed(e, before, value, after), "place "+p, "format "+f.name)
				}
				continue
			}
			for _, p := range samples(t, "places.txt") {
				before, after, _ := strings.Cut(strings.NewReplacer("⟦", "", "⟧", "").Replace(fill(r, p.template)), "@")
				s.note(missed(e, before, value, after), "place "+p.name, "format "+f.name)
			}
		}
	}
	s.check(t, 0.99)
}

// missed is empty when most of a secret was found: of a URL or a connection string the part that is secret.
func missed(e *Engine, before, secret, after string) string {
	out, found := e.Scan(before + secret + after)
	for _, f := range found {
		if f.Start >= len(before) && f.End <= len(before)+len(secret) && (f.End-f.Start)*10 >= len(secret)*2 {
			return ""
		}
		if f.Start >= len(before)-12 && f.End <= len(before)+len(secret)+2 && f.End > len(before) {
			return ""
		}
	}
	return fmt.Sprintf("%q became %q", before+secret+after, out)
}

// styles are the ways to write a name of several words.
var styles = regexp.MustCompile(`UPPER|snake|camel|Pascal|Kebab|kebab|Title|words|dot`)

// styled writes a name in a template wherever a style stands between the signs.
func styled(template string, words []string, open, shut string) string {
	for _, style := range styles.FindAllString(template, -1) {
		template = strings.ReplaceAll(template, open+style+shut, written(words, style))
	}
	return template
}

func written(words []string, style string) string {
	var out []string
	for i, w := range words {
		switch {
		case style == "UPPER":
			w = strings.ToUpper(w)
		case style == "Pascal", style == "Kebab", style == "Title", style == "camel" && i > 0:
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		out = append(out, w)
	}
	signs := map[string]string{"UPPER": "_", "snake": "_", "Kebab": "-", "kebab": "-", "Title": " ", "words": " ", "dot": "."}
	return strings.Join(out, signs[style])
}
