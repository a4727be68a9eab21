package agentlink_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/labstack/echo/v4"
	natsserver "github.com/nats-io/nats-server/v2/server"

	"gatehouse/agentd/link"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/receipt"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/support"
	"gatehouse/app/team"
	"gatehouse/app/usage"
	"gatehouse/app/web/agentlink"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// patience is how long a test waits for what must happen.
const patience = time.Minute

// hub is one hub process as far as links go, on a database that several may share.
type hub struct {
	db        *db.DB
	links     *db.Links
	relay     *relay.Relay
	handler   *agentlink.Handler
	web       *httptest.Server
	servers   *server.Service
	approvals *approval.Service
	teams     *team.Service
	chats     *chat.Service
	receipts  *receipt.Service
	log       *logBuffer
}

// logBuffer keeps what was logged, to be shown when the test fails.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func logger(t testing.TB, who string) (*slog.Logger, *logBuffer) {
	buf := &logBuffer{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of %s:\n%s", who, buf)
		}
	})
	return slog.New(slog.NewTextHandler(buf, &slog.HandlerOptions{Level: slog.LevelDebug})), buf
}

type notifier struct{ r *relay.Relay }

func (n notifier) ServerChanged(_ context.Context, of account.CustomerID, id server.ID) {
	_ = n.r.Notify(relay.Notice{Kind: relay.KindServer, CustomerID: string(of), ID: string(id)}) // told or not, the test sees the database
}

func startHub(t testing.TB, d *db.DB, change ...func(*agentlink.Deps)) *hub {
	t.Helper()
	log, buf := logger(t, "hub")
	r, err := relay.Open(relay.Options{Log: log})
	must(t, err)
	t.Cleanup(r.Close)
	return startHubOn(t, d, r, log, buf, change...)
}

func startHubOn(t testing.TB, d *db.DB, r *relay.Relay, log *slog.Logger, buf *logBuffer, change ...func(*agentlink.Deps)) *hub {
	t.Helper()
	e := echo.New()
	srv := httptest.NewUnstartedServer(e)
	origin := "http://" + srv.Listener.Addr().String()
	h := &hub{db: d, links: &db.Links{DB: d}, relay: r, web: srv, log: buf}
	trail := &db.Trail{DB: d}
	h.receipts = &receipt.Service{Store: &db.Checkpoints{DB: d}, Now: time.Now}
	h.teams = &team.Service{Store: &db.Configs{DB: d}, Outbox: h.links, Holds: h.receipts, Record: trail, Live: r, Now: time.Now, Log: log}
	h.servers = &server.Service{
		Codes: dbtest.Sure{},
		Store: &db.Servers{DB: d}, Configs: h.teams, Notify: notifier{r}, Origin: origin,
		LinkURL: strings.Replace(origin, "http", "ws", 1) + link.Path, Now: time.Now,
		Live: r, Histories: &db.History{DB: d}, Command: make([]byte, 32),
	}
	h.approvals = &approval.Service{Store: &db.Approvals{DB: d}, Outbox: h.links, Keys: &db.Approvers{DB: d}, Holds: h.receipts, Record: trail, Devices: &db.PushDevices{DB: d, Jobs: dbtest.NoJobs{}}, Live: r, Now: time.Now, Log: log}
	h.chats = &chat.Service{Servers: h.links, Peer: server.Peer{Servers: h.links, Live: r}, Outbox: h.links, Live: r, Inbox: &db.Approvals{DB: d}, Repeats: &db.Idempotency{DB: d}, Now: time.Now, Log: log}
	deps := agentlink.Deps{
		Origin: origin, Servers: h.servers, Links: h.links, Approvals: h.approvals, Receipts: h.receipts, Configs: h.teams, Approvers: &approver.Service{Store: &db.Approvers{DB: d}, Requests: &db.Approvers{DB: d}, Peer: server.Peer{Servers: h.links, Live: r}, Now: time.Now},
		Support: &support.Service{
			Store: &db.SupportWindows{DB: d, Links: h.links}, Servers: h.links, Known: h.servers, Live: r,
			Now: time.Now, Log: log,
		},
		Usage:  &usage.Service{Store: &db.Usage{DB: d}, Alerts: &db.Alerts{DB: d}, Live: r, Now: time.Now, Log: log},
		Alerts: &db.Alerts{DB: d}, Relay: r, Now: time.Now, Log: log,
	}
	for _, f := range change {
		f(&deps)
	}
	h.handler = agentlink.New(deps)
	for _, route := range h.handler.Routes() {
		e.Add(route.Method, route.Path, route.Do)
	}
	e.HTTPErrorHandler = func(err error, c echo.Context) {
		_ = c.JSON(status(err), map[string]string{"title": fault.Of(err).Code})
	}
	srv.Start()
	t.Cleanup(func() {
		h.handler.Close()
		srv.Close()
	})
	return h
}

func status(err error) int {
	switch fault.Of(err).Kind {
	case fault.Malformed:
		return http.StatusBadRequest
	case fault.Invalid:
		return http.StatusUnprocessableEntity
	case fault.Conflict:
		return http.StatusConflict
	case fault.Forbidden:
		return http.StatusForbidden
	}
	return http.StatusInternalServerError
}

