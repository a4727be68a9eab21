package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/webpush"
	"gatehouse/app/push"
	"gatehouse/app/push/pushtest"
	"gatehouse/app/receipt"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/support"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
)

// phones is a business whose owner has devices, and the push service that reaches them.
type phones struct {
	*bench
	of      account.User
	server  string
	devices *push.Service
	inbox   *approval.Service
	service *pushtest.Service

	mu  sync.Mutex
	now time.Time // zero: that of the machine
}

func (p *phones) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.IsZero() {
		return time.Now()
	}
	return p.now
}

func (p *phones) setClock(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = now
}

// note is what a device reads.
type note struct {
	Kind, Title, Text, Path string
	Count                   int
	Loud                    bool
	Time                    int64
}

func newPhones(t *testing.T) *phones {
	t.Helper()
	p := &phones{bench: newBench(t, dbtest.New(t)), service: pushtest.Start(t, time.Now)}
	queue, err := jobs.NewQueue(p.db.Pool, quiet)
	must(t, err)
	ring, err := db.NewKeyring(make([]byte, 32))
	must(t, err)
	key, err := (&db.HubSecrets{DB: p.db, Keys: ring}).Get(t.Context(), "push", webpush.NewKey)
	must(t, err)
	sender, err := webpush.New(webpush.Options{Key: key, Subject: "https://hub.example", Local: true, Now: time.Now})
	must(t, err)
	store := &db.PushDevices{DB: p.db, Keys: ring, Jobs: queue}
	words := func(_ context.Context, n push.Notice) (string, string) {
		if n.Support {
			return n.Business, "somebody asks"
		}
		if n.Pool > 0 {
			return n.Business, fmt.Sprint(n.Pool, " % used")
		}
		return n.Business, fmt.Sprint(n.Count, " wait", n.Locale)
	}
	p.devices = &push.Service{Store: store, Sender: sender, Words: words, Local: true, Now: p.clock}
	live, err := relay.Open(relay.Options{})
	must(t, err)
	t.Cleanup(live.Close)
	p.inbox = &approval.Service{
		Store: &db.Approvals{DB: p.db}, Outbox: &db.Links{DB: p.db}, Keys: &db.Approvers{DB: p.db}, Devices: store,
		Holds: &receipt.Service{Store: &db.Checkpoints{DB: p.db}, Now: time.Now}, Record: &db.Trail{DB: p.db}, Live: live,
		Now: p.clock, Log: quiet,
	}
	d := p.deps(time.Now)
	d.Devices = p.devices
	p.work(t, d)
	u, o := p.checkout(t)
	p.of, p.server = u, p.reaches(t, o, order.Fulfilled).ServerID
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// turnOn adds a device of the owner.
func (p *phones) turnOn(t *testing.T, name string) *pushtest.Browser {
	t.Helper()
	b := p.service.Subscribe(p.devices.PublicKey())
	must(t, p.devices.Add(t.Context(), p.of.CustomerID, p.of.ID, name, b.JSON(), audit.Itself))
	p.settled(t)
	return b
}

func (p *phones) sender() approval.Sender {
	return approval.Sender{ID: server.ID(p.server), CustomerID: p.of.CustomerID}
}

// ask has the server ask something that must stand on no lock screen.
func (p *phones) ask(t *testing.T) wire.Approval {
	t.Helper()
	now := p.clock().UTC()
	id := func() string { return uuid.Must(uuid.NewV7()).String() }
	a := wire.Approval{
		ID: id(), Code: "K7M2QX", ServerID: p.server, SessionID: id(), RootRunID: id(), RunID: id(), CallID: id(),
		Agent: "zzagent", Tool: "zztool", Action: "zz.zz.zz", Args: json.RawMessage(`{"to":"zzto"}`), ArgsHash: strings.Repeat("ab", 32),
		Tier: "red", StagedHash: "-", Summary: "zzsummary", Reason: "zzreason", WhyAsked: "zzwhy",
		CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour).Truncate(time.Second),
	}
	a.Digest = wire.DigestOf(a)
	must(t, p.inbox.Receive(t.Context(), p.sender(), a))
	return a
}

