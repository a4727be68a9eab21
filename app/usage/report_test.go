package usage

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

var now = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// shelf is a Store and Alerts in memory, with the rule of the real one: db's tests hold that one to it.
type shelf struct {
	kept   map[key]Bucket
	alerts []string // kinds
	sums   []Sum
	off    string
}

func (s *shelf) Keep(_ context.Context, _ server.ID, rows []Bucket) (was []Bucket, err error) {
	for _, b := range rows {
		old, ok := s.kept[keyOf(b)]
		if ok {
			was = append(was, old)
		}
		if !ok || b.Revision > old.Revision && !b.lessThan(old.Counts) {
			s.kept[keyOf(b)] = b
		}
	}
	return was, nil
}

func (s *shelf) Buckets(context.Context, account.CustomerID, time.Time, time.Time) ([]Bucket, error) {
	return nil, nil
}

func (s *shelf) Sums(context.Context, server.ID, time.Time, time.Time) ([]Sum, error) {
	return s.sums, nil
}

func (s *shelf) Reporting(context.Context) ([]server.ID, error) { return []server.ID{"srv"}, nil }

func (s *shelf) Checked(_ context.Context, _ server.ID, off string, _ time.Time) (bool, error) {
	other := s.off != off
	s.off = off
	return other, nil
}

func (s *shelf) RaiseOnce(_ context.Context, _ server.ID, a wire.Alert, _, _ time.Time) error {
	s.alerts = append(s.alerts, a.Kind)
	return nil
}

func newService() (*Service, *shelf) {
	s := &shelf{kept: map[key]Bucket{}}
	return &Service{Store: s, Alerts: s, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}, s
}

func row(change ...func(*wire.UsageRow)) wire.UsageRow {
	r := wire.UsageRow{
		Epoch: "e", Hour: now.Truncate(time.Hour), Agent: "a", Model: "m", Profile: "p", Key: wire.KeyHouse, Revision: 5,
		UsageCounts: wire.UsageCounts{Requests: 2, Input: 10, Output: 4},
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

// TestReport_refused: a row that cannot be right is left out with an alert, and the other one counts.
func TestReport_refused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*wire.UsageRow){
		"below nothing":       func(r *wire.UsageRow) { r.Input = -1 },
		"beyond all":          func(r *wire.UsageRow) { r.Output = maxCount + 1 },
		"the largest number":  func(r *wire.UsageRow) { r.CacheRead = 1<<63 - 1 },
		"more estimated":      func(r *wire.UsageRow) { r.EstInput = 11 },
		"estimated requests":  func(r *wire.UsageRow) { r.Estimated = 3 },
		"a future hour":       func(r *wire.UsageRow) { r.Hour = r.Hour.AddDate(0, 0, 32) },
		"an hour long ago":    func(r *wire.UsageRow) { r.Hour = r.Hour.AddDate(0, 0, -401) },
		"within an hour":      func(r *wire.UsageRow) { r.Hour = r.Hour.Add(time.Second) },
		"no agent":            func(r *wire.UsageRow) { r.Agent = "" },
		"a long model":        func(r *wire.UsageRow) { r.Model = strings.Repeat("m", 201) },
		"a byte of nothing":   func(r *wire.UsageRow) { r.Profile = "p\x00" },
		"no text":             func(r *wire.UsageRow) { r.Parent = "\xff" },
		"a key of nobody":     func(r *wire.UsageRow) { r.Key = "theirs" },
		"no revision":         func(r *wire.UsageRow) { r.Revision = 0 },
		"the same row again":  func(r *wire.UsageRow) { r.Agent = "good" },
		"a revision too many": func(r *wire.UsageRow) { r.Revision = 1<<53 + 1 },
	} {
		s, kept := newService()
		good := row(func(r *wire.UsageRow) { r.Agent = "good" })
		if err := s.Report(t.Context(), "srv", wire.UsageReport{Rows: []wire.UsageRow{good, row(change)}}); err != nil {
			t.Fatal(err)
		}
		if len(kept.kept) != 1 || len(kept.alerts) != 1 || kept.alerts[0] != alertRefused {
			t.Errorf("%s: kept %d rows, alerts %v", name, len(kept.kept), kept.alerts)
		}
	}
	s, kept := newService()
	many := wire.UsageReport{Rows: make([]wire.UsageRow, wire.MaxUsageRows+1)}
	if err := s.Report(t.Context(), "srv", many); err != nil || len(kept.alerts) != 1 {
		t.Errorf("too many rows: %v, alerts %v", err, kept.alerts)
	}
	s, kept = newService()
	next := row(func(r *wire.UsageRow) { r.Hour = r.Hour.Add(time.Hour) }) // its clock is ahead a little
	if err := s.Report(t.Context(), "srv", wire.UsageReport{Rows: []wire.UsageRow{next}}); err != nil || len(kept.alerts) != 0 {
		t.Errorf("the next hour: %v, alerts %v", err, kept.alerts)
	}
}

