package main

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/server"
	"gatehouse/cmd/hub/rig"
	"gatehouse/db"
	"gatehouse/jobs"
	"gatehouse/jobs/provision"
)

func ordersDry() Figure {
	return Figure{
		Name: "orders_per_min_dry", Unit: "1/min", Goal: 300, More: true, Fsync: true, Once: true, Take: takeDry,
		How: "orders a minute of 500 that customers place at once, until all are fulfilled: the hub's code, queue and two workers " +
			"in this process, on a database of its own; a dry place gives machines that register with real keys at once. None is lost " +
			"or done twice",
	}
}

// dryHost is a place whose machines take no time: each registers as soon as it is set up. It is vpshost.Host, and says which servers have
// their link open.
type dryHost struct {
	servers *server.Service

	mu     sync.Mutex
	made   map[string]int // by server: how often a machine was made for it
	linked map[string]bool
}

var _ vpshost.Host = (*dryHost)(nil)

func (h *dryHost) Name() string { return "dry" }

func (h *dryHost) Allocate(_ context.Context, s vpshost.Spec) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.made[s.ServerID]++
	return nil
}

func (h *dryHost) Install(ctx context.Context, s vpshost.Setup) error {
	if s.Token != "" {
		public, _, err := ed25519.GenerateKey(nil)
		if err != nil {
			return err
		}
		seal, _, err := wire.NewSealKey()
		if err != nil {
			return err
		}
		_, err = h.servers.Register(ctx, wire.RegisterRequest{
			Token: s.Token, PublicKey: base64.RawURLEncoding.EncodeToString(public), SealKey: seal, AgentdVersion: "dry",
		}, "127.0.0.1")
		if err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.linked[s.ServerID] = true
	return nil
}

// Release gives a machine back.
func (h *dryHost) Release(_ context.Context, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.made, id)
	delete(h.linked, id)
	return nil
}

func (h *dryHost) Finish(context.Context, vpshost.Setup) error            { return nil }
func (h *dryHost) LastLog(context.Context, string, int) ([]string, error) { return nil, nil }
func (h *dryHost) Retire(ctx context.Context, id string) error            { return h.Release(ctx, id) }
func (h *dryHost) Cut(string) error                                       { return nil }
func (h *dryHost) Linked(_ context.Context, id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.linked[id]
}

// quiet is told of changes by nobody's page.
type quiet struct{}

func (quiet) OrderChanged(context.Context, account.CustomerID, order.ID)   {}
func (quiet) ServerChanged(context.Context, account.CustomerID, server.ID) {}

// firstConfig is what new servers get.
type firstConfig struct{}

func (firstConfig) Current(context.Context, account.CustomerID) (wire.Config, error) {
	return wire.Config{Version: 1}, nil
}

// shop is a hub's code for orders on a database of its own.
type shop struct {
	db      *db.DB
	orders  *order.Service
	servers *server.Service
	host    *dryHost
	workers []*jobs.Workers
}

// openShop puts it together with workers, which it starts.
func openShop(ctx context.Context, d *db.DB, workers int) (*shop, error) {
	log := slog.New(slog.DiscardHandler)
	queue, err := jobs.NewQueue(d.Pool, log)
	if err != nil {
		return nil, err
	}
	people := &account.Service{Store: &db.Accounts{DB: d, Jobs: queue}, Now: time.Now}
	s := &shop{db: d}
	s.orders = &order.Service{Store: &db.Orders{DB: d, Jobs: queue}, Accounts: people, Notify: quiet{}, Now: time.Now}
	s.servers = &server.Service{Store: &db.Servers{DB: d}, Configs: firstConfig{}, Notify: quiet{}, Now: time.Now}
	s.host = &dryHost{servers: s.servers, made: map[string]int{}, linked: map[string]bool{}}
	setups := &db.Setups{DB: d, Now: time.Now}
	names := &naming.Service{
		Orders: s.orders, Store: &db.Names{DB: d}, Provider: naming.Loopback, Record: &db.Trail{DB: d}, Notify: quiet{},
		Now: time.Now, Log: log,
	}
	for range workers {
		w, err := jobs.NewWorkers(d.Pool, jobs.Deps{
			Orders: s.orders, Servers: s.servers, People: people, Setups: setups, History: &db.History{DB: d}, Log: log, Now: time.Now,
			Steps: &provision.Runner{
				Servers: s.servers, Hosts: map[string]vpshost.Host{"dry": s.host}, Default: "dry", DNS: names, Links: s.host,
				Setups: setups, People: people, Keys: s.orders, Origin: "http://localhost", Wait: time.Minute,
			},
		})
		if err != nil {
			return nil, errors.Join(err, s.close(ctx))
		}
		if err := w.Start(ctx); err != nil {
			return nil, errors.Join(err, s.close(ctx))
		}
		s.workers = append(s.workers, w)
	}
	return s, nil
}

