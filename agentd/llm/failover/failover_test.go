package failover

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/store"
)

type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func open(t *testing.T, dir string, c *clock) (*Failover, *store.DB) {
	t.Helper()
	db, err := store.Open(dir, c.now)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), db, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return f, db
}

func candidate(name, model string) profile.Candidate {
	return profile.Candidate{Profile: profile.Profile{Name: name}, Model: model}
}

var all = []profile.Candidate{candidate("a", "large"), candidate("b", "large"), candidate("a", "small")}

func names(cs []profile.Candidate) string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Profile.Name+"/"+c.Model)
	}
	return strings.Join(out, " ")
}

func TestOrder(t *testing.T) {
	t.Parallel()
	c := &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	f, db := open(t, filepath.Join(t.TempDir(), "s"), c)
	defer func() { _ = db.Close() }()
	want := func(when, order string) {
		t.Helper()
		if got := names(f.Order(all)); got != order {
			t.Errorf("%s: %s, want %s", when, got, order)
		}
	}
	want("at first", "a/large b/large a/small")
	f.Failed(all[0], Rate, 0)
	want("too many requests for one model", "b/large a/small a/large")
	f.Failed(all[1], Account, 0)
	want("another key refused", "a/small a/large b/large")
	c.t = c.t.Add(31 * time.Second)
	want("after half a minute", "a/large a/small b/large")
	f.Failed(all[0], Billing, 0)
	want("an account that ran dry rests for all its models, and longest", "b/large a/large a/small")
	if !f.Worked(all[1]) || f.Worked(all[1]) {
		t.Error("success does not forget failures once")
	}
	c.t = c.t.Add(31 * time.Minute)
	want("after all rests", "a/large b/large a/small")
}

func TestRest_growsAndEnds(t *testing.T) {
	t.Parallel()
	for why, most := range map[Why]time.Duration{Account: 24 * time.Hour, Billing: 24 * time.Hour, Rate: 15 * time.Minute, Unavailable: 5 * time.Minute} {
		last := time.Duration(0)
		for n := 1; n < 60; n++ {
			d := why.rest(n, 0)
			if d < last || d > most || n == 2 && d != 2*last {
				t.Errorf("%s: %s after %s", why, d, last)
			}
			last = d
		}
		if last != most {
			t.Errorf("%s: at most %s", why, last)
		}
	}
	if Rate.rest(1, 5*time.Minute) != 5*time.Minute || Rate.rest(1, 99*time.Hour) != mostAsked || Rate.rest(1, time.Second) != 30*time.Second {
		t.Error("what an endpoint asks for is not heeded within bounds")
	}
	if Billing.rest(1, 0) <= Rate.rest(1, 0) {
		t.Error("an empty account rests no longer than a busy one")
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		said   string
		want   Why
	}{
		{401, "", Account},
		{403, "", Account},
		{402, "", Billing},
		{429, "slow down", Rate},
		{429, `{"code":"insufficient_quota"}`, Billing},
		{429, "Your credit balance is too low", Billing},
		{500, "", Unavailable},
		{503, "", Unavailable},
		{529, "overloaded_error", Unavailable},
		{408, "", Unavailable},
		{400, "billing", ""},
		{404, "", ""},
		{413, "", ""},
		{422, "", ""},
		{200, "", ""},
	} {
		if got := Of(c.status, c.said); got != c.want {
			t.Errorf("%d %q: %q, want %q", c.status, c.said, got, c.want)
		}
	}
}

func TestOpen_remembersAcrossRestarts(t *testing.T) {
	t.Parallel()
	c := &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	dir := filepath.Join(t.TempDir(), "s")
	f, db := open(t, dir, c)
	f.Failed(all[0], Billing, 0)
	f.Failed(all[1], Rate, 0)
	for _, name := range []string{"a", "b"} {
		if err := f.Keep(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	f.Worked(all[1])
	if err := f.Keep(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f, db = open(t, dir, c)
	defer func() { _ = db.Close() }()
	if got := names(f.Order(all)); got != "b/large a/large a/small" {
		t.Errorf("after a restart: %s", got)
	}
	f.Failed(all[0], Billing, 0)
	if r := f.rests[key{"a", ""}]; r.n != 2 || r.until.Sub(c.t) != time.Hour {
		t.Errorf("the second failure in a row, over a restart, rests %s", r.until.Sub(c.t))
	}
}
