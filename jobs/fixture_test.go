package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/account/accounttest"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/mailer"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/server"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
	"gatehouse/jobs/provision"
)

// TestMain is also a worker process that a test kills.
func TestMain(m *testing.M) {
	if dsn := os.Getenv("JOBS_TEST_WORKER_DSN"); dsn != "" {
		workerProcess(dsn, os.Getenv("JOBS_TEST_WORKER_DIR"))
	}
	dbtest.Main(m)
}

// bench is a hub without pages: rules, real Postgres, real River; the place where servers run is a fake.
type bench struct {
	db      *db.DB
	orders  *order.Service
	account *account.Service
	servers *server.Service
	mails   *outbox
	host    *host
	told    *told
	team    *team
}

func newBench(t testing.TB, d *db.DB) *bench {
	t.Helper()
	queue, err := jobs.NewQueue(d.Pool, quiet)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{db: d, mails: &outbox{}, told: &told{}, host: &host{}, team: &team{}}
	b.account = &account.Service{
		Store: &db.Accounts{
			DB:   d,
			Jobs: queue,
		}, Hasher: accounttest.Hasher(), Tries: account.NewTries(100, time.Minute, time.Now), Now: time.Now,
	}
	b.orders = &order.Service{
		Store: &db.Orders{DB: d, Jobs: queue}, Accounts: b.account, Notify: b.told, Codes: dbtest.Sure{}, Now: time.Now,
	}
	b.servers = &server.Service{
		Store:   &db.Servers{DB: d},
		Configs: noConfig{},
		Notify:  b.told,
		Origin:  "http://hub.example",
		Now:     time.Now,
	}
	b.host.register = b.register
	return b
}

var quiet = slog.New(slog.DiscardHandler)

// deps is what workers of this bench work with; now is the clock that retries are counted from.
func (b *bench) deps(now func() time.Time) jobs.Deps {
	return jobs.Deps{
		Orders: b.orders, Servers: b.servers, People: b.account, Team: b.team, Letters: b.account, Addresses: b.account, Mailer: b.mails, Write: plainWords, Log: quiet, Now: now,
		Setups: b.setups(), History: &db.History{DB: b.db}, Steps: b.steps(time.Minute),
	}
}

// work runs workers until the test ends.
func (b *bench) work(t testing.TB, d jobs.Deps) *jobs.Workers {
	t.Helper()
	w, err := jobs.NewWorkers(b.db.Pool, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (b *bench) checkout(t testing.TB) (account.User, order.Order) {
	t.Helper()
	u, o, err := b.orders.Checkout(t.Context(), account.SignUp{
		Name: "Somebody", Business: "Example Bakery", Email: "s" + uuid.NewString() + "@example.com", Password: "correct staple battery", TimeZone: "Europe/Vienna",
	}, order.Choice{Plan: pricing.Build})
	if err != nil {
		t.Fatal(err)
	}
	return u, o
}

// reaches waits until the order stands in state.
func (b *bench) reaches(t testing.TB, o order.Order, state order.State) order.Order {
	t.Helper()
	var now order.Order
	eventually(t, fmt.Sprintf("order is %s", state), func() bool {
		var err error
		if now, err = b.orders.Get(t.Context(), o.CustomerID, o.ID); err != nil {
			t.Fatal(err)
		}
		return now.State == state
	})
	return now
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(time.Minute)
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// register does what agentd does first.
func (b *bench) register(ctx context.Context, token string) error {
	r, err := keys(token)
	if err != nil {
		return err
	}
	_, err = b.servers.Register(ctx, r, "127.0.0.1")
	return err
}

// host is a place where servers run that counts what is asked of it.
type host struct {
	mu        sync.Mutex
	allocated map[string]int
	installed int
	adminKey  string // of the newest set-up
	released  int
	retired   int
	linked    bool
	fail      func(step string) error // nil: nothing fails
	register  func(ctx context.Context, token string) error
}

func (h *host) Name() string { return "fake" }

func (h *host) counts() (installed, allocated int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.installed, len(h.allocated)
}

func (h *host) failing(step string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fail == nil {
		return nil
	}
	return h.fail(step)
}

func (h *host) Allocate(_ context.Context, s vpshost.Spec) error {
	if err := h.failing("allocate"); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.allocated == nil {
		h.allocated = map[string]int{}
	}
	h.allocated[s.ServerID]++
	return nil
}

func (h *host) Finish(context.Context, vpshost.Setup) error { return h.failing("finish") }

func (h *host) Install(ctx context.Context, s vpshost.Setup) error {
	if err := h.failing("install"); err != nil {
		return err
	}
	h.mu.Lock()
	h.installed++
	h.adminKey = s.AdminKey
	h.linked = true
	h.mu.Unlock()
	if s.Token == "" {
		return nil
	}
	return h.register(ctx, s.Token)
}

func (h *host) LastLog(context.Context, string, int) ([]string, error) {
	return []string{"agentd: the last words"}, nil
}

func (h *host) Release(context.Context, string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.released++
	return nil
}

func (h *host) Retire(context.Context, string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.retired++
	return nil
}

func (h *host) Cut(string) error { return nil }

func (h *host) Linked(context.Context, string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.linked
}

func (h *host) Settle(_ context.Context, o order.Order, _ []netip.Addr, log func(...string)) (time.Duration, error) {
	log("made " + o.Slug)
	return 0, h.failing("dns")
}

func (h *host) Host(o order.Order) string { return o.Slug + ".localhost" }

func (h *host) Forget(context.Context, order.Order) error { return h.failing("forget") }

// told counts notices to pages.
type told struct {
	mu     sync.Mutex
	orders int
}

func (n *told) OrderChanged(context.Context, account.CustomerID, order.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.orders++
}

func (n *told) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.orders
}
func (n *told) ServerChanged(context.Context, account.CustomerID, server.ID) {}

// team notes for which customers settings were refreshed, and by whom.
type team struct {
	mu   sync.Mutex
	seen []string
}

func (f *team) Refresh(_ context.Context, of account.CustomerID, who wire.Origin) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, string(of)+" by "+who.Email+" over "+who.Channel)
	return nil
}

