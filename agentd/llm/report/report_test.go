package report_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/agentd/link"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/report"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// world is agentd's database with two meters, the second of which can be away.
type world struct {
	t        *testing.T
	db       *store.DB
	own, far *meter.Book
	away     error
	now      time.Time
	r        *report.Reporter
}

type farSource struct{ w *world }

func (f farSource) Changed(ctx context.Context, after int64, limit int) ([]wire.UsageRow, error) {
	if f.w.away != nil {
		return nil, f.w.away
	}
	return f.w.far.Changed(ctx, after, limit)
}

func (f farSource) OfDay(ctx context.Context, day time.Time, after int64, limit int) ([]wire.UsageRow, error) {
	return f.w.far.OfDay(ctx, day, after, limit)
}

func (f farSource) Sums(ctx context.Context, from, to time.Time) ([]wire.UsageSum, error) {
	return f.w.far.Sums(ctx, from, to)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return w.now }
	open := func() (*store.DB, *meter.Book) {
		db, err := store.Open(filepath.Join(t.TempDir(), "s"), time.Now)
		w.must(err)
		t.Cleanup(func() { w.must(db.Close()) })
		b, err := meter.Open(t.Context(), db, "", clock)
		w.must(err)
		return db, b
	}
	w.db, w.own = open()
	_, w.far = open()
	w.r = report.New(report.Deps{
		DB: w.db, Outbox: link.NewOutbox(w.db, clock), Sources: map[string]report.Source{"own": w.own, "proxy": farSource{w}},
		Now: clock, Log: slog.New(slog.DiscardHandler),
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) use(b *meter.Book, agent string, input int64) {
	w.t.Helper()
	w.must(b.Add(w.t.Context(), meter.Call{Agent: agent, Model: "m", Profile: "p", Key: wire.KeyHouse}, meter.Usage{Input: input}))
}

// sent takes what waits for the hub: the tokens of each agent, as the newest row says.
func (w *world) sent() (frames int, input map[string]int64) {
	w.t.Helper()
	rows, err := w.db.Read().QueryContext(w.t.Context(), "SELECT body FROM link_out WHERE type = 'usage.report' ORDER BY seq")
	w.must(err)
	defer rows.Close()
	input = map[string]int64{}
	for rows.Next() {
		var raw []byte
		var u wire.UsageReport
		w.must(errors.Join(rows.Scan(&raw), json.Unmarshal(raw, &u)))
		for _, r := range u.Rows {
			input[r.Agent] = r.Input
		}
		frames++
	}
	w.must(rows.Err())
	w.must(w.db.Write(w.t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), "DELETE FROM link_out")
		return err
	}))
	return frames, input
}

// TestReport: what changed goes out once, from each meter, and a report that waits is not followed by others.
func TestReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.use(w.own, "a", 5)
	w.use(w.far, "b", 7)
	w.must(w.r.Report(t.Context()))
	if at := w.r.Known(t.Context()); at != nil {
		t.Errorf("known until %s while it waits", at)
	}
	w.use(w.own, "a", 10)
	w.must(w.r.Report(t.Context()))
	if frames, got := w.sent(); frames != 2 || got["a"] != 5 || got["b"] != 7 {
		t.Fatalf("%d frames, %v", frames, got)
	}
	if at := w.r.Known(t.Context()); at == nil || !at.Equal(w.now) {
		t.Errorf("known until %v once the hub has it", at)
	}
	w.must(w.r.Report(t.Context()))
	if frames, got := w.sent(); frames != 1 || got["a"] != 15 {
		t.Fatalf("%d frames, %v", frames, got)
	}
	w.must(w.r.Report(t.Context()))
	if frames, got := w.sent(); frames != 0 {
		t.Errorf("nothing changed: %d frames, %v", frames, got)
	}
}

