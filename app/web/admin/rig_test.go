package admin_test

import (
	"context"
	"crypto/ed25519"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/account/accounttest"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/attention"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/billing/rates"
	"gatehouse/app/clientele"
	"gatehouse/app/closing"
	"gatehouse/app/job"
	"gatehouse/app/machine"
	"gatehouse/app/margin"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/passkey"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/ecb"
	"gatehouse/app/provider/objectstore"
	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/app/provider/vpshost/local"
	"gatehouse/app/provider/vpshost/netcup/netcuptest"
	"gatehouse/app/providers"
	"gatehouse/app/regain"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/setting"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/support"
	"gatehouse/app/takeout"
	"gatehouse/app/usage"
	"gatehouse/app/web"
	"gatehouse/app/web/admin"
	"gatehouse/app/web/session"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
	"gatehouse/static"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// hub is the console over a real database and relay, with four of the staff and one customer signed in.
type hub struct {
	url      string
	db       *db.DB
	live     *relay.Relay
	orders   *order.Service
	names    *naming.Service
	servers  *server.Service
	commands *server.Commands
	rentals  *machine.Service
	support  *support.Service
	tokens   *account.Tokens
	people   *staff.Service
	codes    *staff.Codes
	desk     signin.Desk
	queue    *jobs.Queue
	queries  *counter
	staff    string // secrets of the sign-ins: one of Support,
	manager  string // one who may change orders,
	admin    string // one who runs the hub,
	owner    string // one whose it is,
	guest    string // and a customer
	bank     string // address of the exchange rates

	panel    *netcuptest.Panel
	atNetcup *providers.Service
	adopted  *db.Adopted
	ahead    atomic.Int64 // how far the clock of the providers is ahead, in nanoseconds

	mu     sync.Mutex
	queued []work.Item
}

// counter counts what goes to the database by way of bun.
type counter struct{ n atomic.Int64 }

func (c *counter) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }
func (c *counter) AfterQuery(context.Context, *bun.QueryEvent)                        { c.n.Add(1) }

// EnqueueTx keeps what was queued.
func (h *hub) EnqueueTx(_ context.Context, _ pgx.Tx, items []work.Item) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queued = append(h.queued, items...)
	return nil
}

// OrderChanged tells open pages; one that misses it looks again by itself, as ServerChanged's do.
func (h *hub) OrderChanged(_ context.Context, of account.CustomerID, id order.ID) {
	_ = h.live.Notify(relay.Notice{Kind: relay.KindOrder, CustomerID: string(of), ID: string(id)})
}

func (h *hub) ServerChanged(_ context.Context, of account.CustomerID, id server.ID) {
	_ = h.live.Notify(relay.Notice{Kind: relay.KindServer, CustomerID: string(of), ID: string(id)})
}