// customer is a business with a server that may register.
type customer struct {
	id     account.CustomerID
	user   account.UserID
	email  string
	server server.ID
	token  string
}

type noJobs struct{}

func (noJobs) EnqueueTx(context.Context, pgx.Tx, []work.Item) error { return nil }

const somebodysHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (h *hub) newCustomer(t testing.TB) customer {
	t.Helper()
	now := time.Now().UTC()
	c := customer{id: account.CustomerID(newID()), user: account.UserID(newID()), server: server.ID(newID())}
	c.email = "someone+" + newID()[24:] + "@example.com"
	n := order.New{
		Order: order.Order{
			ID: order.ID(newID()), CustomerID: c.id, OrderedBy: c.user, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
			Region: order.EU, Slug: "bakery-" + newID()[24:], Mode: order.Auto, State: order.PaymentConfirmed, CreatedAt: now, UpdatedAt: now,
		},
		Account: &account.New{
			Customer:     account.Customer{ID: c.id, Name: "Example Bakery", TimeZone: "Europe/Vienna", CreatedAt: now},
			Owner:        account.User{ID: c.user, CustomerID: c.id, Email: c.email, Name: "Somebody", Role: account.Owner, CreatedAt: now},
			PasswordHash: somebodysHash,
		},
	}
	_, err := (&db.Orders{DB: h.db, Jobs: noJobs{}}).Create(t.Context(), n)
	must(t, err)
	must(t, (&db.Servers{DB: h.db}).Create(t.Context(), server.Server{
		ID: c.server, CustomerID: c.id, OrderID: string(n.Order.ID), Slug: n.Order.Slug, Provider: "local", State: server.New, CreatedAt: now,
	}))
	must(t, (&db.Approvers{DB: h.db}).Report(t.Context(), c.server, wire.ApproverState{Keys: []wire.ApproverKey{
		{KeyID: signer().KeyID, SPKI: signer().SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "test", CreatedAt: now},
	}}))
	c.token, err = h.servers.Mint(t.Context(), c.server)
	must(t, err)
	return c
}

// signer is the key that every customer's server has reported.
var signer = sync.OnceValue(func() wire.Signer {
	s, err := wire.NewSigner()
	if err != nil {
		panic(err) // there is no test without it
	}
	return s
})

// signature is one that the hub takes: whether it holds is for the server to say, and the agent here looks at none.
func signature(t testing.TB) *wire.Signature {
	t.Helper()
	s, err := signer().Sign("anything", time.Now())
	must(t, err)
	return s
}

// agent is an agentd as far as the link goes: real store, real client, and a handler that keeps what comes.
type agent struct {
	t      testing.TB
	dir    string
	id     link.Identity
	db     *store.DB
	outbox *link.Outbox
	client *link.Client
	log    *slog.Logger

	mu      sync.Mutex
	applied []wire.Frame
	refused []wire.Frame
	fail    func(f wire.Frame) error // what Apply answers; nil: nothing wrong
	rpc     func(ctx context.Context, m wire.Method, p json.RawMessage) (any, error)
	came    chan struct{} // one for each frame that was applied or refused
	stop    func()
}

var _ link.Handler = (*agent)(nil)

// newAgent registers an agentd at the hub, without starting it.
func (h *hub) newAgent(t testing.TB, c customer) *agent {
	t.Helper()
	a := &agent{t: t, dir: t.TempDir(), came: make(chan struct{}, 10_000)}
	must(t, os.Chmod(a.dir, 0o700))
	a.log, _ = logger(t, "agentd")
	token := filepath.Join(a.dir, "token")
	must(t, os.WriteFile(token, []byte(c.token+"\n"), 0o600))
	var err error
	a.id, err = link.Register(t.Context(), link.Registration{Hub: h.web.URL, StateDir: a.dir, TokenFile: token, Version: "test", Log: a.log})
	must(t, err)
	storetest.Seed(t, a.dir)
	a.db, err = store.Open(a.dir, time.Now)
	must(t, err)
	t.Cleanup(func() { _ = a.db.Close() })
	a.outbox = link.NewOutbox(a.db, time.Now)
	return a
}

// run starts the agentd's link to the hub at url.
func (a *agent) run(url string, change ...func(*link.Options)) {
	o := link.Options{
		Identity: a.id, Hub: url, Version: "test", DB: a.db, Outbox: a.outbox, Handler: a, Now: time.Now, Log: a.log,
		Heartbeat: func(context.Context) wire.Heartbeat {
			return wire.Heartbeat{Time: time.Now().UTC(), AgentdVersion: "test"}
		},
		Config:   func() int64 { return 0 },
		RetryMin: 5 * time.Millisecond, RetryMax: 50 * time.Millisecond,
	}
	for _, f := range change {
		f(&o)
	}
	a.client = link.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.client.Run(ctx) }()
	var once sync.Once
	a.stop = func() {
		once.Do(func() {
			cancel()
			a.log.Info("link ended", "error", <-done)
		})
	}
	a.t.Cleanup(a.stop)
}

