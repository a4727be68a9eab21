package portaltest

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"gatehouse/app/account"
	"gatehouse/app/account/accounttest"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/billing"
	"gatehouse/app/channel"
	"gatehouse/app/chat"
	"gatehouse/app/closing"
	"gatehouse/app/credential"
	"gatehouse/app/export"
	"gatehouse/app/file"
	"gatehouse/app/hook"
	"gatehouse/app/memory"
	"gatehouse/app/order"
	"gatehouse/app/passkey"
	"gatehouse/app/payment"
	"gatehouse/app/permission"
	"gatehouse/app/provider/stripepay"
	"gatehouse/app/provider/stripepay/stripetest"
	"gatehouse/app/provider/webpush"
	"gatehouse/app/push"
	"gatehouse/app/receipt"
	"gatehouse/app/regain"
	"gatehouse/app/relay"
	"gatehouse/app/schedule"
	"gatehouse/app/server"
	"gatehouse/app/signin"
	"gatehouse/app/support"
	"gatehouse/app/team"
	"gatehouse/app/usage"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/portal"
	"gatehouse/app/web/session"
	"gatehouse/app/welcome"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/static"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// Hub is the portal, and the inbox of the console, over a real database and real live traffic.
type Hub struct {
	URL       string
	DB        *db.DB
	Relay     *relay.Relay
	Accounts  *account.Service
	Seconds   *account.Seconds
	Passkeys  *passkey.Service
	Servers   *server.Service
	Approvals *approval.Service
	Teams     *team.Service
	Bills     *billing.Service
	Keys      *approver.Service
	Support   *support.Service
	Payments  *payment.Service   // without a key where Stripe is nil
	Stripe    *stripetest.Stripe // where invoices are paid; nil: nowhere
	Devices   *push.Service
	Desk      signin.Desk
	Routes    []web.Route // of the portal
}

type notifier struct{ r *relay.Relay }

func (n notifier) ServerChanged(_ context.Context, of account.CustomerID, id server.ID) {
	_ = n.r.Notify(relay.Notice{Kind: relay.KindServer, CustomerID: string(of), ID: string(id)}) // told or not, the test sees the page
}

// Start serves a portal over a database of its own.
func Start(t testing.TB) *Hub {
	t.Helper()
	return start(t, nil)
}

// StartPaid serves one whose invoices are paid at a stand-in of Stripe.
func StartPaid(t testing.TB) *Hub {
	t.Helper()
	stripe := stripetest.New(time.Now)
	t.Cleanup(stripe.Close)
	return start(t, stripe)
}

// payments are what is paid, at the stand-in of Stripe if there is one.
func (h *Hub) payments() *payment.Service {
	opt := stripepay.Options{}
	if h.Stripe != nil {
		opt.URL, opt.Key = h.Stripe.URL, func() string { return stripetest.Key }
	}
	return &payment.Service{
		Store: &db.Payments{DB: h.DB, Jobs: dbtest.NoJobs{}}, Provider: stripepay.New(opt), Accounts: h.Accounts, Now: time.Now,
		Invoices: &billing.Service{Store: &db.Billing{DB: h.DB, Jobs: dbtest.NoJobs{}}, Now: time.Now},
	}
}

// told hears of orders that change.
type told struct{}

func (told) OrderChanged(context.Context, account.CustomerID, order.ID) {}

// Orders are those that end with a plan.
func (h *Hub) Orders() *order.Service {
	return &order.Service{
		Store: &db.Orders{DB: h.DB, Jobs: dbtest.NoJobs{}}, Accounts: h.Accounts, Notify: told{}, Codes: dbtest.Sure{}, Now: time.Now,
	}
}

