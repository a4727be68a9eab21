package static

import (
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// token is a colour in both themes.
type token struct{ light, dark string }

var pairPattern = regexp.MustCompile(`--([a-z0-9-]+):\s*light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`)

// tokens reads the colours of tokens.css.
func tokens(t *testing.T) map[string]token {
	t.Helper()
	all := map[string]token{}
	for _, m := range pairPattern.FindAllStringSubmatch(string(read("css/tokens.css")), -1) {
		all[m[1]] = token{m[2], m[3]}
	}
	return all
}

// TestThemes_differInColorsOnly: a theme chooses the color scheme and nothing else, so only values of light-dark(), which
// are colors, depend on it.
func TestThemes_differInColorsOnly(t *testing.T) {
	t.Parallel()
	chosen := regexp.MustCompile(`:root\[data-theme=(light|dark)\] \{ color-scheme: (light|dark) \}`)
	err := fs.WalkDir(files, "css", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		css := string(read(path))
		for _, m := range chosen.FindAllStringSubmatch(css, -1) {
			if m[1] != m[2] {
				t.Errorf("%s: the theme %s has the color scheme %s", path, m[1], m[2])
			}
		}
		rest := chosen.ReplaceAllString(css, "")
		for _, word := range []string{"data-theme=", "data-theme]", "prefers-color-scheme"} {
			if strings.Contains(rest, word) {
				t.Errorf("%s: a rule depends on the theme: %s", path, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTokens_contrast computes every pair of colours that is read or operated, in both themes.
func TestTokens_contrast(t *testing.T) {
	t.Parallel()
	const text, control = 4.5, 3.0
	grounds := []string{"bg", "surface", "raised"}
	var checks []struct {
		fore, back string
		need       float64
	}
	need := func(n float64, back []string, fore ...string) {
		for _, f := range fore {
			for _, b := range back {
				checks = append(checks, struct {
					fore, back string
					need       float64
				}{f, b, n})
			}
		}
	}
	need(text, grounds, "text", "muted", "accent", "ok", "warn", "bad")
	need(text, []string{"accent"}, "on-accent")
	need(text, []string{"accent-bg"}, "accent", "text")
	need(text, []string{"code-bg"}, "code-text", "muted", "warn", "bad")
	need(text, []string{"text"}, "bg") // toasts
	need(control, grounds, "line-strong", "focus", "c1", "c2", "c3", "c4", "c5")
	for _, pair := range []string{"add", "del", "green", "yellow", "external", "red", "critical"} {
		need(text, []string{pair + "-bg"}, pair)
	}
	need(text, []string{"red-bg"}, "bad")
	need(text, []string{"yellow-bg"}, "text", "warn")
	for _, tier := range []string{"green", "yellow", "external", "red", "critical"} {
		need(control, []string{"surface"}, tier+"-line")
	}
	all := tokens(t)
	for _, c := range checks {
		f, okF := all[c.fore]
		b, okB := all[c.back]
		if !okF || !okB {
			t.Errorf("%s on %s: no such token", c.fore, c.back)
			continue
		}
		for theme, r := range map[string]float64{"light": ratio(f.light, b.light), "dark": ratio(f.dark, b.dark)} {
			if r < c.need {
				t.Errorf("%s: %s on %s is %.2f, needs %.1f", theme, c.fore, c.back, r, c.need)
			}
		}
	}
}

func TestRatio_knownValues(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]string{{"#000000", "#ffffff"}: "21.00", {"#777777", "#ffffff"}: "4.48", {"#ffffff", "#ffffff"}: "1.00"} {
		if got := fmt.Sprintf("%.2f", ratio(pair[0], pair[1])); got != want {
			t.Errorf("%v: %s, want %s", pair, got, want)
		}
	}
}

// ratio is the contrast of two colours as WCAG 2 defines it.
func ratio(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + .05) / (math.Min(x, y) + .05)
}

func luminance(hex string) float64 {
	channel := func(i int) float64 {
		n, _ := strconv.ParseUint(hex[i:i+2], 16, 8) // the pattern lets hex digits through only
		c := float64(n) / 255
		if c <= .04045 {
			return c / 12.92
		}
		return math.Pow((c+.055)/1.055, 2.4)
	}
	return .2126*channel(1) + .7152*channel(3) + .0722*channel(5)
}
