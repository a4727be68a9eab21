package recall_test

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"gatehouse/agentd/memory/labelled"
	"gatehouse/agentd/memory/recall"
)

var space = recall.Space{Provider: "127.0.0.1:1", Model: "toy", Dims: 384}

// toy is a model: each word and each three letters of it point somewhere of their own, all of them a little the same way, as with
// models of long texts.
func toy(text string) []float32 {
	v := make([]float32, space.Dims)
	add := func(part string, by float32) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(part))
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += by * float32(r.NormFloat64())
		}
	}
	for _, word := range strings.Fields(strings.ToLower(text)) {
		word = strings.Trim(word, ".,:;?!")
		add(word, 1)
		for i := 0; i+3 <= len(word); i++ {
			add(word[i:i+3], 0.3)
		}
	}
	add("common", 2)
	return v
}

// chance is a model whose vectors say nothing.
func chance(text string) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	r := rand.New(rand.NewPCG(h.Sum64(), 2))
	v := make([]float32, space.Dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// alike is a model to which all texts mean the same.
func alike(string) []float32 { return chance("") }

// mean keeps what some of the texts of an index mean: one of every.
func mean(t *testing.T, x *recall.Index, every int, model func(string) []float32) {
	t.Helper()
	for behind := int64(0); ; {
		all, err := x.Unmeant(t.Context(), behind, 500)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 {
			return
		}
		behind = all[len(all)-1].Row
		var meant []recall.Meant
		for _, u := range all {
			if u.Row%int64(every) == 0 {
				meant = append(meant, recall.Meant{Row: u.Row, Hash: recall.Hash(u.Text), Meaning: recall.Condense(model(u.Text))})
			}
		}
		if err := x.Mean(t.Context(), space, meant); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFinds_meaning: whatever a model says, with its vectors of all notes or of some, no kind of question is answered worse than by
// words alone.
func TestFinds_meaning(t *testing.T) {
	t.Parallel()
	set, err := labelled.Load()
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]func(string) []float32{"a fair one": toy, "chance": chance, "all alike": alike}
	x := filled(t, set)
	words := measure(t, x, set, recall.Lexical, nil)
	for name, model := range models {
		for _, every := range []int{3, 1} {
			if err := x.Forget(t.Context()); err != nil {
				t.Fatal(err)
			}
			mean(t, x, every, model)
			fused := measure(t, x, set, recall.Fused, model)
			for kind, least := range words {
				if t.Logf("%-12s %d %-12s words %5.1f fused %5.1f", name, every, kind, least, fused[kind]); fused[kind] < least {
					t.Errorf("%s, of one note of %d, %s: fused finds %.1f %%, words alone %.1f %%", name, every, kind, fused[kind], least)
				}
			}
		}
	}
}

// TestMean: a text that has changed keeps no meaning, one that is gone neither, and meanings of another space go.
func TestMean(t *testing.T) {
	t.Parallel()
	set, err := labelled.Load()
	if err != nil {
		t.Fatal(err)
	}
	set.Notes = set.Notes[:200]
	x := filled(t, set)
	count := func(want int) {
		t.Helper()
		if n, err := x.Meanings(t.Context()); n != want || err != nil {
			t.Errorf("%d meanings, %v, want %d", n, err, want)
		}
	}
	mean(t, x, 1, toy)
	count(200)
	n := set.Notes[0]
	file := "secretary/memory/" + n.Day.Format("2006-01-02") + ".md"
	one := recall.Text{ID: n.ID, Group: "secretary", File: file, Line: 1, Text: "Something else.", Day: n.Day, Trust: 60, Clean: true}
	if err := x.Put(t.Context(), file, "2", []recall.Text{one}); err != nil {
		t.Fatal(err)
	}
	left, err := x.Unmeant(t.Context(), 0, 10)
	if err != nil || len(left) != 1 || left[0].Text != one.Text {
		t.Fatalf("%+v, %v", left, err)
	}
	stale := recall.Meant{Row: left[0].Row, Hash: recall.Hash(n.Text), Meaning: recall.Condense(toy(n.Text))}
	before, err := x.Meanings(t.Context())
	if err != nil || x.Mean(t.Context(), space, []recall.Meant{stale}) != nil {
		t.Fatal(err)
	}
	count(before)
	other := space
	other.Dims = 3
	fresh := recall.Meant{Row: left[0].Row, Hash: recall.Hash("Something else."), Meaning: recall.Condense([]float32{1, 2, 3})}
	if err := x.Mean(t.Context(), other, []recall.Meant{fresh}); err != nil {
		t.Fatal(err)
	}
	count(1)
	if in, err := x.In(t.Context()); in != other || err != nil {
		t.Errorf("%+v, %v", in, err)
	}
}
