package recall_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"gatehouse/agentd/memory/labelled"
	"gatehouse/agentd/memory/recall"
)

// every is how many topics there are for one whose questions are asked: a soak asks about all, with the same claims.
var every = map[bool]int{true: 1, false: 4}[os.Getenv("GATEHOUSE_SOAK") != ""]

// measure is how much is found by one way.
func measure(t testing.TB, x *recall.Index, set labelled.Set, by recall.Way, means func(string) []float32) map[string]float64 {
	t.Helper()
	share, err := set.Share(every, func(text string) (ids []string, err error) {
		q := recall.Query{Text: text, Limit: 5, Now: labelled.End, By: by}
		if means != nil {
			m := recall.Condense(means(text))
			q.Means, q.In = &m, space
		}
		hits, err := x.Find(context.Background(), q)
		for _, h := range hits {
			ids = append(ids, h.ID)
		}
		return ids, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return share
}

func filled(t testing.TB, set labelled.Set) *recall.Index {
	t.Helper()
	x, err := recall.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	byFile := map[string][]recall.Text{}
	for _, n := range set.Notes {
		file := "secretary/memory/" + n.Day.Format("2006-01-02") + ".md"
		byFile[file] = append(byFile[file], recall.Text{
			ID: n.ID, Group: "secretary", File: file, Line: len(byFile[file]) + 1, Text: n.Text, Day: n.Day, Trust: 60, Clean: true,
		})
	}
	for file, texts := range byFile {
		if err := x.Put(t.Context(), file, "1", texts); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// TestFinds: what is asked in other letters than it was written in is found better by all ways together than by words alone,
// nothing is found worse, and corrections stand before what they correct.
func TestFinds(t *testing.T) {
	t.Parallel()
	set, err := labelled.Load()
	if err != nil {
		t.Fatal(err)
	}
	x := filled(t, set)
	words, vectors := measure(t, x, set, recall.Lexical, nil), measure(t, x, set, recall.Vectors, nil)
	fused := measure(t, x, set, recall.Fused, nil)
	hard := func(m map[string]float64) float64 {
		return (m[labelled.Typo] + m[labelled.Compound] + m[labelled.Inflected]) / 3
	}
	for _, k := range []string{
		"all", labelled.Plain, labelled.Typo, labelled.Compound, labelled.Inflected, labelled.Corrected, labelled.NewerFirst,
	} {
		t.Logf("%-12s words %5.1f vectors %5.1f fused %5.1f", k, words[k], vectors[k], fused[k])
		if fused[k] < words[k] {
			t.Errorf("%s: fused finds %.1f %%, words alone %.1f %%", k, fused[k], words[k])
		}
	}
	if hard(fused) < hard(words)+5 {
		t.Errorf("misspelt, joined and inflected: fused %.1f %%, words alone %.1f %%; want 5 more", hard(fused), hard(words))
	}
	if fused[labelled.NewerFirst] < 80 {
		t.Errorf("corrections stand first in %.1f %%, want 80", fused[labelled.NewerFirst])
	}
}
