package public_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"gatehouse/app/account"
	"gatehouse/app/account/accounttest"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/credential"
	"gatehouse/app/legal"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/passkey"
	"gatehouse/app/payment"
	"gatehouse/app/provider/stripepay"
	"gatehouse/app/provider/stripepay/stripetest"
	"gatehouse/app/regain"
	"gatehouse/app/relay"
	"gatehouse/app/second"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/hook"
	"gatehouse/app/web/public"
	"gatehouse/app/web/session"
	"gatehouse/app/welcome"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/static"
	"gatehouse/views/ui"
)

func TestMain(m *testing.M) {
	code := dbtest.Run(m)
	stopChromium()
	os.Exit(code)
}

const password = "three quiet bakers at dawn"

// hub is the public surface over a real database, relay and server, with a clock that the test moves.
type hub struct {
	passkeys *passkey.Service
	url      string
	db       *db.DB
	accounts *account.Service
	seconds  *account.Seconds
	orders   *order.Service
	names    *naming.Service
	staff    *staff.Service
	relay    *relay.Relay
	routes   []web.Route
	own      []web.Route // of the package
	kept     keeping
	legal    legal.Pages
	stripe   *stripetest.Stripe // nil: the test checkout completes orders
	payments *payment.Service
	operator ui.Operator

	mu    sync.Mutex
	now   time.Time
	asked []work.Item // what was queued
}

func (h *hub) EnqueueTx(_ context.Context, _ pgx.Tx, items []work.Item) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, items...)
	return nil
}

func (h *hub) OrderChanged(_ context.Context, of account.CustomerID, id order.ID) {
	_ = h.relay.Notify(relay.Notice{Kind: relay.KindOrder, CustomerID: string(of), ID: string(id)}) // pages look again by themselves
}

func (h *hub) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hub) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func start(t *testing.T) *hub {
	t.Helper()
	return startWith(t, nil)
}

// startPaid is a hub whose orders are paid at a stand-in of Stripe.
func startPaid(t *testing.T) *hub {
	t.Helper()
	stripe := stripetest.New(time.Now)
	t.Cleanup(stripe.Close)
	return startWith(t, stripe)
}

func startWith(t *testing.T, stripe *stripetest.Stripe) *hub {
	t.Helper()
	h := &hub{db: dbtest.New(t), stripe: stripe, now: time.Now().UTC().Truncate(time.Second)}
	var err error
	if h.relay, err = relay.Open(relay.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.relay.Close)
	keys, err := db.OpenKeyring(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	hasher, tries := accounttest.Hasher(), account.NewTries(10, time.Minute, h.clock)
	h.accounts = &account.Service{Store: &db.Accounts{DB: h.db, Jobs: h}, Hasher: hasher, Tries: tries, Now: h.clock}
	h.orders = &order.Service{Store: &db.Orders{DB: h.db, Jobs: h}, Accounts: h.accounts, Notify: h, Codes: dbtest.Sure{}, Now: h.clock}
	h.seconds = &account.Seconds{Store: &db.Seconds{DB: h.db, Keys: keys, Jobs: h}, Now: h.clock}
	h.staff = &staff.Service{Store: &db.Staff{DB: h.db, Keys: keys, Jobs: h}, Hasher: hasher, Tries: tries, Now: h.clock}
	h.names = &naming.Service{
		Orders: h.orders, Store: &db.Names{DB: h.db}, Provider: naming.Loopback, Record: &db.Trail{DB: h.db}, Notify: h, GiveUp: time.Hour,
		Now: h.clock, Log: slog.New(slog.DiscardHandler),
	}
	h.serve(t)
	return h
}

// origin is the address under which browsers make passkeys for the hub.
const origin = "http://localhost:8080"

// serve runs the surface as the hub does, with a page of each signed-in area beside it.
func (h *hub) serve(t *testing.T) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.url = "http://" + ln.Addr().String()
	sessions := session.New(signin.Desk{Store: &db.Signins{DB: h.db}, Now: h.clock}, nil, false)
	p := &public.Handler{
		Accounts: h.accounts, Seconds: h.seconds, Staff: h.staff, Orders: h.orders, Sessions: sessions, Relay: h.relay, Now: h.clock,
		Keys:    &approver.Service{Store: &db.Approvers{DB: h.db}},
		Secrets: &credential.Service{Links: &db.SecretLinks{DB: h.db}, Now: h.clock},
		Legal:   h.legal,
		Regain:  &regain.Service{Store: &db.Regain{DB: h.db, Jobs: h}, Owners: h.accounts, Now: h.clock},
		Names:   h.names,
		Tasks:   &welcome.Service{Store: &db.FirstTasks{DB: h.db}, Now: h.clock},
		Checks: []public.Check{
			{Name: "database", Ask: h.db.PingContext},
			{Name: "live", Ask: func(context.Context) error { return h.relay.Ready() }},
		},
	}
	p.Passkeys, err = passkey.New(&db.Passkeys{DB: h.db, Jobs: h}, origin, h.clock)
	if err != nil {
		t.Fatal(err)
	}
	h.passkeys = p.Passkeys
	payAt := ""
	if h.stripe != nil {
		payAt = h.stripe.URL
		h.payments = &payment.Service{
			Store: &db.Payments{DB: h.db, Jobs: h}, Orders: h.orders, Accounts: h.accounts, Public: h.url, Now: h.clock,
			Provider: stripepay.New(stripepay.Options{
				URL: payAt, Key: func() string { return stripetest.Key }, Hook: func() string { return hookSecret },
			}),
		}
		p.Payments = h.payments
	}
	h.own = p.Routes()
	h.routes = append(append(p.Routes(), areas()...), h.kept.route())
	if h.stripe != nil {
		h.routes = append(h.routes, (&hook.Handler{Stripe: h.payments}).Routes()...)
	}
	e, err := web.New(web.Config{Addr: ln.Addr().String(), PublicURL: h.url}, web.Deps{
		Sessions: sessions, Static: static.Handler(), Ready: h.db.PingContext, Now: h.clock,
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(), Operator: h.operator, PayAt: payAt,
	}, h.routes...)
	if err != nil {
		t.Fatal(err)
	}
	srv := web.NewServer(e)
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(ln) }() // ends with ErrServerClosed
	t.Cleanup(func() { _ = srv.Close(); <-done })
}