func (f *team) refreshed() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.seen...)
}

type noConfig struct{}

func (noConfig) Current(context.Context, account.CustomerID) (wire.Config, error) {
	return wire.Config{Version: 1}, nil
}

// outbox takes letters, or refuses them with err.
type outbox struct {
	mu   sync.Mutex
	sent []mailer.Message
	err  error
}

func (m *outbox) Send(_ context.Context, msg mailer.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	m.sent = append(m.sent, msg)
	return nil
}

func (m *outbox) subjects() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := map[string]int{}
	for _, msg := range m.sent {
		n[msg.Subject]++
	}
	return n
}

// text is what the one letter with that subject says.
func (m *outbox) text(subject string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, msg := range m.sent {
		if msg.Subject == subject {
			return msg.Text
		}
	}
	return ""
}

func plainWords(_ context.Context, l account.Letter) (subject, html, text string, err error) {
	return l.Template, "<p>" + l.Token + "</p>", l.Token, nil
}

// endPauses lets jobs that wait for their next try have it now, and says how long each had to wait.
func (b *bench) endPauses(t testing.TB) []time.Duration {
	t.Helper()
	rows, err := b.db.Pool.Query(t.Context(), `UPDATE river_job SET state = 'available', scheduled_at = now() FROM
		(SELECT id, scheduled_at - attempted_at AS pause FROM river_job WHERE state = 'retryable' FOR UPDATE) AS w
		WHERE river_job.id = w.id RETURNING w.pause`)
	if err != nil {
		t.Fatal(err)
	}
	pauses, err := pgx.CollectRows(rows, pgx.RowTo[time.Duration])
	if err != nil {
		t.Fatal(err)
	}
	for i := range pauses {
		pauses[i] = pauses[i].Truncate(time.Minute) // and the time that the try took
	}
	return pauses
}

func (b *bench) setups() *db.Setups { return &db.Setups{DB: b.db, Now: time.Now} }

// steps does the work of states on the counting host, which has wait to come.
func (b *bench) steps(wait time.Duration) *provision.Runner {
	return &provision.Runner{
		Servers: b.servers, Hosts: map[string]vpshost.Host{b.host.Name(): b.host}, Default: b.host.Name(), DNS: b.host, Links: b.host, Setups: b.setups(),
		People: b.account, Keys: b.orders, Wait: wait,
	}
}