func start(t testing.TB) *hub {
	t.Helper()
	h := &hub{db: dbtest.New(t), queries: &counter{}}
	h.db.DB = h.db.WithQueryHook(h.queries)
	log := slog.New(slog.DiscardHandler)
	var err error
	h.live, err = relay.Open(relay.Options{})
	must(t, err)
	t.Cleanup(h.live.Close)
	h.tokens = &account.Tokens{Store: &account.TokenCache{TokenStore: &db.Tokens{DB: h.db}}, Now: time.Now}
	accounts := &account.Service{Store: &db.Accounts{DB: h.db, Jobs: h}, Now: time.Now}
	h.orders = &order.Service{Store: &db.Orders{DB: h.db, Jobs: h}, Accounts: accounts, Notify: h, Now: time.Now}
	h.servers = &server.Service{Store: &db.Servers{DB: h.db}, Notify: h, Now: time.Now, Histories: &db.History{DB: h.db}, Live: h.live}
	_, signs, err := ed25519.GenerateKey(nil)
	must(t, err)
	h.commands = &server.Commands{Store: &db.ServerCommands{DB: h.db, Jobs: h}, Servers: h.servers, Key: signs, Now: time.Now}
	h.rentals = &machine.Service{
		Store: &db.MachineActs{DB: h.db, Jobs: h}, Servers: h.servers, Now: time.Now,
		Can: map[string]machine.Abilities{
			"local":   machine.AbilitiesOf((*local.Host)(nil)),
			"hetzner": machine.AbilitiesOf((*hetzner.Host)(nil)),
		},
	}
	keys, err := db.OpenKeyring(t.TempDir() + "/key")
	must(t, err)
	h.people = &staff.Service{
		Store: &db.Staff{DB: h.db, Keys: keys, Jobs: h}, Hasher: accounttest.Hasher(), Tries: account.NewTries(100, time.Minute, time.Now),
		Now: time.Now, Photos: objectstore.Folder{Dir: t.TempDir()},
	}
	h.openCodes()
	h.desk = signin.Desk{Store: &db.Signins{DB: h.db}, Now: time.Now}
	sessions := session.New(h.desk, nil, false)
	h.names = &naming.Service{
		Orders: h.orders, Store: &db.Names{DB: h.db}, Provider: naming.Loopback, Record: &db.Trail{DB: h.db}, Notify: h, GiveUp: time.Hour,
		Now: time.Now, Log: log,
	}
	links := &db.Links{DB: h.db}
	h.support = &support.Service{
		Store: &db.SupportWindows{DB: h.db, Jobs: h, Links: links}, Servers: links, Known: h.servers, Live: h.live, Now: time.Now, Log: log,
	}
	h.rentals.Windows, h.rentals.Links = h.support, h.live
	console := &admin.Handler{
		Staff: h.people, Sessions: sessions,
		LookAgain: time.Hour,
		Machines:  h.rentals,
		Orders:    h.orders, Servers: h.servers, Commands: h.commands, Accounts: accounts, Live: h.live, Now: time.Now, Log: log,
		Keys: &approver.Service{Store: &db.Approvers{DB: h.db}, Requests: &db.Approvers{DB: h.db, Jobs: h}, Now: time.Now},
		Inbox: &approval.Service{
			Store: &db.Approvals{DB: h.db}, Devices: &db.PushDevices{DB: h.db, Jobs: dbtest.NoJobs{}}, Now: time.Now, Log: log,
		},
		Setups:    &db.Setups{DB: h.db, Now: time.Now},
		Providers: []string{"local", "pool"},
		Pool:      h.machines(),
		Rentals:   h.providers(t, keys),
		Tokens:    &staff.Tokens{Keys: h.tokens},
		Records:   &audit.Service{Reader: &db.Audit{DB: h.db}, Record: &db.Trail{DB: h.db}, Now: time.Now},
		Names:     h.names,
		Exports:   takeout.Desk{Record: &db.Trail{DB: h.db}, Now: time.Now},
		Settings:  &setting.Service{Store: &db.Settings{DB: h.db, Keys: keys}, Now: time.Now, Log: log},
		Closing:   &closing.Service{Store: &db.Closing{DB: h.db, Jobs: h}, Now: time.Now},
		Clientele: &clientele.Service{Store: &db.Clientele{DB: h.db, Jobs: h}, Now: time.Now},
		Needs:     &attention.Service{Store: &db.Attention{DB: h.db}, Now: time.Now},
		Codes:     h.codes,
		Support:   h.support,
		Payments:  h.payments(),
		Bills:     &billing.Service{Store: &db.Billing{DB: h.db, Jobs: h}, Usage: &db.Usage{DB: h.db}, Orders: h.orders, Now: time.Now},
		Rates: &rates.Service{
			Prices: h.bills(), Store: &db.RateLooks{DB: h.db}, Bank: ecb.Client{Address: func() string { return h.bank }},
			On: func() bool { return true }, Now: time.Now,
		},
		Regain:  &regain.Service{Store: &db.Regain{DB: h.db, Jobs: h}, Owners: accounts, Now: time.Now},
		Rings:   &approver.Service{Store: &db.Approvers{DB: h.db}},
		Analyst: &usage.Analyst{Totals: &db.Usage{DB: h.db}, Now: time.Now},
		Margins: &margin.Service{Store: &db.Margins{DB: h.db}, Books: h.bills(), Now: time.Now},
	}
	h.queue, err = jobs.NewQueue(h.db.Pool, log)
	must(t, err)
	console.Jobs = &job.Service{Store: &db.RiverJobs{DB: h.db, Desk: h.queue}, Now: time.Now}
	console.Passkeys, err = passkey.New(&db.Passkeys{DB: h.db, Jobs: h}, "http://localhost:8080", time.Now)
	must(t, err)
	h.serve(t, sessions, console.Routes())
	return h
}