// browser is one person's browser: it keeps cookies and stays where a redirect points.
type browser struct {
	t   *testing.T
	hub *hub
	*http.Client
}

func (h *hub) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, h, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// answer is what came back, read to its end.
type answer struct {
	*http.Response
	text string
}

func (a answer) doc(t *testing.T) *goquery.Document {
	t.Helper()
	d, err := goquery.NewDocumentFromReader(strings.NewReader(a.text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (a answer) location() string { return a.Header.Get("Location") }

func (b *browser) send(r *http.Request) answer {
	b.t.Helper()
	res, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }() // was read to the end
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{res, string(body)}
}

func (b *browser) get(path string) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.hub.url+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.send(r)
}

// post sends a form as a browser does, without the CSRF field unless it is given.
func (b *browser) post(path string, pairs ...string) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.hub.url+path, strings.NewReader(form(pairs).Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.send(r)
}

func form(pairs []string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

// fill sends the form with that action as it stands on the page, with the given fields changed.
func (b *browser) fill(page, action string, pairs ...string) answer {
	b.t.Helper()
	f := b.get(page).doc(b.t).Find(`form[method="post"][action="` + action + `"]`).First()
	if f.Length() == 0 {
		b.t.Fatalf("%s has no form for %s", page, action)
	}
	v := url.Values{}
	f.Find("input").Each(func(_ int, in *goquery.Selection) {
		if kind := in.AttrOr("type", ""); kind != "radio" && kind != "checkbox" {
			v.Set(in.AttrOr("name", ""), in.AttrOr("value", ""))
		}
	})
	for k, vs := range form(pairs) {
		v[k] = vs
	}
	var all []string
	for k := range v {
		all = append(all, k, v.Get(k))
	}
	return b.post(action, all...)
}

// checkout orders as a newcomer, through the page.
func (b *browser) checkout(email string) answer {
	b.t.Helper()
	return b.fill("/checkout?plan=build", "/checkout", "business", "The Bakery", "name", "The owner", "email", email, "password", password, "time_zone", "Europe/Berlin")
}

// member adds one of the staff.
func (h *hub) member(t *testing.T) (staff.Member, second.Factor) {
	t.Helper()
	m, factor, err := h.staff.Create(t.Context(), staff.NewMember{Email: "clerk@example.com", Role: staff.Owner, Password: password}, audit.Itself)
	if err != nil {
		t.Fatal(err)
	}
	return m, factor
}

func (h *hub) code(t *testing.T, factor second.Factor) string {
	t.Helper()
	code, err := second.CodeAt(factor.Secret, h.clock())
	if err != nil {
		t.Fatal(err)
	}
	return code
}
