package db_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/db"
)

// measured is a registered server whose heartbeats a test sends.
type measured struct {
	*servers
	history *db.History
	id      server.ID
}

func newMeasured(t *testing.T) *measured {
	t.Helper()
	s := newServers(t)
	h := &db.History{DB: s.db}
	s.Histories = h
	_, srv := withServer(t, s.db)
	token, err := s.Mint(t.Context(), srv.ID)
	must(t, err)
	_, err = s.Register(t.Context(), request(t, token), "127.0.0.1")
	must(t, err)
	return &measured{s, h, srv.ID}
}

// beat sends a heartbeat so long after t0 whose processor is so busy.
func (m *measured) beat(t testing.TB, at time.Duration, cpu float64) {
	t.Helper()
	m.at(at)
	in := int64(1000)
	must(t, m.Heartbeat(t.Context(), m.id, wire.Heartbeat{
		CPU: &cpu, Cores: 2, MemTotal: 100, MemFree: 75, DiskTotal: 100, DiskFree: 10, NetIn: &in,
		Containers: &wire.Containers{Running: 3, Total: 4},
	}))
}

// rows counts the rows of a step.
func (m *measured) rows(t testing.TB, step int) (n int) {
	t.Helper()
	must(t, m.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM server_history WHERE step = $1", step).Scan(&n))
	return n
}

// fill stores a heartbeat every 30 s in a stretch of time after t0, with a processor as busy as the hour of the day.
func (m *measured) fill(t testing.TB, from, to time.Duration) {
	t.Helper()
	_, err := m.db.Pool.Exec(t.Context(), `INSERT INTO server_history (server_id, step, at, cpu, mem)
		SELECT $1, 0, at, extract(hour FROM at AT TIME ZONE 'UTC') / 24, 0.5
		FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 second', '30 seconds') AS at`, m.id, t0.Add(from), t0.Add(to))
	must(t, err)
}

// TestHistory: what heartbeats measure stands in a chart with its least, mean and most; what was not measured is not known,
// and a step without heartbeats is missing.
func TestHistory(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	for i, cpu := range []float64{0.1, 0.3, 0.8} {
		m.beat(t, time.Duration(i)*20*time.Second, cpu)
	}
	m.beat(t, 3*time.Minute, 0.5)
	c, err := m.Chart(t.Context(), m.id, server.Hour)
	must(t, err)
	if len(c.Points) != 2 || c.To.Sub(c.From) != time.Hour || !c.Points[0].At.Equal(t0) || !c.Points[1].At.Equal(t0.Add(3*time.Minute)) {
		t.Fatalf("chart %+v", c)
	}
	p := c.Points[0]
	near := func(what string, got server.Stat, low, avg, high float64) {
		t.Helper()
		if !got.Known || math.Abs(got.Min-low)+math.Abs(got.Avg-avg)+math.Abs(got.Max-high) > 1e-5 {
			t.Errorf("%s: %+v, want %g, %g, %g", what, got, low, avg, high)
		}
	}
	near("processor", p.CPU, 0.1, 0.4, 0.8)
	near("memory", p.Mem, 0.25, 0.25, 0.25)
	near("disk", p.Disk, 0.9, 0.9, 0.9)
	near("received", p.NetIn, 1000, 1000, 1000)
	near("containers", p.Boxes, 3, 3, 3)
	if p.NetOut.Known || p.Beats != 3 {
		t.Errorf("sent %+v, %d heartbeats", p.NetOut, p.Beats)
	}
	if _, err := m.Chart(t.Context(), m.id, "year"); err == nil {
		t.Error("a span that there is not was drawn")
	}
}

// TestHistory_oldServer: a server that does not measure its processor is drawn by its load.
func TestHistory_oldServer(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	must(t, m.Heartbeat(t.Context(), m.id, wire.Heartbeat{Cores: 4, LoadOne: 1, MemTotal: 10, MemFree: 5}))
	c, err := m.Chart(t.Context(), m.id, server.Hour)
	must(t, err)
	if p := c.Points[0]; p.CPU.Avg != 0.25 || p.NetIn.Known || p.Boxes.Known || p.Disk.Known {
		t.Errorf("%+v", p)
	}
}

// TestHistory_roll: a chart says the same before and after heartbeats have become coarser rows, in whatever pieces, twice and
// by two at once; heartbeats go after a day, five-minute rows after a week, everything after 90 days.
func TestHistory_roll(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.fill(t, 0, 3*time.Hour)
	m.at(3*time.Hour - time.Second)
	before, err := m.Chart(t.Context(), m.id, server.Day)
	must(t, err)
	now := t0.Add(3*time.Hour + 2*time.Minute)
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if made, _, err := m.history.Roll(short, now); err == nil || made != 0 {
		t.Fatalf("a pass that was cut off at once made %d rows: %v", made, err)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, _, err := m.history.Roll(t.Context(), now); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if fives, hours := m.rows(t, 300), m.rows(t, 3600); fives != 36 || hours != 3 {
		t.Fatalf("%d rows of five minutes, %d of an hour", fives, hours)
	}
	after, err := m.Chart(t.Context(), m.id, server.Day)
	must(t, err)
	if len(before.Points) != 18 || len(after.Points) != len(before.Points) {
		t.Fatalf("%d points before, %d after", len(before.Points), len(after.Points))
	}
	for i, p := range after.Points {
		was := before.Points[i]
		if p.Beats != was.Beats || math.Abs(p.CPU.Avg-was.CPU.Avg) > 1e-6 || p.CPU.Max != was.CPU.Max || !p.At.Equal(was.At) {
			t.Errorf("%+v, before %+v", p, was)
		}
	}
	for _, step := range []struct {
		after              time.Duration
		beats, fives, hour int
	}{
		{27 * time.Hour, 120, 36, 3}, // two of the three hours of heartbeats are over a day old
		{5 * 24 * time.Hour, 0, 36, 3},
		{8*24*time.Hour + 3*time.Hour, 0, 0, 3},
		{92 * 24 * time.Hour, 0, 0, 0},
	} {
		_, _, err := m.history.Roll(t.Context(), t0.Add(step.after))
		must(t, err)
		if b, f, h := m.rows(t, 0), m.rows(t, 300), m.rows(t, 3600); b != step.beats || f != step.fives || h != step.hour {
			t.Errorf("after %s: %d heartbeats, %d of five minutes, %d of an hour", step.after, b, f, h)
		}
	}
}

// TestHistory_rollGoesOn: what comes in while passes run is neither lost nor counted twice.
func TestHistory_rollGoesOn(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	for i := range 12 {
		from := time.Duration(i) * 10 * time.Minute
		m.fill(t, from, from+10*time.Minute)
		_, _, err := m.history.Roll(t.Context(), t0.Add(from+10*time.Minute))
		must(t, err)
	}
	_, _, err := m.history.Roll(t.Context(), t0.Add(2*time.Hour+2*time.Minute))
	must(t, err)
	var n int
	must(t, m.db.Pool.QueryRow(t.Context(), "SELECT sum(n) FROM server_history WHERE step = 3600").Scan(&n))
	if n != 240 {
		t.Errorf("the hours hold %d heartbeats, want 240", n)
	}
}

// TestServers_counts: the counts and the filter of the list say the same.
func TestServers_counts(t *testing.T) {
	t.Parallel()
	m := newMeasured(t)
	m.beat(t, 0, 0.5)
	withServer(t, m.db)
	counts, err := m.Counts(t.Context())
	must(t, err)
	for _, s := range server.States() {
		of, err := m.List(t.Context(), server.Filter{State: s}, page.Ask{})
		must(t, err)
		if len(of.Items) != counts[s] {
			t.Errorf("%s: %d listed, %d counted", s, len(of.Items), counts[s])
		}
	}
	if counts[server.Online] != 1 || counts[server.New] != 1 {
		t.Errorf("counts %v", counts)
	}
	if _, err := m.List(t.Context(), server.Filter{State: "asleep"}, page.Ask{}); err == nil {
		t.Error("a state that there is not was listed")
	}
}
