package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gatehouse/app/provider/vpshost/local"
	"gatehouse/app/setting"
	"gatehouse/app/web"
	"gatehouse/app/web/agentlink"
	"gatehouse/db"
	"gatehouse/jobs"
	"gatehouse/jobs/provision"
	"gatehouse/static"
)

// options are what differs between serve, work and dev.
type options struct {
	pages  bool              // serve pages, API and links
	work   bool              // do queued work and look after local servers
	demo   bool              // new local servers get believable files
	print  func(local.Codes) // shows the codes of new local servers; nil: nobody looks
	routes []web.Route       // besides those of every hub
	level  *slog.LevelVar    // of the log, which our staff may change; nil: it stays
	mailAt string            // where the mail of a demo can be read; empty: mail is really sent
}

// hub is the parts at work.
type hub struct {
	*parts
	cfg     config
	opt     options
	log     *slog.Logger
	ended   chan error    // what a server ended with, by itself
	stopped chan struct{} // closed by stop

	links     *agentlink.Handler
	web       *web.HTTPServer
	serving   sync.WaitGroup
	metrics   *http.Server
	listeners []net.Listener
	host      *local.Host   // nil without work
	workers   *jobs.Workers // nil without work
}

// openHub checks the schema and puts a hub together. Nothing is served and no work is done before start.
func openHub(ctx context.Context, cfg config, opt options, log *slog.Logger) (*hub, error) {
	if err := db.Check(ctx, cfg.DatabaseURL); err != nil {
		return nil, err
	}
	p, err := openParts(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	p.follow(opt.level)
	if opt.demo { // it asks nobody outside
		p.rates.On = func() bool { return false }
	}
	h := &hub{parts: p, cfg: cfg, opt: opt, log: log, ended: make(chan error, 4), stopped: make(chan struct{})}
	h.links = p.newLinks(cfg, log)
	if err := h.open(ctx); err != nil {
		return nil, errors.Join(err, h.stop(context.WithoutCancel(ctx)))
	}
	return h, nil
}

func (h *hub) open(ctx context.Context) error {
	registry, err := newMetrics(h.db, h.links.Count)
	if err != nil {
		return err
	}
	if h.opt.pages {
		if h.legal, err = h.cfg.readLegal(); err != nil {
			return err
		}
		routes := append(h.surfaces(h.links, h.log), h.opt.routes...)
		edge, err := web.New(h.cfg.edge(), web.Deps{
			Sessions: h.sessions, Static: static.Handler(), Ready: h.ready, Down: db.Down, Log: h.log, Metrics: registry, Now: time.Now, MailAt: h.opt.mailAt, PayAt: h.cfg.StripeURL,
			Operators: h.operator, Rates: h.rate,
		}, routes...)
		if err != nil {
			return err
		}
		h.web = web.NewServer(edge)
		if h.listeners, err = listen(ctx, h.cfg.Addr); err != nil {
			return err
		}
	}
	var l net.Listener
	if h.metrics, l, err = serveMetrics(ctx, h.cfg.MetricsAddr, registry); err != nil {
		return err
	}
	h.serve(h.metrics, l)
	h.log.InfoContext(ctx, "metrics", "url", fmt.Sprintf("http://%s/metrics", l.Addr()))
	if h.opt.work {
		return h.openWork()
	}
	return nil
}

// openWork makes the place where local servers run, and the workers.
func (h *hub) openWork() (err error) {
	h.host, err = local.New(local.Options{
		Dir: filepath.Join(
			h.cfg.Dir,
			"servers",
		), Bin: h.cfg.AgentdBin, Hub: h.reachedAt(), SMTPAddr: h.cfg.SMTPAddr, MailFrom: h.cfg.MailFrom,
		Model: local.Model{
			BaseURL: h.cfg.ModelBaseURL,
			Name:    h.cfg.ModelName,
			Vectors: h.cfg.Embeddings,
			Key:     h.cfg.ModelAPIKey,
		}, Demo: h.opt.demo, Print: h.opt.print, Log: h.log, Most: h.settings.Count(setting.LocalMost),
	})
	if err != nil {
		return err
	}
	hosts := h.hosts()
	machines := h.machineWorker(hosts)
	h.workers, err = jobs.NewWorkers(h.db.Pool, jobs.Deps{
		Orders: h.orders, Servers: h.servers, People: h.accounts, Team: h.team, Letters: h.post(), Addresses: h.post(),
		Write: h.lettersNow(h.cfg.PublicURL), Mailer: mailing{h.settings, hostOf(h.cfg.PublicURL)},
		Reminders: h.mails, WriteReminder: h.remindersNow(h.cfg.PublicURL), Devices: h.push,
		Steps: &provision.Runner{
			Servers: h.servers, Hosts: hosts, Default: h.cfg.Provider, DNS: h.names, Links: h.relay, Setups: h.setups, People: h.accounts,
			Keys: h.orders, Origin: h.cfg.PublicURL, Wait: registerWithin, Place: h.place, Patience: h.settings.Span(setting.RegisterWait),
		},
		Setups: h.setups, History: &db.History{DB: h.db, Keep: h.historyKept}, Pauses: h.retryPauses, Commands: h.commands, Machines: machines,
		Regain: h.regain, Payments: h.payments, Collector: collector{h.parts}, Refunder: collector{h.parts},
		Usage: h.usage, ProviderUsage: h.modelKeys, Months: h.billing, Accounts: h.closing,
		Chores: slices.Concat(h.chores(), snapshotChores(machines), h.netcupChores(hosts)), Log: h.log, Now: time.Now, Dir: h.cfg.Dir,
	})
	return err
}

// registerWithin is how long a new server has to come.
const registerWithin = time.Minute

// reachedAt is where local servers reach this hub: on this machine, without the proxy that people come through.
func (h *hub) reachedAt() string {
	host, port, err := net.SplitHostPort(h.cfg.Addr)
	if err != nil {
		return h.cfg.PublicURL
	}
	if len(h.listeners) > 0 {
		_, port, _ = net.SplitHostPort(h.listeners[0].Addr().String())
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// chores are what some hub has to look at every minute.
func (h *hub) chores() []jobs.Chore {
	return []jobs.Chore{
		{Name: "approvals that ran out", Do: h.inbox.Expire},
		{Name: "mails about approvals", Do: h.mails.Remind},
		{Name: "mails about approvals long gone", Do: h.mails.Forget},
		{Name: "servers whose grace is over", Do: h.orders.ReleaseDue},
		{Name: "accounts to close", Do: h.closing.QueueDue},
		{Name: "invoices kept long enough", Do: h.closing.PurgeDue},
		{Name: "model keys of servers that are gone", Do: h.modelKeys.EndLeft},
		{Name: "lines of orders long gone", Do: h.orders.ForgetLines},
		{Name: "mails about late orders", Do: h.orders.TellLate},
		{Name: "mails to staff about orders", Do: h.orders.TellStaff},
		{Name: "link keys of servers that are old", Do: h.servers.RenewOld},
		{Name: "payments that nothing was heard of", Do: h.payments.Unsettled},
		{Name: "customers at Stripe who were erased", Do: h.payments.RemoveLeft},
		{Name: "orders that wait for their payment", Do: h.payments.Tidy},
		{Name: "what was not paid", Do: h.payments.Dun},
		{Name: "invoices that nobody collects", Do: h.payments.CollectMissed},
		{Name: "cards that expire", Do: h.payments.Expiring},
		{Name: "customers who paid after all", Do: h.payments.Recover},
		{Name: "reports of Stripe that were missed", Do: h.payments.CatchUp},
		{Name: "cancelled plans that end", Do: h.billing.EndDue},
		{Name: "billing periods that begin", Do: h.billing.BeginDue},
		{Name: "billing periods that end", Do: h.billing.CloseDue},
		{Name: "invoices", Do: h.billing.BillDue},
		{Name: "invoices that wait for an address", Do: h.billing.AskAgain},
		{Name: "pools that become empty", Do: h.billing.Watch},
		{Name: "exchange rates", Do: h.rates.Due},
	}
}

// start serves, then does work and takes charge of the local servers: they come to a hub that answers.
func (h *hub) start(ctx context.Context) error {
	for _, l := range h.listeners {
		h.serve(h.web.Server, l)
		h.log.InfoContext(ctx, "serving", "addr", l.Addr().String(), "public_url", h.cfg.PublicURL)
	}
	if h.workers == nil {
		return nil
	}
	if err := h.workers.Start(ctx); err != nil {
		return err
	}
	if err := h.host.Adopt(ctx); err != nil {
		h.log.ErrorContext(ctx, "a local server does not start", "error", err) // its customer's pages say so; the others go on
	}
	return nil
}

func (h *hub) serve(s *http.Server, l net.Listener) {
	h.serving.Go(func() {
		err := s.Serve(l)
		select {
		case <-h.stopped: // it was told to end
		default:
			if !errors.Is(err, http.ErrServerClosed) {
				h.ended <- fmt.Errorf("serving %s ended: %w", l.Addr(), err)
			}
		}
	})
}

// Wait returns when serving has ended by itself, with the reason, or when the hub was stopped.
func (h *hub) Wait() error {
	select {
	case err := <-h.ended:
		return err
	case <-h.stopped:
		return nil
	}
}

// errStopping says that this hub takes no more requests.
var errStopping = errors.New("this hub is stopping")

// ready says whether requests find everything that they need. From the moment that a hub is told to stop it says no, so that
// load balancers send nobody here any more.
func (h *hub) ready(ctx context.Context) error {
	select {
	case <-h.stopped:
		return errStopping
	default:
		return h.parts.ready(ctx)
	}
}

// stop ends everything in order, once: it says that it is not ready, goes on serving for as long as it is told to, then takes
// no new requests and no new work, closes links and streams, whose ends look for another hub, and lets what is under way end;
// the database last. Local servers run on.
func (h *hub) stop(ctx context.Context) error {
	close(h.stopped)
	worked := make(chan error, 1)
	go func() {
		if h.workers == nil {
			worked <- nil
			return
		}
		worked <- h.workers.Stop(ctx)
	}()
	errs := []error{h.stopServing(ctx), <-worked}
	if h.host != nil {
		h.host.Close()
	}
	errs = append(errs, h.closeMetrics())
	h.close()
	return errors.Join(errs...)
}

// stopServing ends pages, API and links.
func (h *hub) stopServing(ctx context.Context) error {
	if h.web == nil {
		return nil
	}
	if h.cfg.Drain > 0 {
		wait, cancel := context.WithTimeout(ctx, h.cfg.Drain)
		<-wait.Done()
		cancel()
	}
	var door sync.WaitGroup
	for _, l := range h.listeners {
		door.Go(func() { turnAway(ctx, l) })
	}
	door.Wait()
	grace, cancel := context.WithTimeout(ctx, web.StopGrace)
	defer cancel()
	errs := []error{h.closeMetrics()}
	for _, l := range h.listeners {
		_ = l.Close() // it is only listened at
	}
	h.serving.Wait() // whoever was let in is counted now
	h.links.Close()
	h.web.Finish(grace)
	return errors.Join(append(errs, h.web.Shutdown(grace))...)
}

// closeMetrics ends the address of the metrics, once.
func (h *hub) closeMetrics() error {
	if h.metrics == nil {
		return nil
	}
	return h.metrics.Close()
}
