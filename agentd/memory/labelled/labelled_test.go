package labelled_test

import (
	"reflect"
	"testing"

	"gatehouse/agentd/memory/labelled"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	set, err := labelled.Load()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := labelled.Load(); err != nil || !reflect.DeepEqual(set, again) {
		t.Error("two sets differ")
	}
	if len(set.Notes) != 2000 || len(set.Questions) < 200 {
		t.Errorf("%d notes, %d questions", len(set.Notes), len(set.Questions))
	}
	known := map[string]labelled.Note{}
	for _, n := range set.Notes {
		known[n.ID] = n
	}
	kinds := map[string]int{}
	for _, q := range set.Questions {
		kinds[q.Kind]++
		if known[q.Want].Text == "" || q.Text == "" {
			t.Errorf("%s asks for nothing: %+v", q.ID, q)
		}
		if q.Kind == labelled.Corrected && !known[q.Want].Day.After(known[q.Old].Day) {
			t.Errorf("%s: the correction is not newer", q.ID)
		}
	}
	for _, k := range []string{labelled.Plain, labelled.Typo, labelled.Compound, labelled.Inflected, labelled.Corrected} {
		if kinds[k] < 40 {
			t.Errorf("%d questions of the kind %s", kinds[k], k)
		}
	}
}
