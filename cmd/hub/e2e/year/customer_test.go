package year

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/server"
	"gatehouse/db"
)

// customer is a customer, with all that was decided about them and all that their meter counted.
type customer struct {
	id     account.CustomerID
	user   account.User
	server server.ID
	order  string
	payer  string

	zones        []zoned
	stints       []stint // of its server
	plans        []planChosen
	choices      []choice
	ends         time.Time // when the plan ends, because it is cancelled
	foundFrom    time.Time
	foundUntil   time.Time
	times        int64
	appetite     float64       // of the pool, in a month
	ahead        time.Duration // of the server's clock
	cells        map[string]*cell
	rev          int64
	answered     int64 // tokens, by the provider, with the key of the house
	estimated    int64 // of them
	changed      map[string]bool
	letters      []letter // reports on their way
	sent         [][]wire.UsageRow
	failingUntil time.Time

	byDebit   bool
	debitsOut map[string]debited // by the provider's id
	dispute   string             // that is looked into, until decided
	decided   time.Time
	settled   bool // a dispute was decided
	lost      bool // against them
	never     bool // they pay nothing any more
}

// stint is a time in which a customer has a server. until is zero while it works.
type stint struct {
	since, until time.Time
	cancelled    bool // it ended with a month
}

// zoned is that a customer lives in a zone from then on.
type zoned struct {
	at   time.Time
	zone *time.Location
}

// zoneAt is the zone of a customer at a moment.
func (c *customer) zoneAt(at time.Time) *time.Location {
	z, ok := lastFrom(c.zones, at, func(z zoned) time.Time { return z.at })
	if !ok {
		return c.zones[0].zone
	}
	return z.zone
}

func (c *customer) stint() *stint { return &c.stints[len(c.stints)-1] }

func (c *customer) works() bool { return c.stint().until.IsZero() }

type planChosen struct {
	at   time.Time
	plan string
}

type choice struct {
	at time.Time
	on bool
}

// letter is a report that arrives some day.
type letter struct {
	at   time.Time
	rows []wire.UsageRow
}

const newcomer = `WITH c AS (INSERT INTO customers (id, name, address, time_zone, created_at)
		VALUES (@customer, @name, '1 Street', @zone, @at)),
	u AS (INSERT INTO users (id, customer_id, email, email_folded, name, role, password_hash, created_at)
		VALUES (@user, @customer, @mail, @mail, 'Owner', 'owner', '$argon2id$none', @at)),
	o AS (INSERT INTO orders (id, customer_id, ordered_by, plan, price, currency, paid_by, region, slug, mode, state, created_at,
			updated_at, fulfilled_at, server_id)
		VALUES (@order, @customer, @user, @plan, 1, 'EUR', 'test', 'eu', @slug, 'AUTO', 'FULFILLED', @at, @at, @at, @server))
	INSERT INTO servers (id, customer_id, order_id, slug, provider, state, created_at)
	VALUES (@server, @customer, @order, @slug, 'local', 'new', @at)`

// joins adds a customer whose server is ready now, with a card on file.
func (h *hub) joins() *customer {
	h.Helper()
	at := h.clock.Now()
	n := len(h.all) + 1
	c := &customer{
		id: account.CustomerID(uuid.NewString()), server: server.ID(uuid.NewString()), order: uuid.NewString(),
		stints: []stint{{since: at}}, times: 1,
		cells: map[string]*cell{}, changed: map[string]bool{}, debitsOut: map[string]debited{},
		appetite: []float64{0.2, 0.7, 1.2, 2.5}[h.rnd.IntN(4)],
	}
	zone := zones[h.rnd.IntN(len(zones))]
	c.zones = []zoned{{at, h.zone(zone)}}
	mail := fmt.Sprintf("owner%d@example.com", n)
	c.user = account.User{ID: account.UserID(uuid.NewString()), CustomerID: c.id, Email: mail, Locale: "en"}
	c.plans = []planChosen{{at, []string{"lite", "build", "scale", "enterprise"}[h.rnd.IntN(4)]}}
	h.must(h.db.InTx(h.Context(), func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.PGX.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
			return err
		}
		_, err := tx.PGX.Exec(ctx, newcomer, pgx.NamedArgs{
			"customer": c.id, "name": fmt.Sprintf("Bakery %d", n), "zone": zone, "at": at, "user": c.user.ID, "mail": c.user.Email,
			"order": c.order, "plan": c.plans[0].plan, "slug": fmt.Sprintf("bakery-%d", n), "server": c.server,
		})
		return err
	}))
	if h.one(2) {
		c.ahead = []time.Duration{time.Hour, -time.Hour, 7 * time.Hour}[h.rnd.IntN(3)]
	}
	_, err := h.pays.CardPage(h.Context(), c.user)
	h.must(err)
	payer, err := h.pays.Store.Payer(h.Context(), c.id)
	h.must(err)
	c.payer = payer.Provider
	h.stripe.NewCard(c.payer)
	if h.one(4) {
		h.debits(c)
	}
	h.all = append(h.all, c)
	return c
}