// deny answers a request.
func (p *phones) deny(t *testing.T, a wire.Approval) {
	t.Helper()
	by := wire.DecidedBy{Name: "Somebody", Role: "owner", Channel: "portal"}
	_, err := p.inbox.Decide(t.Context(), p.of.CustomerID, a.ID, approval.Answer{Verb: wire.Deny, By: by})
	must(t, err)
}

// next is what the next device to be told reads; nothing of the request may stand in it.
func (p *phones) next(t *testing.T) (pushtest.Message, note) {
	t.Helper()
	m := p.service.Next(t)
	var n note
	must(t, json.Unmarshal(m.Body, &n))
	if strings.Contains(string(m.Body), "zz") {
		t.Errorf("a device is told contents: %s", m.Body)
	}
	return m, n
}

// pushJobs counts the jobs for devices in these states.
func (p *phones) pushJobs(t *testing.T, states ...string) (n int) {
	t.Helper()
	const count = "SELECT count(*) FROM river_job WHERE queue = 'push' AND state::text = ANY($1)"
	must(t, p.db.Pool.QueryRow(t.Context(), count, states).Scan(&n))
	return n
}

// settled waits until nobody works for a device or will soon.
func (p *phones) settled(t *testing.T) {
	t.Helper()
	eventually(t, "all devices are told", func() bool { return p.pushJobs(t, "available", "running", "retryable") == 0 })
}

// soon has those that wait look now.
func (p *phones) soon(t *testing.T) {
	t.Helper()
	_, err := p.db.Pool.Exec(t.Context(), `UPDATE river_job SET state = 'available', scheduled_at = now()
		WHERE queue = 'push' AND state IN ('scheduled', 'retryable')`)
	must(t, err)
}

// TestPush_asked: a request reaches every device of the business, without its contents, and opens the card; more of them
// change the number silently; what is answered goes away.
func TestPush_asked(t *testing.T) {
	t.Parallel()
	p := newPhones(t)
	phone, tablet := p.turnOn(t, "Phone"), p.turnOn(t, "Tablet")
	a := p.ask(t)
	var told []*pushtest.Browser
	for range 2 {
		m, n := p.next(t)
		told = append(told, m.To)
		want := note{
			Kind: "waiting", Title: "Example Bakery", Text: "1 wait", Path: "/app/approvals/" + a.ID, Count: 1, Loud: true, Time: n.Time,
		}
		if n != want {
			t.Errorf("a device reads %+v", n)
		}
		if how := fmt.Sprint(m.Urgency, m.Topic, m.TTL, m.Subject, len(m.Raw)); how != "highwaiting24h0m0shttps://hub.example4096" {
			t.Errorf("it was sent as %s", how)
		}
	}
	if !slices.Contains(told, phone) || !slices.Contains(told, tablet) {
		t.Error("not both devices were told")
	}
	p.settled(t)
	must(t, p.devices.Remove(t.Context(), p.of.CustomerID, p.of.ID, p.idOf(t, "Tablet"), audit.Itself))
	b := p.ask(t)
	if m, n := p.next(t); n.Count != 2 || n.Loud || n.Path != "/app/approvals" || m.Urgency != "normal" {
		t.Errorf("a second request right after: %+v", n)
	}
	p.settled(t)
	p.deny(t, a)
	if _, n := p.next(t); n.Count != 1 || n.Loud || n.Path != "/app/approvals/"+b.ID {
		t.Errorf("with one answered: %+v", n)
	}
	p.settled(t)
	must(t, p.inbox.Update(t.Context(), p.sender(), wire.ApprovalUpdate{ID: b.ID, State: wire.ApprovalWithdrawn}))
	if _, n := p.next(t); n.Count != 0 || n.Loud {
		t.Errorf("with none left: %+v", n)
	}
	p.settled(t)
	p.service.None(t)
}

func (p *phones) idOf(t *testing.T, name string) string {
	t.Helper()
	all, err := p.devices.List(t.Context(), p.of.CustomerID, p.of.ID)
	must(t, err)
	i := slices.IndexFunc(all, func(d push.Device) bool { return d.Name == name })
	if i < 0 {
		t.Fatalf("no device %s in %v", name, all)
	}
	return all[i].ID
}