// TestReport_clockAhead: what a server used whose clock is hours ahead counts, and our staff are told of the clock.
func TestReport_clockAhead(t *testing.T) {
	t.Parallel()
	s, kept := newService()
	next := row(func(r *wire.UsageRow) { r.Hour = r.Hour.Add(9 * time.Hour) })
	if err := s.Report(t.Context(), "srv", wire.UsageReport{Rows: []wire.UsageRow{next, row()}}); err != nil {
		t.Fatal(err)
	}
	if len(kept.kept) != 2 || len(kept.alerts) != 1 || kept.alerts[0] != alertAhead {
		t.Errorf("kept %d rows, alerts %v", len(kept.kept), kept.alerts)
	}
}

// TestReport_suspect: what does not follow from what was there is told, and does not count.
func TestReport_suspect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		next  wire.UsageRow
		alert string
		kept  int64
	}{
		"the same again":    {row(), "", 10},
		"more":              {row(func(r *wire.UsageRow) { r.Revision, r.Input = 6, 12 }), "", 12},
		"late":              {row(func(r *wire.UsageRow) { r.Revision, r.Input = 4, 3 }), "", 10},
		"another body":      {row(func(r *wire.UsageRow) { r.Input = 12 }), alertChanged, 10},
		"less":              {row(func(r *wire.UsageRow) { r.Revision, r.Input = 6, 9 }), alertLowered, 10},
		"less of one thing": {row(func(r *wire.UsageRow) { r.Revision, r.Input, r.Output = 6, 90, 3 }), alertLowered, 10},
	} {
		s, kept := newService()
		for _, r := range []wire.UsageRow{row(), c.next} {
			if err := s.Report(t.Context(), "srv", wire.UsageReport{Rows: []wire.UsageRow{r}}); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(kept.alerts, " "); got != c.alert {
			t.Errorf("%s: alerts %q, want %q", name, got, c.alert)
		}
		for _, b := range kept.kept {
			if b.Input != c.kept {
				t.Errorf("%s: %d tokens kept, want %d", name, b.Input, c.kept)
			}
		}
	}
}

// TestReport_anyOrder: late, repeated, reordered and interleaved reports end where reports in order do, without an alert.
func TestReport_anyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		said, want := history(t)
		deliver := rapid.SliceOfN(rapid.SampledFrom(said), 0, 30).Draw(t, "repeats")
		deliver = append(deliver, said...)
		deliver = rapid.Permutation(deliver).Draw(t, "order")
		s, kept := newService()
		for len(deliver) > 0 {
			n := rapid.IntRange(1, len(deliver)).Draw(t, "rows")
			if err := s.Report(context.Background(), "srv", wire.UsageReport{Rows: onePerKey(deliver[:n])}); err != nil {
				t.Fatal(err)
			}
			deliver = append(leftOver(deliver[:n]), deliver[n:]...)
		}
		if len(kept.alerts) > 0 || len(kept.kept) != len(want) {
			t.Fatalf("alerts %v, %d rows, want %d", kept.alerts, len(kept.kept), len(want))
		}
		for k, b := range want {
			if kept.kept[k] != b {
				t.Fatalf("kept %+v, want %+v", kept.kept[k], b)
			}
		}
	})
}

// history is what a meter said in its life, each row as often as it changed, and how it ended.
func history(t *rapid.T) (said []wire.UsageRow, want map[key]Bucket) {
	want = map[key]Bucket{}
	now := map[string]wire.UsageRow{}
	for revision := range rapid.Int64Range(1, 30).Draw(t, "changes") {
		agent := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "agent")
		r, ok := now[agent]
		if !ok {
			r = row(func(r *wire.UsageRow) { r.Agent, r.UsageCounts = agent, wire.UsageCounts{} })
		}
		r.Revision = revision + 1
		r.Requests++
		r.Input += rapid.Int64Range(0, 1000).Draw(t, "input")
		r.Output += rapid.Int64Range(0, 1000).Draw(t, "output")
		now[agent] = r
		said = append(said, r)
		want[keyOf(bucketOf(r))] = bucketOf(r)
	}
	return said, want
}

// onePerKey are the first rows of each key, as one report holds them; leftOver are the others.
func onePerKey(rows []wire.UsageRow) (first []wire.UsageRow) {
	first, _ = split(rows)
	return first
}

func leftOver(rows []wire.UsageRow) []wire.UsageRow {
	_, rest := split(rows)
	return rest
}

