package admin_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/admin"
	"gatehouse/app/web/session"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/static"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// hub is the console over a real database, with one of the staff and one customer signed in.
type hub struct {
	url     string
	db      *db.DB
	queries *counter
	staff   string // secrets of the sign-ins
	guest   string
}

// counter counts what goes to the database by way of bun.
type counter struct{ n atomic.Int64 }

func (c *counter) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }
func (c *counter) AfterQuery(context.Context, *bun.QueryEvent)                        { c.n.Add(1) }

type noJobs struct{}

func (noJobs) EnqueueTx(context.Context, pgx.Tx, []work.Item) error { return nil }

type silent struct{}

func (silent) OrderChanged(context.Context, account.CustomerID, order.ID)   {}
func (silent) ServerChanged(context.Context, account.CustomerID, server.ID) {}

func start(t testing.TB) *hub {
	t.Helper()
	h := &hub{db: dbtest.New(t), queries: &counter{}}
	h.db.DB = h.db.WithQueryHook(h.queries)
	log := slog.New(slog.DiscardHandler)
	live, err := relay.Open(relay.Options{})
	must(t, err)
	t.Cleanup(live.Close)
	accounts := &account.Service{Store: &db.Accounts{DB: h.db, Jobs: noJobs{}}, Now: time.Now}
	console := &admin.Handler{
		Orders:   &order.Service{Store: &db.Orders{DB: h.db, Jobs: noJobs{}}, Accounts: accounts, Notify: silent{}, Now: time.Now},
		Servers:  &server.Service{Store: &db.Servers{DB: h.db}, Notify: silent{}, Now: time.Now},
		Accounts: accounts, Inbox: &approval.Service{Store: &db.Approvals{DB: h.db}, Now: time.Now, Log: log}, Live: live, Now: time.Now, Log: log,
	}
	h.serve(t, console.Routes())
	return h
}

func (h *hub) serve(t testing.TB, routes []web.Route) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	h.url = "http://" + ln.Addr().String()
	desk := signin.Desk{Store: &db.Signins{DB: h.db}, Now: time.Now}
	e, err := web.New(web.Config{Addr: ln.Addr().String(), PublicURL: h.url}, web.Deps{
		Sessions: session.New(desk, nil, false), Static: static.Handler(), Ready: h.db.PingContext, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	}, routes...)
	must(t, err)
	srv := web.NewServer(e)
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(ln) }() // ends with ErrServerClosed
	t.Cleanup(func() { _ = srv.Close(); <-done })
	h.staff = h.clerk(t, desk)
	c := h.add(t, "Somebody Else", "guest@example.net", "guest", order.Fulfilled)
	_, h.guest, err = desk.Open(t.Context(), signin.Customer, signin.Subject{CustomerID: string(c.CustomerID), UserID: string(c.OrderedBy)}, signin.Origin{Address: "192.0.2.1"}, "")
	must(t, err)
}

// clerk adds one of our staff and signs in.
func (h *hub) clerk(t testing.TB, desk signin.Desk) string {
	t.Helper()
	keys, err := db.OpenKeyring(t.TempDir() + "/key")
	must(t, err)
	s := &staff.Service{Store: &db.Staff{DB: h.db, Keys: keys}, Hasher: account.NewHasher(), Now: time.Now}
	m, _, err := s.Create(t.Context(), staff.NewMember{Email: "clerk@example.com", Role: staff.Support, Password: "three quiet bakers at dawn"},
		audit.Actor{Kind: audit.System, Name: "test"})
	must(t, err)
	_, secret, err := desk.Open(t.Context(), signin.Staff, signin.Subject{StaffID: string(m.ID)}, signin.Origin{Address: "192.0.2.1"}, "")
	must(t, err)
	return secret
}

const somebodysHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// add stores a customer with an order in that state, and its server.
func (h *hub) add(t testing.TB, name, email, slug string, state order.State) order.Order {
	t.Helper()
	now := time.Now().UTC()
	c, u := account.CustomerID(newID()), account.UserID(newID())
	o, err := (&db.Orders{DB: h.db, Jobs: noJobs{}}).Create(t.Context(), order.New{
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
