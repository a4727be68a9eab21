package agentlink_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/link"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/report"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
	"gatehouse/app/usage"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// metered is an agentd with a meter of its own, as the model proxy has one, which is killed now and then.
type metered struct {
	*agent
	t    *testing.T
	dir  string
	db   *store.DB
	book *meter.Book
	r    *report.Reporter

	sent int64 // tokens of answers that were settled
}

// Changed is the meter's, whichever life it is in.
func (m *metered) Changed(ctx context.Context, after int64, limit int) ([]wire.UsageRow, error) {
	return m.book.Changed(ctx, after, limit)
}

func (m *metered) OfDay(ctx context.Context, day time.Time, after int64, limit int) ([]wire.UsageRow, error) {
	return m.book.OfDay(ctx, day, after, limit)
}

func (m *metered) Sums(ctx context.Context, from, to time.Time) ([]wire.UsageSum, error) {
	return m.book.Sums(ctx, from, to)
}

func (h *hub) newMetered(t *testing.T, c customer) *metered {
	m := &metered{agent: h.newAgent(t, c), t: t, dir: filepath.Join(t.TempDir(), "proxy")}
	must(t, os.Mkdir(m.dir, 0o700))
	storetest.Seed(t, m.dir)
	m.open()
	t.Cleanup(func() { _ = m.db.Close() })
	m.r = report.New(report.Deps{
		DB: m.agent.db, Outbox: m.outbox, Sources: map[string]report.Source{"proxy": m}, Now: time.Now, Log: m.log,
	})
	return m
}

// open begins a life of the meter.
func (m *metered) open() {
	var err error
	m.db, err = store.Open(m.dir, time.Now)
	must(m.t, err)
	m.book, err = meter.Open(m.t.Context(), m.db, filepath.Join(m.dir, "calls"), time.Now)
	must(m.t, err)
}

// work asks a model n times, and is killed or loses its link now and then.
func (m *metered) work(n int, url string, seed uint64) {
	draw := rand.New(rand.NewPCG(1, seed))
	for i := range n {
		call := meter.Call{Agent: "a" + strconv.Itoa(draw.IntN(3)), Model: "m", Profile: "p", Key: wire.KeyHouse, Sent: 40}
		s, err := m.book.Begin(m.t.Context(), call)
		must(m.t, err)
		switch draw.IntN(40) {
		case 0: // killed while the answer passes
			must(m.t, errors.Join(s.Left(), s.Note(meter.Usage{Output: 2, EstOutput: 2, Estimated: true})))
			must(m.t, m.db.Close())
			m.open()
			m.sent += 10 + 2
		case 1: // the link breaks
			m.stop()
			m.run(url)
			fallthrough
		default:
			must(m.t, m.book.Settle(m.t.Context(), s, meter.Usage{Input: int64(i), Output: 1}))
			m.sent += int64(i) + 1
		}
		if draw.IntN(5) == 0 {
			must(m.t, m.r.Report(m.t.Context()))
		}
	}
}

// TestUsage_killed: real meters report to a hub at once, are killed while answers pass and lose their links. In the end the hub
// has each token once, and says the same as the servers' own sums.
func TestUsage_killed(t *testing.T) {
	t.Parallel()
	servers, calls := 3, 60
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		servers, calls = 50, 1000
	}
	h := startHub(t, dbtest.New(t))
	var all []*metered
	var working sync.WaitGroup
	var customers []customer
	for i := range servers {
		c := h.newCustomer(t)
		m := h.newMetered(t, c)
		m.run(h.web.URL)
		all, customers = append(all, m), append(customers, c)
		working.Go(func() { m.work(calls, h.web.URL, uint64(i)) })
	}
	working.Wait()
	kept := &db.Usage{DB: h.db}
	for i, m := range all {
		waitFor(t, "all is reported", func() bool {
			must(t, m.r.Report(t.Context()))
			return m.empty() && m.r.Known(t.Context()) != nil
		})
		var tokens, requests int64
		buckets, err := kept.Buckets(t.Context(), customers[i].id, time.Now().Add(-48*time.Hour), time.Now().Add(time.Hour))
		must(t, err)
		for _, b := range buckets {
			tokens, requests = tokens+b.Tokens(), requests+b.Requests
		}
		if tokens != m.sent || requests != int64(calls) {
			t.Errorf("server %d: the hub has %d tokens of %d requests, used were %d of %d", i, tokens, requests, m.sent, calls)
		}
		if alerts, err := (&db.Alerts{DB: h.db}).List(t.Context(), customers[i].server, 5); err != nil || len(alerts) > 0 {
			t.Errorf("server %d: alerts %v, %v", i, alerts, err)
		}
	}
}