func split(rows []wire.UsageRow) (first, rest []wire.UsageRow) {
	seen := map[key]bool{}
	for _, r := range rows {
		if k := keyOf(bucketOf(r)); seen[k] {
			rest = append(rest, r)
		} else {
			seen[k] = true
			first = append(first, r)
		}
	}
	return first, rest
}

// answers is a server that says what it counted.
type answers wire.UsageSums

func (a answers) Call(_ context.Context, _ string, m wire.Method, _, result any) error {
	if m == wire.MethodUsageAgain {
		return fault.New(fault.Invalid, "server-invalid", "older version", "This server does not answer that.") // as relay.Relay says it
	}
	*result.(*wire.UsageSums) = wire.UsageSums(a)
	return nil
}

// forgetful is a server whose hub lacks something, and that is asked for days again.
type forgetful struct {
	answers
	away  bool
	asked [][]time.Time
}

func (f *forgetful) Call(ctx context.Context, id string, m wire.Method, params, result any) error {
	if m != wire.MethodUsageAgain {
		return f.answers.Call(ctx, id, m, params, result)
	}
	f.asked = append(f.asked, params.(wire.UsageAgainParams).Days)
	if f.away {
		return errors.New("away")
	}
	return nil
}

// TestReconcile_again: days of which the hub has less are asked for again, once for each difference, and until they could be asked for;
// days of which it has more are not.
func TestReconcile_again(t *testing.T) {
	t.Parallel()
	first := now.Truncate(day).Add(-3 * day)
	sum := func(d int, input int64) wire.UsageSum {
		return wire.UsageSum{Epoch: "e", Day: first.Add(time.Duration(d) * day), UsageCounts: wire.UsageCounts{Input: input}}
	}
	s, kept := newService()
	kept.sums = []Sum{{Epoch: "e", Day: first, Counts: Counts{Input: 100}}, {Epoch: "e", Day: first.Add(day), Counts: Counts{Input: 9}}}
	live := &forgetful{away: true, answers: answers{Items: []wire.UsageSum{sum(0, 101), sum(1, 8), sum(2, 5)}}}
	s.Live = live
	for range 2 {
		_, _, err := s.Reconcile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
	}
	live.away = false
	for range 2 {
		if _, _, err := s.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(live.asked) != 3 {
		t.Fatalf("asked %d times, want twice while it was away and once then", len(live.asked))
	}
	if days := live.asked[2]; len(days) != 2 || !days[0].Equal(first) || !days[1].Equal(first.Add(2*day)) {
		t.Errorf("asked for %v", days)
	}
}

// TestReconcile: a difference of one token is told once, and again when it is another one; what has not arrived is none.
func TestReconcile(t *testing.T) {
	t.Parallel()
	yesterday := now.Truncate(day).Add(-day)
	sum := func(epoch string, input int64) wire.UsageSum {
		return wire.UsageSum{Epoch: epoch, Day: yesterday, UsageCounts: wire.UsageCounts{Input: input}}
	}
	s, kept := newService()
	kept.sums = []Sum{{Epoch: "e", Day: yesterday, Counts: Counts{Input: 100}}, {Epoch: "lost", Day: yesterday, Counts: Counts{Input: 7}}}
	for _, c := range []struct {
		name   string
		says   wire.UsageSums
		off    int
		alerts int
	}{
		{"the same", wire.UsageSums{Items: []wire.UsageSum{sum("e", 100)}}, 0, 0},
		{"one token", wire.UsageSums{Items: []wire.UsageSum{sum("e", 101)}}, 1, 1},
		{"the same difference", wire.UsageSums{Items: []wire.UsageSum{sum("e", 101)}}, 1, 1},
		{"one token less", wire.UsageSums{Items: []wire.UsageSum{sum("e", 99)}}, 1, 2},
		{"not all has arrived", wire.UsageSums{Items: []wire.UsageSum{sum("e", 99)}, Waiting: true}, 0, 2},
		{"an epoch that the hub lacks", wire.UsageSums{Items: []wire.UsageSum{sum("e", 100), sum("f", 1)}}, 1, 3},
		{"a day that the server lacks", wire.UsageSums{Items: []wire.UsageSum{{Epoch: "e", Day: yesterday.Add(-day)}}}, 1, 4},
		{"right again", wire.UsageSums{Items: []wire.UsageSum{sum("e", 100)}}, 0, 4},
	} {
		s.Live = answers(c.says)
		_, off, err := s.Reconcile(t.Context())
		if err != nil || off != c.off || len(kept.alerts) != c.alerts {
			t.Errorf("%s: %d off, alerts %v, %v", c.name, off, kept.alerts, err)
		}
	}
}
