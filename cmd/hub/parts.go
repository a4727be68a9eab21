package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/billing"
	"gatehouse/app/billing/rates"
	"gatehouse/app/chat"
	"gatehouse/app/clientele"
	"gatehouse/app/closing"
	"gatehouse/app/credential"
	"gatehouse/app/job"
	"gatehouse/app/legal"
	"gatehouse/app/machine"
	"gatehouse/app/modelkey"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/passkey"
	"gatehouse/app/payment"
	"gatehouse/app/pool"
	"gatehouse/app/provider/stripepay"
	"gatehouse/app/provider/vpshost/netcup"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/providers"
	"gatehouse/app/push"
	"gatehouse/app/receipt"
	"gatehouse/app/regain"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/setting"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/support"
	"gatehouse/app/team"
	"gatehouse/app/usage"
	"gatehouse/app/web/session"
	"gatehouse/db"
	"gatehouse/jobs"
)

// signInTries is how many sign-ins, and how many reset mails, one account gets a minute.
const signInTries = 10

// parts are the rules of the hub over its database, queue and live traffic.
type parts struct {
	db    *db.DB
	relay *relay.Relay

	accounts *account.Service
	seconds  *account.Seconds
	tokens   *account.Tokens
	staff    *staff.Service
	codes    *staff.Codes
	passkeys *passkey.Service
	orders   *order.Service
	payments *payment.Service
	stripe   *stripepay.Client
	servers  *server.Service
	commands *server.Commands
	team     *team.Service
	inbox    *approval.Service
	keys     *approver.Service
	receipts *receipt.Service
	chat     *chat.Service
	mails    *approval.Mails
	push     *push.Service
	secrets  *credential.Service
	pool     *pool.Service
	machines *db.Pool
	adopted  *db.Adopted
	netcup   *netcup.Account

	providers *providers.Service
	setup     *setup.Runner

	atProviders *machine.Service
	acts        *db.MachineActs
	consents    *machine.Consents

	hostKeys  []byte // what the host keys of rented machines are derived from
	setups    *db.Setups
	names     *naming.Service
	desk      signin.Desk
	sessions  *session.Manager
	links     *db.Links
	alerts    *db.Alerts
	audit     *db.Audit
	jobs      *job.Service
	firstSaid *db.Idempotency
	settings  *setting.Service
	clientele *clientele.Service
	support   *support.Service
	usage     *usage.Service
	used      *usage.Reader
	analyst   *usage.Analyst
	regain    *regain.Service
	billing   *billing.Service
	closing   *closing.Service
	modelKeys *modelkey.Service
	rates     *rates.Service
	legal     legal.Pages // read before pages are served
}

// openParts opens the database and the live traffic and puts the rules on them.
func openParts(ctx context.Context, cfg config, log *slog.Logger) (*parts, error) {
	p := &parts{}
	if err := p.open(ctx, cfg, log); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *parts) open(ctx context.Context, cfg config, log *slog.Logger) (err error) {
	keys, err := cfg.openKeys()
	if err != nil {
		return err
	}
	if p.db, err = db.Open(ctx, cfg.DatabaseURL); err != nil {
		return err
	}
	if p.relay, err = relay.Open(relay.Options{URL: cfg.NATSURL, Log: log}); err != nil {
		return fmt.Errorf("live traffic: %w", err)
	}
	queue, err := jobs.NewQueue(p.db.Pool, log)
	if err != nil {
		return err
	}
	p.settings = settingsOf(cfg, p.db, keys, log)
	p.people(keys, queue, cfg)
	if p.passkeys, err = passkey.New(&db.Passkeys{DB: p.db, Jobs: queue}, cfg.PublicURL, time.Now); err != nil {
		return err
	}
	if err := p.openCodes(keys, queue); err != nil {
		return err
	}
	devices := &db.PushDevices{DB: p.db, Keys: keys, Jobs: queue}
	if p.push, err = newPush(ctx, devices, cfg); err != nil {
		return err
	}
	p.work(cfg, queue, devices, log)
	if err := p.openNames(cfg, log); err != nil {
		return err
	}
	if err := p.openCommands(keys, queue); err != nil {
		return err
	}
	p.openModelKeys(cfg, keys)
	p.openMachines(queue)
	if err := p.openFleet(ctx, cfg, keys); err != nil {
		return err
	}
	p.tuneOrders()
	p.tuneRest()
	return nil
}

// people are customers, staff and their ways in.
func (p *parts) people(keys *db.Keyring, queue *jobs.Queue, cfg config) {
	hasher, tries := account.NewHasher(), account.NewTries(signInTries, time.Minute, time.Now)
	p.accounts = &account.Service{Store: &db.Accounts{DB: p.db, Jobs: queue}, Hasher: hasher, Tries: tries, Now: time.Now}
	p.clientele = &clientele.Service{Store: &db.Clientele{DB: p.db, Jobs: queue}, Now: time.Now}
	p.regain = &regain.Service{Store: &db.Regain{DB: p.db, Jobs: queue}, Owners: p.accounts, Now: time.Now}
	p.seconds = &account.Seconds{Store: &db.Seconds{DB: p.db, Keys: keys, Jobs: queue}, Now: time.Now}
	p.accounts.Seconds = p.seconds
	p.tokens = &account.Tokens{Store: &account.TokenCache{TokenStore: &db.Tokens{DB: p.db}}, Now: time.Now}
	p.staff = &staff.Service{Store: &db.Staff{DB: p.db, Keys: keys, Jobs: queue}, Hasher: hasher, Tries: tries, Now: time.Now}
	p.staff.Photos = p.filesOf(cfg)
	p.desk = signin.Desk{Store: &db.Signins{DB: p.db, Idle: p.settings.Span(setting.StaffIdle)}, Now: time.Now}
	p.tunePeople()
	p.sessions = session.New(p.desk, p.tokens, cfg.BehindTLS)
	p.audit, p.firstSaid = &db.Audit{DB: p.db}, &db.Idempotency{DB: p.db}
}

