package recall_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/memory/labelled"
	"gatehouse/agentd/memory/recall"
)

// BenchmarkFind searches 50,000 texts: the labelled notes, each 25 times with other things beside them.
func BenchmarkFind(b *testing.B) {
	set, err := labelled.Load()
	if err != nil {
		b.Fatal(err)
	}
	x, err := recall.Open(b.Context(), filepath.Join(b.TempDir(), "memory.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			b.Error(err)
		}
	}()
	for copied := range 25 {
		texts := make([]recall.Text, len(set.Notes))
		for i, n := range set.Notes {
			other := set.Notes[(i*7+copied*131)%len(set.Notes)].Text
			texts[i] = recall.Text{
				ID: fmt.Sprintf("%s-%d", n.ID, copied), Group: "secretary", File: fmt.Sprint(copied), Line: i + 1, Day: n.Day, Trust: 60,
				Clean: true,
				Text:  n.Text + " " + strings.Join(strings.Fields(other)[:copied%8], " "),
			}
		}
		if err := x.Put(b.Context(), fmt.Sprint(copied), "1", texts); err != nil {
			b.Fatal(err)
		}
	}
	at := 0
	for b.Loop() {
		q := set.Questions[at%len(set.Questions)]
		at++
		if _, err := x.Find(b.Context(), recall.Query{Text: q.Text, Limit: 8, Now: labelled.End}); err != nil {
			b.Fatal(err)
		}
	}
}