// wait is when the one job that waits looks again.
func (p *phones) wait(t *testing.T) time.Time {
	t.Helper()
	var at time.Time
	eventually(t, "one job waits", func() bool {
		var n int
		must(t, p.db.Pool.QueryRow(t.Context(), `SELECT count(*), coalesce(min(scheduled_at), now()) FROM river_job
			WHERE queue = 'push' AND state IN ('scheduled', 'retryable')`).Scan(&n, &at))
		return n == 1
	})
	return at
}

// TestPush_quietHours: requests that come in them are told together at their end, with a sound; what was answered meanwhile is
// not, and what was shown before goes away silently in them too.
func TestPush_quietHours(t *testing.T) {
	t.Parallel()
	p := newPhones(t) // of a business in Vienna
	day := time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC)
	p.setClock(day)
	p.turnOn(t, "Phone")
	must(t, p.devices.SetQuiet(t.Context(), p.of.CustomerID, p.of.ID, push.Quiet{From: 22 * 60, To: 7 * 60}))
	before := p.ask(t)
	if _, n := p.next(t); n.Count != 1 || !n.Loud {
		t.Errorf("by day: %+v", n)
	}
	p.settled(t)
	night := time.Date(2026, 6, 1, 21, 0, 0, 0, time.UTC) // 23:00 in Vienna
	p.setClock(night)
	answered := p.ask(t)
	if left := time.Until(p.wait(t)); left < 8*time.Hour-time.Minute || left > 8*time.Hour {
		t.Errorf("it looks again in %s", left)
	}
	first, second := p.ask(t), p.ask(t)
	eventually(t, "all wait for the morning", func() bool { return p.pushJobs(t, "scheduled") == 3 })
	p.service.None(t)
	p.deny(t, before)
	if _, n := p.next(t); n.Count != 0 || n.Loud {
		t.Errorf("answered in the night: %+v", n)
	}
	p.deny(t, answered)
	eventually(t, "all wait for the morning", func() bool { return p.pushJobs(t, "scheduled") == 5 })
	p.service.None(t)
	p.setClock(night.Add(8 * time.Hour))
	p.soon(t)
	if _, n := p.next(t); n.Count != 2 || !n.Loud || n.Path != "/app/approvals" {
		t.Errorf("in the morning: %+v, for %s and %s", n, first.ID, second.ID)
	}
	p.settled(t)
	p.service.None(t)
}

// TestPush_support: the owner's devices are told that one of our staff asks for a support window: not at night, and not of one that was
// answered meanwhile.
func TestPush_support(t *testing.T) {
	t.Parallel()
	p := newPhones(t)
	p.setClock(time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC))
	p.turnOn(t, "Phone")
	queue, err := jobs.NewQueue(p.db.Pool, quiet)
	must(t, err)
	windows := &db.SupportWindows{DB: p.db, Jobs: queue}
	ask := func(staff string) support.Window {
		t.Helper()
		w := support.Window{
			ID: uuid.Must(uuid.NewV7()).String(), CustomerID: p.of.CustomerID, Server: server.ID(p.server), StaffID: staff,
			Staff: "help@example.net", Kind: wire.SoftwareKey, SPKI: "AAAA", Purpose: "a look", Hours: 1,
			What: []wire.SupportKind{wire.SupportLogs}, State: support.Asked, AskedAt: p.clock(),
		}
		e := audit.Entry{ID: uuid.NewString(), At: p.clock(), By: audit.Itself, Action: "support.ask"}
		must(t, windows.Add(t.Context(), w, work.SendMail{Template: "support_ask", Ref: w.ID}, e))
		return w
	}
	staff := p.clerk(t)
	first := ask(staff)
	m, n := p.next(t)
	want := note{
		Kind: "support", Title: "Example Bakery", Text: "somebody asks", Path: "/app/server/support/" + first.ID, Loud: true, Time: n.Time,
	}
	if n != want || m.Topic != "support" {
		t.Errorf("a device reads %+v", n)
	}
	p.settled(t)
	must(t, p.devices.SetQuiet(t.Context(), p.of.CustomerID, p.of.ID, push.Quiet{From: 22 * 60, To: 7 * 60}))
	p.settled(t)
	p.setClock(time.Date(2026, 6, 1, 21, 0, 0, 0, time.UTC)) // 23:00 in Vienna
	ask(staff)
	p.wait(t)
	p.service.None(t)
	_, err = p.db.Pool.Exec(t.Context(), "UPDATE support_windows SET state = 'refused', ended_at = now() WHERE state = 'asked'")
	must(t, err)
	p.setClock(time.Date(2026, 6, 2, 6, 0, 0, 0, time.UTC))
	p.soon(t)
	p.settled(t)
	p.service.None(t)
}

