package portal_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/chat"
	"gatehouse/app/credential"
	"gatehouse/app/order"
	"gatehouse/app/permission"
	"gatehouse/app/pricing"
	"gatehouse/app/receipt"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/signin"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/portal"
	"gatehouse/app/web/session"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/static"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// hub is the portal, and the inbox of the console, over a real database and real live traffic.
type hub struct {
	url       string
	db        *db.DB
	relay     *relay.Relay
	accounts  *account.Service
	servers   *server.Service
	approvals *approval.Service
	teams     *team.Service
	keys      *approver.Service
	desk      signin.Desk
}

type noJobs struct{}

func (noJobs) EnqueueTx(context.Context, pgx.Tx, []work.Item) error { return nil }

type notifier struct{ r *relay.Relay }

func (n notifier) ServerChanged(_ context.Context, of account.CustomerID, id server.ID) {
	_ = n.r.Notify(relay.Notice{Kind: relay.KindServer, CustomerID: string(of), ID: string(id)}) // told or not, the test sees the page
}

func start(t testing.TB) *hub {
	t.Helper()
	h := &hub{db: dbtest.New(t)}
	log := slog.New(slog.DiscardHandler)
	var err error
	h.relay, err = relay.Open(relay.Options{})
	must(t, err)
	t.Cleanup(h.relay.Close)
	links, trail := &db.Links{DB: h.db}, &db.Trail{DB: h.db}
	h.accounts = &account.Service{Store: &db.Accounts{DB: h.db, Jobs: noJobs{}}, Hasher: account.NewHasher(), Tries: account.NewTries(10, time.Minute, time.Now), Now: time.Now}
	holds := &receipt.Service{Store: &db.Checkpoints{DB: h.db}, Now: time.Now}
	h.approvals = &approval.Service{Store: &db.Approvals{DB: h.db}, Outbox: links, Keys: &db.Approvers{DB: h.db}, Holds: holds, Record: trail, Live: h.relay, Now: time.Now, Log: log}
	h.teams = &team.Service{Store: &db.Configs{DB: h.db}, Outbox: links, Holds: holds, Record: trail, Live: h.relay, Now: time.Now, Log: log}
	h.servers = &server.Service{Store: &db.Servers{DB: h.db}, Configs: h.teams, Notify: notifier{h.relay}, Now: time.Now}
	peer := server.Peer{Servers: links, Live: h.relay}
	h.keys = &approver.Service{Store: &db.Approvers{DB: h.db}, Requests: &db.Approvers{DB: h.db, Jobs: noJobs{}}, Peer: peer, Now: time.Now}
	desk := portal.New(portal.Deps{
		Chat:  &chat.Service{Servers: links, Peer: peer, Outbox: links, Live: h.relay, Inbox: &db.Approvals{DB: h.db}, Repeats: &db.Idempotency{DB: h.db}, Now: time.Now, Log: log},
		Inbox: h.approvals, Keys: h.keys, Servers: h.servers, Team: h.teams, Live: h.relay,
		Permissions: &permission.Service{Peer: peer},
		Credentials: &credential.Service{Peer: peer, Record: &db.Trail{DB: h.db}, Now: time.Now}, Tokens: &account.Tokens{Store: &db.Tokens{DB: h.db}, Now: time.Now}, People: h.accounts, Now: time.Now, Log: log,
	})
	h.serve(t, append(desk.Routes(), h.staffInbox(log).Routes()...))
	return h
}

func (h *hub) staffInbox(log *slog.Logger) *inbox.Inbox {
	return inbox.New(inbox.Deps{
		Base: "/admin/approvals", For: web.Staff, Store: h.approvals, Live: h.relay, Keys: h.keys, Now: time.Now, Log: log,
		KeysAt: func(id server.ID) string { return "/admin/keys/" + string(id) },
		Agent:  func(_ account.CustomerID, id string) ui.Agent { return card.Unread(id) },
		Frame: func(_ echo.Context, title, stream string) (layout.Frame, error) {
			return layout.Frame{Title: title, Stream: stream}, nil
		},
	})
}

func (h *hub) serve(t testing.TB, routes []web.Route) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	h.url = "http://" + ln.Addr().String()
	h.desk = signin.Desk{Store: &db.Signins{DB: h.db}, Now: time.Now}
	e, err := web.New(web.Config{Addr: ln.Addr().String(), PublicURL: h.url}, web.Deps{
		Sessions: session.New(h.desk, nil, false), Static: static.Handler(), Ready: h.db.PingContext, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	}, routes...)
	must(t, err)
	srv := web.NewServer(e)
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(ln) }() // ends with ErrServerClosed
	t.Cleanup(func() { _ = srv.Close(); <-done })
}

// customer is a business with a registered server.
type customer struct {
	id     account.CustomerID
	user   account.UserID
	email  string
	server server.ID
}

const somebodysHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (h *hub) newCustomer(t testing.TB) customer {
	t.Helper()
	now := time.Now().UTC()
	c := customer{id: account.CustomerID(newID()), user: account.UserID(newID()), server: server.ID(newID())}
	c.email = "owner+" + newID()[24:] + "@example.com"
	n := order.New{
		Order: order.Order{
			ID: order.ID(newID()), CustomerID: c.id, OrderedBy: c.user, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
			Region: order.EU, Slug: "bakery-" + newID()[24:], Mode: order.Auto, State: order.PaymentConfirmed, CreatedAt: now, UpdatedAt: now,
		},
		Account: &account.New{
			Customer:     account.Customer{ID: c.id, Name: "Example Bakery", TimeZone: "Europe/Vienna", CreatedAt: now},
			Owner:        account.User{ID: c.user, CustomerID: c.id, Email: c.email, Name: "The owner", Role: account.Owner, CreatedAt: now},
			PasswordHash: somebodysHash,
		},
	}
	_, err := (&db.Orders{DB: h.db, Jobs: noJobs{}}).Create(t.Context(), n)
	must(t, err)
	must(t, (&db.Servers{DB: h.db}).Create(t.Context(), server.Server{
		ID: c.server, CustomerID: c.id, OrderID: string(n.Order.ID), Slug: n.Order.Slug, Provider: "local", State: server.New, CreatedAt: now,
	}))
	h.register(t, c)
	must(t, (&db.Approvers{DB: h.db}).Report(t.Context(), c.server, wire.ApproverState{Keys: []wire.ApproverKey{
		{KeyID: signer().KeyID, SPKI: signer().SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "test", CreatedAt: now},
	}}))
	return c
}

// register gives the server keys, as its first start does, and a heartbeat.
func (h *hub) register(t testing.TB, c customer) {
	t.Helper()
	token, err := h.servers.Mint(t.Context(), c.server)
	must(t, err)
	seal, _, err := wire.NewSealKey()
	must(t, err)
	sign, _, err := ed25519.GenerateKey(nil)
	must(t, err)
	_, err = h.servers.Register(t.Context(), wire.RegisterRequest{Token: token, PublicKey: base64.RawURLEncoding.EncodeToString(sign), SealKey: seal, AgentdVersion: "1.0.0"}, "127.0.0.1")
	must(t, err)
	must(t, h.servers.Heartbeat(t.Context(), c.server, wire.Heartbeat{
		Time: time.Now(), UptimeS: 90, AgentdVersion: "1.0.0", Cores: 2, MemTotal: 8 << 30, MemFree: 6 << 30, DiskTotal: 100 << 30, DiskFree: 58 << 30,
		Model: "rehearsal", Rehearsal: true, Protection: []string{"tools have no network"},
	}))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
