package recent

import (
	"errors"
	"testing"
	"time"
)

func TestAnswers_Read(t *testing.T) {
	t.Parallel()
	const life = 500 * time.Millisecond
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	var a Answers[string, string]
	var says string
	var err error
	asked := 0
	during := func() {}
	ask := func() (string, error) {
		asked++
		during()
		return says, err
	}
	for _, step := range []struct {
		name  string
		do    func()
		key   string
		want  string
		asked int // in all
	}{
		{"an error", func() { err = errors.New("none") }, "a", "", 1},
		{"is not kept", func() { err, says = nil, "one" }, "a", "one", 2},
		{"again at once", func() { says = "two" }, "a", "one", 2},
		{"another question", func() {}, "b", "two", 3},
		{"a little later", func() { now = now.Add(life - 1) }, "a", "one", 3},
		{"later", func() { now = now.Add(1) }, "a", "two", 4},
		{"the clock goes back", func() { now = now.Add(-time.Hour); says = "three" }, "a", "three", 5},
		{"forgotten", func() { a.Forget(); says = "four" }, "a", "four", 6},
		{"forgotten while it is asked for", func() { a.Forget(); during = a.Forget }, "a", "four", 7},
		{"was not kept", func() { during = func() {} }, "a", "four", 8},
	} {
		step.do()
		got, failed := a.Read(step.key, life, now, ask)
		if got != step.want || !errors.Is(failed, err) || asked != step.asked {
			t.Errorf("%s: %q (%v), asked %d times; want %q, %d", step.name, got, failed, asked, step.want, step.asked)
		}
	}
}

func TestAnswers_bounded(t *testing.T) {
	t.Parallel()
	var a Answers[int, int]
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	for k := range 3 * most {
		if v, err := a.Read(k, time.Hour, now, func() (int, error) { return k, nil }); v != k || err != nil {
			t.Fatalf("%d: %d, %v", k, v, err)
		}
		if len(a.known) > most {
			t.Fatalf("%d answers are known", len(a.known))
		}
	}
}