// work are orders, servers and what goes on between them and people.
func (p *parts) work(cfg config, queue *jobs.Queue, devices approval.Devices, log *slog.Logger) {
	trail, told := &db.Trail{DB: p.db}, notices{relay: p.relay, log: log}
	p.jobs = &job.Service{Store: &db.RiverJobs{DB: p.db, Desk: queue}, Now: time.Now}
	p.links, p.alerts = &db.Links{DB: p.db}, &db.Alerts{DB: p.db}
	p.receipts = &receipt.Service{Store: &db.Checkpoints{DB: p.db}, Now: time.Now}
	p.team = &team.Service{
		Store:  &db.Configs{DB: p.db},
		Outbox: p.links,
		Holds:  p.receipts,
		Record: trail,
		Live:   p.relay,
		Now:    time.Now,
		Log:    log,
	}
	p.orders = &order.Service{
		Store:    &db.Orders{DB: p.db, Jobs: queue},
		Accounts: p.accounts,
		Notify:   told,
		Now:      time.Now,
		Promised: p.promised,
		Codes:    p.codes,
	}
	p.servers = &server.Service{
		Store: &db.Servers{
			DB: p.db,
		}, Configs: p.team, Notify: told, Origin: cfg.PublicURL, LinkURL: linkURL(cfg.PublicURL), Now: time.Now,
		Histories: &db.History{DB: p.db}, Live: p.relay, Codes: p.codes,
	}
	approvals := &db.Approvals{DB: p.db}
	keys, peer := &db.Approvers{DB: p.db, Jobs: queue}, server.Peer{Servers: &server.Known{Finder: p.links, Now: time.Now}, Live: p.relay}
	p.keys = &approver.Service{Store: keys, Requests: keys, Peer: peer, Now: time.Now}
	p.inbox = &approval.Service{
		Store: approvals, Outbox: p.links, Keys: keys, Holds: p.receipts, Record: trail, Devices: devices, Live: p.relay, Now: time.Now, Log: log,
	}
	p.usage = &usage.Service{Store: &db.Usage{DB: p.db}, Alerts: p.alerts, Live: p.relay, Now: time.Now, Log: log}
	p.analyst = &usage.Analyst{Totals: &db.Usage{DB: p.db}, Now: time.Now}
	p.used = &usage.Reader{Lines: &db.Usage{DB: p.db}, Now: time.Now}
	p.support = &support.Service{
		Store: &db.SupportWindows{DB: p.db, Jobs: queue, Links: p.links}, Servers: p.links, Known: p.servers, Live: p.relay,
		Now: time.Now, Log: log,
	}
	p.mails = &approval.Mails{Store: &db.ApprovalMails{DB: p.db, Jobs: queue}, Now: time.Now, Pace: p.mailPace}
	p.billing = &billing.Service{
		Store: &db.Billing{DB: p.db, Jobs: queue}, Usage: &db.Usage{DB: p.db}, Orders: p.orders, Now: time.Now,
		Presets: p.presets, Embeddings: p.settings.Text(setting.ModelMeaning),
	}
	p.closing = &closing.Service{
		Store: &db.Closing{DB: p.db, Jobs: queue}, Now: time.Now, After: p.settings.Span(setting.CloseAfter),
		Years: p.settings.Count(setting.InvoicesKept),
	}
	p.billing.Closing = p.closing
	p.rates = p.openRates()
	p.team.Plans = p.billing
	p.openPayments(cfg, queue)
	p.billing.Paused, p.billing.NoCard = p.pausedFor, p.withoutCard
	p.secrets = &credential.Service{
		Peer: peer, People: p.accounts, Links: &db.SecretLinks{DB: p.db}, Record: trail, Now: time.Now,
	}
	p.chat = &chat.Service{
		Servers: p.links, Peer: peer, Outbox: p.links, Live: p.relay, Inbox: approvals, Repeats: p.firstSaid, Record: trail, Now: time.Now, Log: log,
		Standing: standing{p},
	}
}

// linkURL is where servers open their link.
func linkURL(public string) string {
	return "ws" + strings.TrimPrefix(public, "http") + "/agentd/link"
}

// ready says whether everything that requests need is up.
func (p *parts) ready(ctx context.Context) error {
	return errors.Join(p.db.Pool.Ping(ctx), p.relay.Ready())
}

func (p *parts) close() {
	if p.relay != nil {
		p.relay.Close()
	}
	if p.db != nil {
		p.db.Close()
	}
}