func (s *shop) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	var errs []error
	for _, w := range s.workers {
		errs = append(errs, w.Stop(ctx))
	}
	return errors.Join(errs...)
}

func takeDry(ctx context.Context, st *Stage) (r Run, err error) {
	d, done, err := st.aside(ctx, "orders_dry")
	if err != nil {
		return Run{}, fmt.Errorf("prepare a database: %w", err)
	}
	defer done()
	n := st.count(500, 10)
	owners, err := newcomers(ctx, d, n)
	if err != nil {
		return Run{}, fmt.Errorf("prepare customers: %w", err)
	}
	s, err := openShop(ctx, d, 2)
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	begun := time.Now()
	if err := s.placeAll(ctx, owners); err != nil {
		return Run{}, err
	}
	took, err := s.fulfilled(ctx, n, begun)
	if err != nil {
		return Run{}, err
	}
	return Run{Value: float64(n) / took.Minutes(), N: n, Note: "all took " + took.Round(time.Millisecond).String()}, s.once(ctx, n)
}

// newcomers are customers that have ordered nothing yet.
func newcomers(ctx context.Context, d *db.DB, n int) ([]account.User, error) {
	owners := make([]account.User, n)
	for i := range owners {
		owners[i] = account.User{ID: account.UserID(newID()), CustomerID: account.CustomerID(newID()), Email: newID() + "@example.com"}
	}
	for _, u := range owners {
		_, err := d.Pool.Exec(ctx, "WITH c AS (INSERT INTO customers (id, name, time_zone, created_at) VALUES ($1, $2, 'UTC', now()))"+
			" INSERT INTO users (id, customer_id, email, email_folded, name, role, password_hash, created_at)"+
			" VALUES ($3, $1, $4, $4, 'The owner', 'owner', $5, now())",
			string(u.CustomerID), "Bakery "+string(u.CustomerID)[24:], string(u.ID), u.Email, noHash)
		if err != nil {
			return nil, err
		}
	}
	return owners, nil
}

// placeAll has all customers order at once.
func (s *shop) placeAll(ctx context.Context, owners []account.User) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, u := range owners {
		g.Go(func() error {
			_, err := s.orders.Create(ctx, u.CustomerID, u, order.Choice{Plan: pricing.Build})
			return err
		})
	}
	return g.Wait()
}

// fulfilled waits until n orders are, and says how long that took by the clock of the last one.
func (s *shop) fulfilled(ctx context.Context, n int, begun time.Time) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	var have int
	var last *time.Time
	var failed error
	ok := rig.Until(ctx, func() bool {
		failed = s.db.Pool.QueryRow(ctx, "SELECT count(*), max(fulfilled_at) FROM orders WHERE state = 'FULFILLED'").Scan(&have, &last)
		return failed != nil || have == n
	})
	if failed != nil || !ok {
		return 0, errors.Join(failed, fmt.Errorf("%d of %d orders were fulfilled", have, n))
	}
	return last.Sub(begun), nil
}

// once holds that each order has one server, reached each state once, and was given one machine.
func (s *shop) once(ctx context.Context, n int) error {
	var servers, registered, twice int
	err := s.db.Pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM servers), (SELECT count(*) FROM servers WHERE public_key IS NOT NULL),
		(SELECT count(*) FROM (SELECT FROM order_events GROUP BY order_id, state HAVING count(*) > 1) AS twice)`).
		Scan(&servers, &registered, &twice)
	if err != nil {
		return err
	}
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	if servers != n || registered != n || len(s.host.made) != n || twice > 0 {
		return fmt.Errorf("%d orders have %d servers, %d of them registered, %d machines, and %d states were reached twice",
			n, servers, registered, len(s.host.made), twice)
	}
	for id, times := range s.host.made {
		if times != 1 {
			return fmt.Errorf("server %s was given %d machines", id, times)
		}
	}
	return nil
}