func (h *hub) serve(t testing.TB, sessions *session.Manager, routes []web.Route) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	h.url = "http://" + ln.Addr().String()
	e, err := web.New(web.Config{Addr: ln.Addr().String(), PublicURL: h.url}, web.Deps{
		Sessions: sessions, Static: static.Handler(), Ready: h.db.PingContext, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	}, routes...)
	must(t, err)
	srv := web.NewServer(e)
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(ln) }() // ends with ErrServerClosed
	t.Cleanup(func() { _ = srv.Close(); <-done })
	h.staff = h.clerk(t, "clerk@example.com", staff.Support)
	h.manager = h.clerk(t, "manager@example.com", staff.Manager)
	h.owner = h.clerk(t, "owner@example.org", staff.Owner)
	h.admin = h.clerk(t, "admin@example.com", staff.Admin)
	c := h.add(t, "Somebody Else", "guest@example.net", "guest", order.Fulfilled)
	guest := signin.Subject{CustomerID: string(c.CustomerID), UserID: string(c.OrderedBy)}
	_, h.guest, err = h.desk.Open(t.Context(), signin.Customer, guest, signin.Origin{Address: "192.0.2.1"}, "")
	must(t, err)
}

// clerk adds one of our staff and signs in.
func (h *hub) clerk(t testing.TB, email string, role staff.Role) string {
	t.Helper()
	_, secret := h.joined(t, email, role)
	return secret
}

// joined adds one of our staff, with the secret of a sign-in.
func (h *hub) joined(t testing.TB, email string, role staff.Role) (staff.Member, string) {
	t.Helper()
	m, _, err := h.people.Create(t.Context(), staff.NewMember{Email: email, Role: role, Password: password}, audit.Itself)
	must(t, err)
	from := signin.Origin{Address: "192.0.2.1", Browser: "A browser"}
	_, secret, err := h.desk.Open(t.Context(), signin.Staff, signin.Subject{StaffID: string(m.ID)}, from, "")
	must(t, err)
	return m, secret
}

const password = "three quiet bakers at dawn"

const somebodysHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// add stores a customer with an order in that state, and its server.
func (h *hub) add(t testing.TB, name, email, slug string, state order.State) order.Order {
	t.Helper()
	now := time.Now().UTC()
	c, u := account.CustomerID(newID()), account.UserID(newID())
	o, err := (&db.Orders{DB: h.db, Jobs: h}).Create(t.Context(), order.New{
		Order: order.Order{
			ID: order.ID(newID()), CustomerID: c, OrderedBy: u, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
			Region: order.EU, BusinessType: "food", Slug: slug, Mode: order.Auto, State: order.PaymentConfirmed, CreatedAt: now, UpdatedAt: now,
		},
		Account: &account.New{
			Customer:     account.Customer{ID: c, Name: name, TimeZone: "Europe/Vienna", CreatedAt: now},
			Owner:        account.User{ID: u, CustomerID: c, Email: email, Name: "The owner", Role: account.Owner, CreatedAt: now},
			PasswordHash: somebodysHash,
		},
	})
	must(t, err)
	must(t, (&db.Servers{DB: h.db}).Create(t.Context(), server.Server{
		ID: server.ID(newID()), CustomerID: c, OrderID: string(o.ID), Slug: slug, Provider: "local", State: server.New, CreatedAt: now,
	}))
	if state == order.Cancelled {
		_, err = h.db.Pool.Exec(t.Context(), "UPDATE orders SET state = 'CANCELLED' WHERE id = $1", o.ID)
		must(t, err)
	}
	return o
}

// get reads a page with a sign-in; header values follow their names.
func (h *hub) get(t testing.TB, secret, path string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+path, nil)
	must(t, err)
	if secret != "" {
		req.Header.Set("Cookie", "sid="+secret+"; ssid="+secret)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, string(b)
}

// page reads a page of the console that must be there.
func (h *hub) page(t testing.TB, path string, header ...string) string {
	t.Helper()
	status, text := h.get(t, h.staff, path, header...)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, status, text)
	}
	return text
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func holds(t testing.TB, what, text string, want, not []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %q is missing", what, w)
		}
	}
	for _, n := range not {
		if strings.Contains(text, n) {
			t.Errorf("%s: %q stands there", what, n)
		}
	}
}
