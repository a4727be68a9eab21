package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/cmd/hub/rig"
)

func thousandLinks() Figure {
	return Figure{
		Name: "hub_1000_links_1000_streams_rss_mb", Unit: "MB", Goal: 512, Once: true, Take: takeLinks,
		How: "most resident memory of a fresh hub that holds links of 1,000 servers of 1,000 customers (real handshakes, keys and heartbeats, an event a second each) and an open /app/stream of each customer",
	}
}

func takeLinks(ctx context.Context, shared *Stage) (run Run, err error) {
	s, err := openStage(ctx, shared.bench, filepath.Dir(shared.dir))
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	n := s.count(1000, 20)
	var note string
	most, err := peak(ctx, s.hub.PID(), func(ctx context.Context) (err error) {
		note, err = s.holdLinks(ctx, n)
		return err
	})
	return Run{Value: most, N: n, Note: note}, err
}

// holding is how long all links and streams are open together before they end.
const holding = 15 * time.Second

// holdLinks opens n links and n streams, waits until every stream has heard of its server, and holds them.
func (s *Stage) holdLinks(ctx context.Context, n int) (note string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pairs, err := s.pairs(ctx, n)
	if err != nil {
		return "", fmt.Errorf("prepare servers: %w", err)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	var linked, hearing, heard atomic.Int64
	failed := make(chan error, 2*n)
	for _, p := range pairs {
		wg.Go(func() { p.link(ctx, s.hub, &linked, failed) })
		wg.Go(func() { p.stream(ctx, s.hub.Addr, &hearing, &heard, failed) })
	}
	up, done := context.WithTimeout(ctx, 2*answerLimit)
	defer done()
	if !rig.Until(up, func() bool { return len(failed) > 0 || linked.Load() == int64(n) && hearing.Load() == int64(n) }) {
		return "", fmt.Errorf("%d links and %d streams of %d came up", linked.Load(), hearing.Load(), n)
	}
	hold := time.NewTimer(time.Duration(s.count(int(holding/time.Second), 1)) * time.Second)
	defer hold.Stop()
	select {
	case err := <-failed:
		return "", err
	case <-ctx.Done():
		return "", ctx.Err()
	case <-hold.C:
	}
	return fmt.Sprintf("all held for %s, %d events reached the streams", holding, heard.Load()), nil
}

// pairs makes customers with a registered server and a signed-in person.
func (s *Stage) pairs(ctx context.Context, n int) ([]*pair, error) {
	all := make([]*pair, n)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i := range all {
		g.Go(func() (err error) {
			all[i], err = s.pair(ctx)
			return err
		})
	}
	return all, g.Wait()
}
