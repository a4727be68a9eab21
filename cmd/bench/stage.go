package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/cmd/hub/rig"
	"gatehouse/db"
	"gatehouse/db/devpg"
)

// stopLimit is how long a stage may take to end.
const stopLimit = time.Minute

// Stage is a running Gatehouse: Postgres, hub, and the agentd of the demo's customer with the model that answers at
// once.
type Stage struct {
	bench *bench
	dir   string // holds all its data
	pg    *devpg.Server
	hub   *rig.Hub
	dsn   string       // of the hub's database
	db    *db.DB       // the hub's database, to prepare rows
	owner account.User // the demo's customer
}

// openStage starts a Gatehouse with its data below parent.
func openStage(ctx context.Context, b *bench, parent string) (*Stage, error) {
	s := &Stage{bench: b}
	if err := s.open(ctx, parent); err != nil {
		return nil, errors.Join(fmt.Errorf("start a hub: %w", err), s.Close())
	}
	return s, nil
}

func (s *Stage) open(ctx context.Context, parent string) (err error) {
	if s.dir, err = s.bench.folder(parent); err != nil {
		return err
	}
	if err := os.Chmod(s.dir, 0o755); err != nil { // Postgres and agentd run as somebody else when we are root
		return err
	}
	if s.pg, err = devpg.Start(ctx, devpg.Options{Dir: filepath.Join(s.dir, "postgres"), Durable: true, Tied: true}); err != nil {
		return err
	}
	if s.dsn, err = newDatabase(ctx, s.pg.DSN); err != nil {
		return err
	}
	s.hub, err = rig.NewIn(s.dir, s.bench.bin, "DATABASE_URL="+s.dsn, "MODEL_BASE_URL="+s.bench.model.URL(), "MODEL_NAME=instant")
	if err != nil {
		return err
	}
	if err := s.hub.Start(); err != nil {
		return err
	}
	if s.db, err = db.Open(ctx, s.dsn); err != nil {
		return err
	}
	s.owner, _, err = (&db.Accounts{DB: s.db}).ByEmail(ctx, s.hub.Demo.Customer.Email)
	return err
}

// newDatabase makes a database in the cluster.
func newDatabase(ctx context.Context, cluster string) (string, error) {
	conn, err := pgx.Connect(ctx, cluster)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "CREATE DATABASE bench"); err != nil {
		return "", err
	}
	u, err := url.Parse(cluster)
	if err != nil {
		return "", err
	}
	u.Path = "/bench"
	return u.String(), nil
}

// Close stops everything and deletes the data.
func (s *Stage) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	var errs []error
	if s.db != nil {
		s.db.Close()
	}
	if s.hub != nil {
		errs = append(errs, s.hub.Stop())
	}
	if s.pg != nil {
		errs = append(errs, s.pg.Stop(ctx))
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// count is n, or few when the bench is quick.
func (s *Stage) count(n, few int) int {
	if s.bench.quick {
		return few
	}
	return n
}
