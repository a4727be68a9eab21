package redact

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestScan_againNearby: a long text is scanned again only if that finds something around a secret. Nothing that begins or
// ends right beside one is missed so, among everything else that a text can hold.
func TestScan_againNearby(t *testing.T) {
	t.Parallel()
	rounds := 5
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		rounds = 500
	}
	seed, _ := seedOf(0, 0)
	lines := slices.Concat(samples(t, "positive.txt"), samples(t, "negative.txt"))
	parts, once := 0, 0
	for round := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		known := manySecrets(r, 20)
		s := newState(known, 0)
		text := []byte(besides(r, lines, known))
		first, err := s.pass(text, full)
		if err != nil {
			t.Fatal(err)
		}
		if len(around(text, first)) > 1 {
			parts++
		}
		got, err := s.scan(text, full)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(got, first) {
			once++
		}
		wantNoneBeside(t, s, text, got)
	}
	if parts < rounds/2 || once == 0 || once == rounds {
		t.Errorf("of %d texts %d were looked at in parts, and %d scanned once", rounds, parts, once)
	}
}

// besides is a long text of lines of the corpora, a few of them with a secret right beside another word or secret.
func besides(r *rand.Rand, lines []sample, known []Known) string {
	glue := []string{"x", "x", "x", "x", "x", "x", "x", "x", "x", "gh" + "p_" + some(r, alnum, 36)}
	var b strings.Builder
	for b.Len() < 200<<10 {
		line := strings.NewReplacer("⟦", "", "⟧", "", "⏎", "\n").Replace(fill(r, lines[r.IntN(len(lines))].template))
		if r.IntN(300) == 0 {
			at := r.IntN(len(line) + 1)
			line = line[:at] + known[r.IntN(len(known))].Value + glue[r.IntN(len(glue))] + line[at:]
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// wantNoneBeside fails for what a scan of the whole text without spans finds right beside one of them. That one of them may
// reach further is none.
func wantNoneBeside(t *testing.T, s *state, text []byte, spans []span) {
	t.Helper()
	more, err := s.pass(s.marked(text, spans), full)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.merged(spans, more) {
		if slices.ContainsFunc(spans, func(o span) bool { return f.start < o.end && o.start < f.end }) {
			continue
		}
		if slices.ContainsFunc(spans, func(o span) bool { return (f.start == o.end || f.end == o.start) && !alone(text, o.start, o.end) }) {
			t.Errorf("missed: %q of kind %q in %q", text[f.start:f.end], f.kind, text[max(f.start-80, 0):min(f.end+80, len(text))])
		}
	}
}
