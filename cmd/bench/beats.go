package main

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
	"gatehouse/db"
)

func heartbeats() Figure {
	return Figure{
		Name: "heartbeats_s", Unit: "1/s", Goal: 10_000 / 30, More: true, Fsync: true, Once: true, Take: takeBeats,
		How: "heartbeats a second of 10,000 servers that one hub's code stores, each in a transaction with what it measured, in " +
			"this process by 16 at once, on a table with half an hour of history, while the history is rolled up; 10,000 servers send 333 a second",
	}
}

const (
	fleetSize   = 10_000
	beatsAtOnce = 16
	beatsEach   = 3 // heartbeats of each server in the run
)

func takeBeats(ctx context.Context, s *Stage) (Run, error) {
	ids, err := s.fleet(ctx, s.count(fleetSize, 40))
	if err != nil {
		return Run{}, fmt.Errorf("prepare servers: %w", err)
	}
	rolled, err := s.rolled(ctx, func() error { return s.beatAll(ctx, ids) })
	if err != nil {
		return Run{}, err
	}
	n := beatsEach * len(ids)
	return Run{
		Value: float64(n) / rolled.took.Seconds(),
		N:     n,
		Note:  fmt.Sprintf("%d coarser rows were made meanwhile", rolled.made),
	}, nil
}

// beatAll stores the heartbeats of all servers, round by round.
func (s *Stage) beatAll(ctx context.Context, ids []server.ID) error {
	store := &db.Servers{DB: s.db}
	in, out := int64(120_000), int64(45_000)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(beatsAtOnce)
	for i := range beatsEach * len(ids) {
		g.Go(func() error {
			cpu := float64(i%100) / 100
			_, err := store.Beat(ctx, ids[i%len(ids)], wire.Heartbeat{
				Time: time.Now().UTC(), AgentdVersion: "bench", CPU: &cpu, Cores: 4, MemTotal: 8 << 30, MemFree: 3 << 30,
				DiskTotal: 160 << 30, DiskFree: 90 << 30, NetIn: &in, NetOut: &out, Containers: &wire.Containers{Running: 6, Total: 7}, Model: "instant",
			}, time.Now().UTC())
			return err
		})
	}
	return g.Wait()
}

// roll is what a pass over the history did while something else ran, and how long that took.
type roll struct {
	took time.Duration
	made int64
}

// rolled runs fn while the history is rolled up again and again, as a hub's worker does each minute.
func (s *Stage) rolled(ctx context.Context, fn func() error) (r roll, err error) {
	history := &db.History{DB: s.db}
	var ended atomic.Bool
	var g errgroup.Group
	g.Go(func() error {
		for !ended.Load() {
			n, _, err := history.Roll(ctx, time.Now().UTC())
			if r.made += n; err != nil {
				return err
			}
			if n == 0 {
				return nil // there is nothing left to do in the time of the run
			}
		}
		return nil
	})
	began := time.Now()
	err = fn()
	r.took = time.Since(began)
	ended.Store(true)
	if e := g.Wait(); err == nil {
		err = e
	}
	return r, err
}

// fleet registers servers, each of a customer of its own, and gives them half an hour of heartbeats.
func (s *Stage) fleet(ctx context.Context, n int) ([]server.ID, error) {
	ids := make([]server.ID, n)
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(beatsAtOnce)
	for i := range ids {
		g.Go(func() (err error) {
			ids[i], err = s.registered(within)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	texts := make([]string, n)
	for i, id := range ids {
		texts[i] = string(id)
	}
	_, err := s.db.Pool.Exec(ctx, `INSERT INTO server_history (server_id, step, at, cpu, mem, disk, net_in, net_out, containers)
		SELECT id, 0, at, 0.3, 0.6, 0.4, 1000, 500, 6
		FROM generate_series(now() - interval '30 minutes', now() - interval '1 minute', interval '30 seconds') AS at, servers
		WHERE id = ANY($1::uuid[]) ORDER BY at`, texts)
	return ids, err
}

// registered is a server of a customer of its own, with keys.
func (s *Stage) registered(ctx context.Context) (server.ID, error) {
	o, err := s.customer(ctx)
	if err != nil {
		return "", err
	}
	id, token, err := s.server(ctx, o)
	if err != nil {
		return "", err
	}
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		return "", err
	}
	seal, _, err := wire.NewSealKey()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(token))
	_, err = (&db.Servers{DB: s.db}).Register(ctx, hash[:], server.Keys{
		Public: base64.RawURLEncoding.EncodeToString(public), KeyID: wire.KeyID(public), Seal: seal, AgentdVersion: "bench",
	}, time.Now().UTC())
	return id, err
}