// clerk adds one of our staff.
func (p *phones) clerk(t *testing.T) string {
	t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	_, err := p.db.Pool.Exec(t.Context(), `INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at)
		SELECT $1, $2, $2, 'help', 'SUPPORT', password_hash, '\x00', now() FROM users LIMIT 1`, id, id+"@example.net")
	must(t, err)
	return id
}

// TestPush_pool: owners hear on their devices how much of the month's tokens is used, once and not in quiet hours, and a request that
// waits stays shown.
func TestPush_pool(t *testing.T) {
	t.Parallel()
	p := newPhones(t)
	day := time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC)
	p.setClock(day)
	p.turnOn(t, "Phone")
	queue, err := jobs.NewQueue(p.db.Pool, quiet)
	must(t, err)
	bills := &billing.Service{Store: &db.Billing{DB: p.db, Jobs: queue}, Now: p.clock}
	month := billing.Period{
		ID: billing.PeriodID(uuid.NewString()), CustomerID: p.of.CustomerID, Number: 1, Anchor: day, From: day, To: day.AddDate(0, 1, 0),
		FullTo: day.AddDate(0, 1, 0), State: billing.Active, Multiplier: 1,
		Plans: []billing.Span{{Plan: pricing.Build, Name: "Build", Monthly: 45_00, Pool: 1000, From: day}},
	}
	ok, err := bills.Store.Begin(t.Context(), month)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	fill := func(drawn int64) {
		f := billing.Fill{Period: month.ID, CustomerID: p.of.CustomerID, Drawn: drawn, Pool: 1000, At: p.clock(), Until: month.To}
		_, err := bills.Store.KeepFill(t.Context(), f, billing.PoolNotice{ID: uuid.NewString(), Percent: f.Told(), Fill: f})
		must(t, err)
	}
	fill(800)
	fill(810)
	m, n := p.next(t)
	want := note{Kind: "pool", Title: "Example Bakery", Text: "80 % used", Path: "/app/agents/limits", Loud: true, Time: n.Time}
	if n != want || m.Topic != "pool" {
		t.Errorf("a device reads %+v", n)
	}
	p.settled(t)
	must(t, p.devices.SetQuiet(t.Context(), p.of.CustomerID, p.of.ID, push.Quiet{From: 22 * 60, To: 7 * 60}))
	p.settled(t)
	p.setClock(time.Date(2026, 6, 1, 21, 0, 0, 0, time.UTC)) // 23:00 in Vienna
	fill(1000)
	p.wait(t)
	p.service.None(t)
	p.setClock(time.Date(2026, 6, 2, 6, 0, 0, 0, time.UTC))
	p.soon(t)
	if _, n := p.next(t); n.Text != "100 % used" {
		t.Errorf("after the night: %+v", n)
	}
	p.settled(t)
	var letters int
	must(t, p.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE args ->> 'template' LIKE 'pool_%'").Scan(&letters))
	if letters != 2 {
		t.Errorf("%d letters", letters)
	}
}