// up waits until the link is open at both ends.
func (a *agent) up(h *hub) {
	a.t.Helper()
	waitFor(a.t, "link is up", func() bool { return a.client.Connected() && h.relay.Linked(a.t.Context(), a.id.ServerID) })
}

func (a *agent) RPC(ctx context.Context, m wire.Method, p json.RawMessage) (any, error) {
	a.mu.Lock()
	fn := a.rpc
	a.mu.Unlock()
	if fn == nil {
		return nil, &wire.RPCError{Code: "not_found", Text: "There is no such thing."}
	}
	return fn(ctx, m, p)
}

func (a *agent) answers(fn func(ctx context.Context, m wire.Method, p json.RawMessage) (any, error)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rpc = fn
}

func (a *agent) Apply(_ context.Context, tx *sql.Tx, f wire.Frame) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fail != nil {
		if err := a.fail(f); err != nil {
			return err
		}
	}
	a.db.OnCommit(tx, func() {
		a.mu.Lock()
		a.applied = append(a.applied, f)
		a.mu.Unlock()
		a.came <- struct{}{}
	})
	return nil
}

func (a *agent) Refused(_ context.Context, _ *sql.Tx, f wire.Frame, _ error) error {
	a.mu.Lock()
	a.refused = append(a.refused, f)
	a.mu.Unlock()
	a.came <- struct{}{}
	return nil
}

// frames gives what was applied of a type so far.
func (a *agent) frames(t wire.Type) (out []wire.Frame) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.applied {
		if f.Type == t {
			out = append(out, f)
		}
	}
	return out
}

// put puts bodies in the outbox, all in one write.
func (a *agent) put(t wire.Type, bodies ...any) {
	a.t.Helper()
	must(a.t, a.db.Write(context.Background(), func(tx *sql.Tx) error {
		for _, b := range bodies {
			if err := a.outbox.Put(context.Background(), tx, t, b); err != nil {
				return err
			}
		}
		return nil
	}))
}

// empty says whether everything in the outbox was acknowledged and forgotten.
func (a *agent) empty() bool {
	var n int
	must(a.t, a.db.Read().QueryRowContext(context.Background(), "SELECT count(*) FROM link_out").Scan(&n))
	return n == 0
}

// question is an approval as agentd would ask it.
func (a *agent) question(change ...func(*wire.Approval)) wire.Approval {
	now := time.Now().UTC()
	q := wire.Approval{
		ID: newID(), Code: "K7M2QX", ServerID: a.id.ServerID, SessionID: newID(), RootRunID: newID(), RunID: newID(), CallID: newID(),
		Agent: "it-admin", Tool: "file_delete", Action: "files.file.delete", Args: json.RawMessage(`{"path":"tmp/*.zzsecretpath"}`),
		ArgsHash: strings.Repeat("ab", 32), Tier: "red", PolicyVersion: 1, StagedHash: "-", Summary: "Delete 14 files zzsecretsummary",
		Facts:  []wire.Fact{{Name: "files", Value: 14, Text: "14 files zzsecretfact"}},
		Reason: "You asked me to zzsecretreason.", WhyAsked: "Red calls are asked at level 2 zzsecretwhy.",
		Diff:    &wire.Diff{Path: "zzsecretdiff.txt", Unified: "+zzsecretline"},
		Windows: []int{15, 60}, CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour).Truncate(time.Second),
		State: wire.ApprovalPending, Execution: wire.ExecNone,
	}
	for _, f := range change {
		f(&q)
	}
	q.Digest = wire.DigestOf(q)
	return q
}

func (c customer) owner() wire.DecidedBy {
	return wire.DecidedBy{UserID: string(c.user), Name: c.email, Role: "owner", Channel: "portal", Address: "192.0.2.1", Method: "session"}
}

func (c customer) origin() wire.Origin {
	return wire.Origin{UserID: string(c.user), Email: c.email, Channel: "portal", Address: "192.0.2.1"}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t testing.TB, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("error %v, want %v", got, want)
	}
}

// waitFor looks until cond holds.
func waitFor(t testing.TB, what string, cond func() bool) {
	t.Helper()
	end := time.Now().Add(patience)
	for !cond() {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
		time.Sleep(2 * time.Millisecond) // between two looks at the condition
	}
}

// count says how often text was logged.
func (l *logBuffer) count(text string) int { return strings.Count(l.String(), text) }

// setBack makes the agentd's state forget how far the link has come, as an older copy of it would.
func (a *agent) setBack() error {
	return a.db.Write(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE link_state SET out_seq = 1, in_seq = 2")
		return err
	})
}

// startNATS starts a NATS server of its own on a free port, as a cluster would be.
func startNATS(t testing.TB) string {
	t.Helper()
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true, MaxPayload: wire.MaxBody + 1<<20, MaxPending: 64 << 20})
	must(t, err)
	s.Start()
	if !s.ReadyForConnections(patience) {
		t.Fatal("NATS does not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s.ClientURL()
}

// patiently calls the customer's server with as much time as a slow machine may need.
func (h *hub) patiently(t *testing.T, c customer, m wire.Method, params, result any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must(t, h.relay.Call(ctx, string(c.server), m, params, result))
}