// TestUsage_restored: the hub's database is set back to an older copy, and what servers had reported and forgotten is asked for again:
// in the end each token is there once, also of an epoch that the copy never knew.
func TestUsage_restored(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	m := h.newMetered(t, c)
	m.answers(func(ctx context.Context, method wire.Method, p json.RawMessage) (any, error) {
		return m.r.Methods().Answer(ctx, method, p)
	})
	m.run(h.web.URL, func(o *link.Options) {
		o.Heartbeat = func(ctx context.Context) wire.Heartbeat {
			return wire.Heartbeat{Time: time.Now().UTC(), AgentdVersion: "test", UsageAt: m.r.Known(ctx)}
		}
		o.BeatEvery = 10 * time.Millisecond
	})
	m.up(h)
	uses := func(n int64) {
		call := meter.Call{Agent: "a", Model: "m", Profile: "p", Key: wire.KeyHouse, Sent: 40}
		s, err := m.book.Begin(t.Context(), call)
		must(t, err)
		must(t, m.book.Settle(t.Context(), s, meter.Usage{Input: n}))
		must(t, m.r.Report(t.Context()))
		waitFor(t, "it is reported", m.empty)
	}
	exec := func(query string) {
		t.Helper()
		_, err := h.db.Pool.Exec(t.Context(), query)
		must(t, err)
	}
	uses(100)
	exec("CREATE TABLE copy_of_usage AS SELECT * FROM usage_buckets")
	uses(20) // the same hour goes on
	must(t, m.db.Close())
	m.open() // another epoch
	uses(3)
	exec("DELETE FROM usage_buckets")
	exec("INSERT INTO usage_buckets SELECT * FROM copy_of_usage")
	kept := &db.Usage{DB: h.db}
	later := func() time.Time { return time.Now().Add(26 * time.Hour) } // when the day is compared
	s := &usage.Service{Store: kept, Alerts: &db.Alerts{DB: h.db}, Live: h.relay, Now: later, Log: m.log}
	waitFor(t, "the hub knows that it reports", func() bool {
		ids, err := kept.Reporting(t.Context())
		must(t, err)
		return len(ids) == 1
	})
	_, off, err := s.Reconcile(t.Context())
	if err != nil || off != 1 {
		t.Fatalf("set back: %d off, %v", off, err)
	}
	waitFor(t, "what was lost is there again", func() bool {
		_, off, err := s.Reconcile(t.Context())
		must(t, err)
		return m.empty() && off == 0
	})
	var tokens, rows int64
	buckets, err := kept.Buckets(t.Context(), c.id, time.Now().Add(-48*time.Hour), time.Now().Add(time.Hour))
	must(t, err)
	for _, b := range buckets {
		tokens, rows = tokens+b.Tokens(), rows+1
	}
	if tokens != 123 || rows < 2 {
		t.Errorf("%d tokens in %d buckets, want 123 in two epochs", tokens, rows)
	}
}

// TestUsage_forged: a report counts for the server whose link it came over, whatever it says.
func TestUsage_forged(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL)
	row := wire.UsageRow{
		Epoch: uuid.NewString(), Hour: time.Now().UTC().Truncate(time.Hour), Agent: "a", Model: "m", Profile: "p", Key: wire.KeyHouse,
		Revision:    1,
		UsageCounts: wire.UsageCounts{Requests: 1, Input: -5},
	}
	right := row
	right.Agent, right.Input = "b", 5
	a.put(wire.TypeUsageReport, map[string]any{"server_id": uuid.NewString(), "rows": []wire.UsageRow{row, right}})
	waitFor(t, "the report is applied", a.empty)
	got, err := (&db.Usage{DB: h.db}).Buckets(t.Context(), c.id, time.Now().Add(-2*time.Hour), time.Now().Add(time.Hour))
	must(t, err)
	if len(got) != 1 || got[0].Server != c.server || got[0].Input != 5 || got[0].Key != usage.House {
		t.Errorf("kept %+v", got)
	}
	alerts, err := (&db.Alerts{DB: h.db}).List(t.Context(), c.server, 5)
	if err != nil || len(alerts) != 1 || alerts[0].Kind != "usage_refused" {
		t.Errorf("alerts %v, %v", alerts, err)
	}
}