// TestPush_quietHoursEnd: taking the quiet hours away tells at once what they held back.
func TestPush_quietHoursEnd(t *testing.T) {
	t.Parallel()
	p := newPhones(t)
	p.setClock(time.Date(2026, 6, 1, 21, 0, 0, 0, time.UTC))
	p.turnOn(t, "Phone")
	must(t, p.devices.SetQuiet(t.Context(), p.of.CustomerID, p.of.ID, push.Quiet{From: 22 * 60, To: 7 * 60}))
	p.settled(t)
	p.ask(t)
	p.wait(t)
	must(t, p.devices.Test(t.Context(), p.of.CustomerID, p.of.ID, p.idOf(t, "Phone")))
	if _, n := p.next(t); n.Kind != "test" || !n.Loud {
		t.Errorf("a test in quiet hours: %+v", n)
	}
	_, err := p.db.Pool.Exec(t.Context(), "UPDATE users SET locale = 'de'")
	must(t, err)
	must(t, p.devices.SetQuiet(t.Context(), p.of.CustomerID, p.of.ID, push.Quiet{}))
	if _, n := p.next(t); n.Count != 1 || !n.Loud || n.Text != "1 waitde" {
		t.Errorf("without quiet hours, in the person's language: %+v", n)
	}
}

// TestPush_tellsLater: a service that fails is asked again, with growing pauses, and one that asks for time gets it. What is
// told then is what waits then. Nothing of the address stands in the queue.
func TestPush_tellsLater(t *testing.T) {
	t.Parallel()
	p := newPhones(t)
	b := p.turnOn(t, "Phone")
	p.service.Say(pushtest.Answer{Status: 500})
	a := p.ask(t)
	eventually(t, "a failed try", func() bool {
		all, err := p.devices.List(t.Context(), p.of.CustomerID, p.of.ID)
		must(t, err)
		return p.service.Asked() == 1 && !all[0].FailedAt.IsZero() && p.pushJobs(t, "retryable", "available") == 1
	})
	p.service.Say(pushtest.Answer{Status: 429, After: "600"})
	p.soon(t)
	if left := time.Until(p.wait(t)); left < 9*time.Minute || left > 10*time.Minute {
		t.Errorf("the service asked for 10 minutes and gets %s", left)
	}
	p.ask(t)
	if _, n := p.next(t); n.Count != 2 || !n.Loud {
		t.Errorf("told at last: %+v", n)
	}
	p.soon(t)
	p.settled(t)
	p.service.None(t)
	all, err := p.devices.List(t.Context(), p.of.CustomerID, p.of.ID)
	must(t, err)
	if len(all) != 1 || !all[0].FailedAt.IsZero() || all[0].ToldAt.IsZero() {
		t.Errorf("the device is %+v after %s", all, a.ID)
	}
	p.wantNowhere(t, b.Endpoint, b.Auth, b.P256dh)
}

// wantNowhere reads every row of queue and devices.
func (p *phones) wantNowhere(t *testing.T, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		var n int
		must(t, p.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM (SELECT j::text AS row FROM river_job j UNION ALL
			SELECT d::text || encode(d.subscription, 'escape') FROM push_devices d) AS x WHERE strpos(row, $1) > 0`, s).Scan(&n))
		if n > 0 {
			t.Errorf("%d rows hold %s", n, s)
		}
	}
}

// TestPush_gone: a browser that unsubscribed is forgotten, one that refuses is not asked again, one that was turned off is not
// told, and the others are.
func TestPush_gone(t *testing.T) {
	t.Parallel()
	p := newPhones(t)
	old, off, here := p.turnOn(t, "Old"), p.turnOn(t, "Off"), p.turnOn(t, "Here")
	p.service.Forget(old)
	must(t, p.devices.Remove(t.Context(), p.of.CustomerID, p.of.ID, p.idOf(t, "Off"), audit.Itself))
	a := p.ask(t)
	if m, _ := p.next(t); m.To != here || m.To == off {
		t.Error("another device was told")
	}
	p.settled(t)
	all, err := p.devices.List(t.Context(), p.of.CustomerID, p.of.ID)
	must(t, err)
	if len(all) != 1 || all[0].Name != "Here" {
		t.Errorf("the devices are %v", all)
	}
	p.service.Say(pushtest.Answer{Status: 403})
	p.deny(t, a)
	eventually(t, "it is given up", func() bool { return p.pushJobs(t, "cancelled") == 2 }) // the forgotten one, and this
	p.settled(t)
	if asked := p.service.Asked(); asked != 3 {
		t.Errorf("the service was asked %d times", asked)
	}
}