// TestReport_away: what a meter does not tell is not known, and is told once it is back; the other's is told meanwhile.
func TestReport_away(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(w.r.Report(t.Context()))
	known := w.r.Known(t.Context())
	w.now, w.away = w.now.Add(time.Minute), errors.New("away")
	w.use(w.own, "a", 5)
	w.use(w.far, "b", 7)
	if err := w.r.Report(t.Context()); !errors.Is(err, w.away) {
		t.Fatal(err)
	}
	if frames, got := w.sent(); frames != 1 || got["a"] != 5 {
		t.Errorf("%d frames, %v", frames, got)
	}
	if at := w.r.Known(t.Context()); at == nil || !at.Equal(*known) {
		t.Errorf("known until %v, was %v", at, known)
	}
	w.away = nil
	w.must(w.r.Report(t.Context()))
	if frames, got := w.sent(); frames != 1 || got["b"] != 7 {
		t.Errorf("%d frames, %v", frames, got)
	}
}

// TestReport_many: more rows than a frame holds go out in several.
func TestReport_many(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(w.db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
			INSERT INTO llm_buckets SELECT 'e', i * 3600, 'a' || i, '', 'm', 'p', 'house', i, 1, 0, i, 0, 0, 0, 0, 0, 0, 0 FROM n`)
		return err
	}))
	w.must(w.r.Report(t.Context()))
	if frames, got := w.sent(); frames != 3 || len(got) != 1100 || got["a1100"] != 1100 {
		t.Errorf("%d frames of %d rows", frames, len(got))
	}
}

// TestMethods_sums: both meters are added up by day, and it is said when the hub does not have all of it.
func TestMethods_sums(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.use(w.own, "a", 5)
	w.use(w.far, "b", 7)
	day := w.now.Truncate(24 * time.Hour)
	params, err := json.Marshal(wire.UsageSumsParams{From: day, To: day.Add(24 * time.Hour)})
	w.must(err)
	ask := func() (total int64, waiting bool) {
		t.Helper()
		got, err := w.r.Methods().Answer(t.Context(), wire.MethodUsageSums, params)
		w.must(err)
		for _, s := range got.(wire.UsageSums).Items {
			if !s.Day.Equal(day) {
				t.Errorf("day %s", s.Day)
			}
			total += s.Input
		}
		return total, got.(wire.UsageSums).Waiting
	}
	if total, waiting := ask(); total != 12 || !waiting {
		t.Errorf("%d tokens, waiting %v", total, waiting)
	}
	w.sent()
	if total, waiting := ask(); total != 12 || waiting {
		t.Errorf("%d tokens, waiting %v, once the hub has it", total, waiting)
	}
}

// TestMethods_again: the rows of the days that are asked for, of both meters, go out once more with their revisions, and no others;
// what changes afterwards is reported as ever.
func TestMethods_again(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.use(w.own, "a", 5)
	w.use(w.far, "b", 7)
	first := w.now
	w.now = w.now.Add(24 * time.Hour)
	w.use(w.own, "c", 9)
	w.must(w.r.Report(t.Context()))
	w.sent()
	ask := func(days ...time.Time) (wire.UsageAgain, error) {
		params, err := json.Marshal(wire.UsageAgainParams{Days: days})
		w.must(err)
		got, err := w.r.Methods().Answer(t.Context(), wire.MethodUsageAgain, params)
		again, _ := got.(wire.UsageAgain)
		return again, err
	}
	n, err := ask(first)
	w.must(err)
	if _, got := w.sent(); n.Rows != 2 || len(got) != 2 || got["a"] != 5 || got["b"] != 7 {
		t.Errorf("%d rows, %v", n.Rows, got)
	}
	if _, err := ask(); err == nil {
		t.Error("no day was named, and it was answered")
	}
	w.use(w.own, "c", 1)
	w.must(w.r.Report(t.Context()))
	if _, got := w.sent(); len(got) != 1 || got["c"] != 10 {
		t.Errorf("afterwards: %v", got)
	}
}