func start(t testing.TB, stripe *stripetest.Stripe) *Hub {
	t.Helper()
	h := &Hub{DB: dbtest.New(t), Stripe: stripe}
	log := slog.New(slog.DiscardHandler)
	var err error
	h.Relay, err = relay.Open(relay.Options{})
	Must(t, err)
	t.Cleanup(h.Relay.Close)
	links, trail := &db.Links{DB: h.DB}, &db.Trail{DB: h.DB}
	h.Accounts = &account.Service{
		Store: &db.Accounts{DB: h.DB, Jobs: dbtest.NoJobs{}}, Hasher: accounttest.Hasher(),
		Tries: account.NewTries(10, time.Minute, time.Now), Now: time.Now,
	}
	ring, err := db.NewKeyring(make([]byte, 32))
	Must(t, err)
	h.Seconds = &account.Seconds{Store: &db.Seconds{DB: h.DB, Keys: ring, Jobs: dbtest.NoJobs{}}, Now: time.Now}
	h.Accounts.Seconds = h.Seconds
	h.Passkeys, err = passkey.New(&db.Passkeys{DB: h.DB, Jobs: dbtest.NoJobs{}}, "http://localhost:8080", time.Now)
	Must(t, err)
	holds := &receipt.Service{Store: &db.Checkpoints{DB: h.DB}, Now: time.Now}
	h.Approvals = &approval.Service{
		Store: &db.Approvals{DB: h.DB}, Outbox: links, Keys: &db.Approvers{DB: h.DB},
		Holds: holds, Record: trail, Devices: h.openDevices(t), Live: h.Relay,
		Now: time.Now, Log: log,
	}
	h.Teams = &team.Service{Store: &db.Configs{DB: h.DB}, Outbox: links, Holds: holds, Record: trail, Live: h.Relay, Now: time.Now, Log: log}
	h.Bills = &billing.Service{
		Store: &db.Billing{DB: h.DB, Jobs: dbtest.NoJobs{}}, Usage: &db.Usage{DB: h.DB}, Orders: h.Orders(), Now: time.Now,
		Closing: &closing.Service{},
	}
	h.Teams.Plans = h.Bills
	h.Servers = &server.Service{
		Store: &db.Servers{DB: h.DB}, Configs: h.Teams, Notify: notifier{h.Relay}, Now: time.Now, Histories: &db.History{DB: h.DB},
	}
	peer := server.Peer{Servers: links, Live: h.Relay}
	h.Keys = &approver.Service{
		Store: &db.Approvers{DB: h.DB}, Requests: &db.Approvers{DB: h.DB, Jobs: dbtest.NoJobs{}}, Peer: peer, Now: time.Now,
	}
	h.Support = &support.Service{
		Store: &db.SupportWindows{DB: h.DB, Jobs: dbtest.NoJobs{}, Links: links}, Servers: links, Known: h.Servers, Live: h.Relay,
		Now: time.Now, Log: log,
	}
	h.Payments = h.payments()
	routes := portal.Routes(portal.Deps{
		Payments: h.Payments,
		Chat: &chat.Service{
			Servers: links, Peer: peer, Outbox: links, Live: h.Relay, Inbox: &db.Approvals{DB: h.DB},
			Repeats: &db.Idempotency{DB: h.DB}, Record: trail, Now: time.Now, Log: log,
			Standing: h.Payments,
		},
		Inbox: h.Approvals, Keys: h.Keys, Servers: h.Servers, Consents: h.consents(), Team: h.Teams, Live: h.Relay,
		Orders:      h.Orders(),
		Permissions: &permission.Service{Peer: peer}, Files: &file.Service{Peer: peer}, Memory: &memory.Service{Peer: peer},
		Crew:      &team.Crew{Peer: peer, Record: trail, Live: h.Relay, Begin: h.Teams.Change, Now: time.Now, Log: log},
		Schedules: &schedule.Service{Peer: peer}, Archives: &export.Service{Peer: peer},
		Hooks: &hook.Service{Peer: peer}, Channels: &channel.Service{Peer: peer, Hooks: &db.ChannelHooks{DB: h.DB}},
		Known:       &db.Known{DB: h.DB},
		Credentials: &credential.Service{Peer: peer, Record: &db.Trail{DB: h.DB}, Now: time.Now},
		Tokens:      &account.Tokens{Store: &db.Tokens{DB: h.DB}, Now: time.Now},
		Tasks:       &welcome.Service{Store: &db.FirstTasks{DB: h.DB}, Now: time.Now},
		Support:     h.Support,
		Usage:       &usage.Reader{Lines: &db.Usage{DB: h.DB}, Now: time.Now},
		Regain:      &regain.Service{Store: &db.Regain{DB: h.DB, Jobs: dbtest.NoJobs{}}, Owners: h.Accounts, Now: time.Now},
		Bills:       h.Bills,
		Seconds:     h.Seconds,
		Passkeys:    h.Passkeys,
		People:      h.Accounts, Devices: h.Devices, Now: time.Now, Log: log,
	})
	h.Routes = routes
	h.serve(t, append(routes, h.staffInbox(log).Routes()...))
	return h
}

// openDevices makes what people's devices are kept by. Nobody does the work that it queues: nothing is sent.
func (h *Hub) openDevices(t testing.TB) *db.PushDevices {
	t.Helper()
	key, err := webpush.NewKey()
	Must(t, err)
	sender, err := webpush.New(webpush.Options{Key: key, Subject: "https://hub.example", Now: time.Now})
	Must(t, err)
	ring, err := db.NewKeyring(make([]byte, 32))
	Must(t, err)
	store := &db.PushDevices{DB: h.DB, Keys: ring, Jobs: dbtest.NoJobs{}}
	h.Devices = &push.Service{Store: store, Sender: sender, Now: time.Now}
	return store
}

func (h *Hub) staffInbox(log *slog.Logger) *inbox.Inbox {
	return inbox.New(inbox.Deps{
		Base: "/admin/approvals", For: web.Staff, Store: h.Approvals, Live: h.Relay, Keys: h.Keys, Now: time.Now, Log: log,
		KeysAt: func(id server.ID) string { return "/admin/keys/" + string(id) },
		Agent:  func(_ context.Context, _ account.CustomerID, id string) ui.Agent { return card.Unread(id) },
		Frame: func(_ echo.Context, title, stream string) (layout.Frame, error) {
			return layout.Frame{Title: title, Stream: stream}, nil
		},
	})
}

func (h *Hub) serve(t testing.TB, routes []web.Route) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	h.URL = "http://" + ln.Addr().String()
	h.Payments.Public = h.URL
	h.Desk = signin.Desk{Store: &db.Signins{DB: h.DB}, Now: time.Now}
	e, err := web.New(web.Config{Addr: ln.Addr().String(), PublicURL: h.URL}, web.Deps{
		Sessions: session.New(h.Desk, nil, false), Static: static.Handler(), Ready: h.DB.PingContext, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	}, routes...)
	Must(t, err)
	srv := web.NewServer(e)
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(ln) }() // ends with ErrServerClosed
	t.Cleanup(func() { _ = srv.Close(); <-done })
}

// NewID makes an id as the hub does.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Must ends the test when a step of its preparation failed.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