// founding makes the customer a founding member, who may be one for some months already.
func (h *hub) founding(c *customer, times int64, months int) {
	h.Helper()
	h.must(h.bills.Found(h.Context(), c.id, times, boss))
	p, err := h.bills.Store.Profile(h.Context(), c.id)
	h.must(err)
	p.FoundingFrom, p.FoundingUntil = p.FoundingFrom.AddDate(0, -months, 0), p.FoundingUntil.AddDate(0, -months, 0)
	h.must(h.bills.Store.SetProfile(h.Context(), p, audit.Entry{
		ID: uuid.NewString(), At: h.clock.Now(), By: boss, CustomerID: string(c.id), Action: "billing.founding", Target: string(c.id),
	}))
	c.times, c.foundFrom, c.foundUntil = times, p.FoundingFrom, p.FoundingUntil
}

func (h *hub) chooses(c *customer, on bool) {
	h.Helper()
	h.must(h.bills.Chose(h.Context(), c.id, on, boss))
	all, err := h.bills.Store.Choices(h.Context(), c.id)
	h.must(err)
	c.choices = append(c.choices, choice{all[len(all)-1].At, on})
}

var zones = []string{"UTC", "Europe/Vienna", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati"}

func (h *hub) zone(name string) *time.Location {
	h.Helper()
	zone, err := time.LoadLocation(name)
	h.must(err)
	return zone
}

// leaves has the server given back: the month ends with the hour.
func (h *hub) leaves(c *customer) {
	h.Helper()
	h.chore(h.bills.CloseDue)
	c.stint().until, c.ends = h.clock.Now(), time.Time{}
	const released = `UPDATE orders SET state = 'RELEASING', end_reason = 'closed', release_at = updated_at, ended_at = updated_at
		WHERE id = $1`
	h.standing(c, released, c.order)
	h.chore(h.bills.CloseDue)
}

// returns has a server of the customer be ready again.
func (h *hub) returns(c *customer) {
	h.Helper()
	at := h.clock.Now()
	const back = `UPDATE orders SET state = 'FULFILLED', end_reason = '', release_at = NULL, ended_at = NULL, fulfilled_at = $2
		WHERE id = $1`
	h.standing(c, back, c.order, at)
	c.stints = append(c.stints, stint{since: at})
	h.chore(h.bills.BeginDue)
}

func (h *hub) standing(c *customer, sql string, args ...any) {
	h.Helper()
	h.must(h.db.InTx(h.Context(), func(ctx context.Context, tx db.Tx) error {
		if _, err := tx.PGX.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
			return err
		}
		_, err := tx.PGX.Exec(ctx, sql, args...)
		return err
	}))
}

var errKilled = errors.New("the hub was killed")

// takes has the hub take a report. One in twenty dies before its transaction ends, and the server reports again.
func (h *hub) takes(c *customer, rows []wire.UsageRow) {
	h.Helper()
	for {
		doomed := h.one(20)
		err := h.db.InTx(h.Context(), func(ctx context.Context, _ db.Tx) error {
			if err := h.meters.Report(ctx, c.server, wire.UsageReport{Rows: rows}); err != nil {
				return err
			}
			if doomed {
				return errKilled
			}
			return nil
		})
		if !errors.Is(err, errKilled) {
			h.must(err)
			return
		}
		h.killed++
	}
}

// arrive takes the reports that have arrived by now, in the order in which they come.
func (h *hub) arrive(c *customer) {
	h.Helper()
	now := h.clock.Now()
	slices.SortStableFunc(c.letters, func(a, b letter) int { return a.at.Compare(b.at) })
	n := 0
	for n < len(c.letters) && !c.letters[n].at.After(now) {
		h.takes(c, c.letters[n].rows)
		n++
	}
	c.letters = c.letters[n:]
}
