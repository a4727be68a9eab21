package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse/app/account"
)

// counted counts how often it is asked.
type counted struct {
	asked int
	id    ID
	err   error
}

func (c *counted) ServerOf(context.Context, account.CustomerID) (ID, error) {
	c.asked++
	return c.id, c.err
}

func TestKnown(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	finder := &counted{err: errors.New("no server")}
	k := &Known{Finder: finder, Now: func() time.Time { return now }}
	for _, step := range []struct {
		name  string
		do    func()
		of    account.CustomerID
		want  ID
		asked int // in all
	}{
		{"there is none yet", func() {}, "a", "", 1},
		{"that is not kept", func() { finder.err, finder.id = nil, "one" }, "a", "one", 2},
		{"asked again at once", func() { finder.id = "two" }, "a", "one", 2},
		{"another customer", func() {}, "b", "two", 3},
		{"a little later", func() { now = now.Add(knownLife - 1) }, "a", "one", 3},
		{"later", func() { now = now.Add(1) }, "a", "two", 4},
		{"the clock goes back", func() { now = now.Add(-time.Hour); finder.id = "three" }, "a", "three", 5},
	} {
		step.do()
		got, err := k.ServerOf(t.Context(), step.of)
		if got != step.want || (err != nil) != (finder.err != nil) || finder.asked != step.asked {
			t.Errorf("%s: %q (%v), asked %d times; want %q, %d", step.name, got, err, finder.asked, step.want, step.asked)
		}
	}
}
