package year

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/order"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/stripepay"
	"gatehouse/app/provider/stripepay/stripetest"
	"gatehouse/app/usage"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
)

const hookSecret = "whsec_year"

var boss = audit.Actor{Kind: audit.Staff, ID: "00000000-0000-7000-8000-000000000001", Name: "boss@gatehouse.example", Role: "OWNER"}

// hub is the services of a hub, whose clock the year sets.
type hub struct {
	*testing.T
	clock   *clock
	rnd     *rand.Rand
	db      *db.DB
	bills   *billing.Service
	meters  *usage.Service
	pays    *payment.Service
	stripe  *stripetest.Stripe
	told    int // of the provider's events
	away    bool
	killed  int            // how often
	refused map[string]int // plans, by why; empty: they were not

	happened map[string]int // with payments, by what
	prices   prices
	all      []*customer
}

func newHub(t *testing.T, seed uint64, begins time.Time) *hub {
	t.Helper()
	h := &hub{
		T: t, refused: map[string]int{}, happened: map[string]int{}, clock: &clock{at: begins}, rnd: rand.New(rand.NewPCG(seed, 2)),
		db: dbtest.New(t),
	}
	h.stripe = stripetest.New(h.clock.Now)
	t.Cleanup(h.stripe.Close)
	quiet := slog.New(slog.DiscardHandler)
	queue, err := jobs.NewQueue(h.db.Pool, quiet)
	h.must(err)
	orders := &order.Service{Store: &db.Orders{DB: h.db, Jobs: queue}, Notify: untold{}, Codes: dbtest.Sure{}, Now: h.clock.Now}
	h.bills = &billing.Service{Store: &db.Billing{DB: h.db, Jobs: queue}, Usage: &db.Usage{DB: h.db}, Orders: orders, Now: h.clock.Now}
	h.meters = &usage.Service{Store: &db.Usage{DB: h.db}, Alerts: &db.Alerts{DB: h.db}, Now: h.clock.Now, Log: quiet}
	h.pays = &payment.Service{
		Store: &db.Payments{DB: h.db, Jobs: queue}, Invoices: h.bills, Orders: orders,
		Public: "http://hub.example", Now: h.clock.Now,
		Accounts: &account.Service{Store: &db.Accounts{DB: h.db, Jobs: queue}, Now: h.clock.Now},
		Provider: stripepay.New(stripepay.Options{
			URL: h.stripe.URL, Key: func() string { return stripetest.Key }, Hook: func() string { return hookSecret },
		}),
	}
	return h
}

func (h *hub) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatalf("%s: %v", h.clock.Now().Format(time.DateTime), err)
	}
}

func (h *hub) one(in int) bool { return h.rnd.IntN(in) == 0 }

// chore does what a hub does each minute. One in eight is killed on its way; the next hub does it again.
func (h *hub) chore(do func(context.Context) (int, error)) {
	h.Helper()
	if h.one(8) {
		ctx, kill := context.WithCancel(h.Context())
		h.clock.doom(1+h.rnd.IntN(40), kill)
		_, err := do(ctx)
		h.clock.doom(0, nil)
		kill()
		if err != nil {
			h.killed++
		}
	}
	_, err := do(h.Context())
	if errors.Is(err, payment.ErrAway) { // for a day, or an answer was lost: the next look goes on
		return
	}
	h.must(err)
}

// look is one round of all that hubs look at, with the work that comes of it.
func (h *hub) look() {
	h.Helper()
	for _, do := range []func(context.Context) (int, error){
		h.bills.EndDue, h.bills.BeginDue, h.bills.CloseDue, h.bills.BillDue, h.pays.Unsettled, h.pays.Dun, h.pays.CatchUp,
	} {
		h.chore(do)
	}
	if h.one(8) {
		h.chore(h.bills.Watch)
	}
	h.hear()
	h.work()
	h.unpaidEnds()
}

// work does what is in the queue. What cannot be done now stays.
func (h *hub) work() {
	h.Helper()
	type item struct {
		ID   int64
		Kind string
		Args []byte
	}
	const next = `SELECT id, kind, args FROM river_job
		WHERE id > $1 AND kind IN ('collect_invoice', 'refund_credit', 'give_back', 'read_payment_event') ORDER BY id LIMIT 1`
	for after := int64(0); ; {
		var i item
		err := h.db.Pool.QueryRow(h.Context(), next, after).Scan(&i.ID, &i.Kind, &i.Args)
		if errors.Is(err, pgx.ErrNoRows) {
			break
		}
		h.must(err)
		after = i.ID
		if err := h.do(i.Kind, i.Args); err != nil {
			if !errors.Is(err, payment.ErrAway) {
				h.must(err)
			}
			continue
		}
		_, err = h.db.Pool.Exec(h.Context(), "DELETE FROM river_job WHERE id = $1", i.ID)
		h.must(err)
	}
	const others = `DELETE FROM river_job WHERE kind NOT IN ('collect_invoice', 'refund_credit', 'give_back', 'read_payment_event')`
	_, err := h.db.Pool.Exec(h.Context(), others)
	h.must(err)
}

func (h *hub) do(kind string, args []byte) error {
	var a struct {
		Invoice billing.InvoiceID `json:"invoice_id"`
		Credit  billing.CreditID  `json:"credit_id"`
		Refund  string            `json:"refund_id"`
		Event   string            `json:"event_id"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return err
	}
	if h.one(25) { // what was asked for is done, and the hub that asked never hears of it
		h.stripe.Fail(stripetest.Fault{Path: []string{"/v1/payment_intents", "/v1/refunds"}[h.rnd.IntN(2)], Does: true})
	}
	switch ctx := h.Context(); kind {
	case "collect_invoice":
		return h.pays.Collect(ctx, a.Invoice)
	case "refund_credit":
		return h.pays.Refund(ctx, a.Credit)
	case "give_back":
		return h.pays.GiveBack(ctx, a.Refund)
	default:
		return h.pays.ReadEvent(ctx, a.Event)
	}
}

// hear has the provider tell what happened: some of it twice, some never, and in no order.
func (h *hub) hear() {
	h.Helper()
	if h.away {
		return
	}
	fresh := h.stripe.EventsAfter(h.told)
	h.told += len(fresh)
	h.rnd.Shuffle(len(fresh), func(i, j int) { fresh[i], fresh[j] = fresh[j], fresh[i] })
	for _, e := range fresh {
		for range h.rnd.IntN(10) / 4 { // 0, 1 or 2 times
			h.must(h.pays.Take(h.Context(), e.Body, stripetest.Sign(e.Body, hookSecret, h.clock.Now())))
		}
	}
}

// price enters a price, from now on or from a moment.
func (h *hub) price(kind pricing.Kind, name string, value any, from time.Time) {
	h.Helper()
	raw, err := json.Marshal(value)
	h.must(err)
	h.must(h.bills.AddPrice(h.Context(), pricing.Entry{
		Kind: kind, Name: name, Value: raw, ValidFrom: from, Reason: "As the year wants it.",
	}, boss))
}
