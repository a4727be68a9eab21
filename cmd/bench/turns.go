package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// sessions is how many conversations go on at once.
const sessions = 50

// perSession is how many turns a conversation has before the next begins: history grows the prompt, as it does for
// people, but not without end.
const perSession = 5

func turns() Figure {
	return Figure{
		Name: "turns_per_s_50_sessions", Unit: "1/s", Goal: 300, More: true, Fsync: true, Take: takeTurns,
		How: "50 conversations at once through the whole hub, each turn: message, model, one file_list through the gate, model, answer read from the stream",
	}
}

func takeTurns(ctx context.Context, s *Stage) (Run, error) {
	if _, err := s.talk(ctx, sessions); err != nil { // warms up
		return Run{}, err
	}
	agentd, err := s.agentdPID()
	if err != nil {
		return Run{}, err
	}
	used := func() (hub, agent time.Duration, err error) {
		hub, err = cpu(s.hub.PID())
		if err == nil {
			agent, err = cpu(agentd)
		}
		return hub, agent, err
	}
	hub, agent, err := used()
	if err != nil {
		return Run{}, err
	}
	n := s.count(1000, 50)
	took, err := s.talk(ctx, n)
	if err != nil {
		return Run{}, err
	}
	hubAfter, agentAfter, err := used()
	each := func(d time.Duration) float64 { return ms(d) / float64(n) }
	note := fmt.Sprintf("processor time a turn: hub %.1f ms, agentd %.1f ms", each(hubAfter-hub), each(agentAfter-agent))
	return Run{Value: float64(n) / took.Seconds(), N: n, Note: note}, err
}

// talk has n turns over 50 conversations and says how long that took.
func (s *Stage) talk(ctx context.Context, n int) (time.Duration, error) {
	var left atomic.Int64
	left.Store(int64(n))
	start := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	for range sessions {
		g.Go(func() error { return s.converse(ctx, &left) })
	}
	err := g.Wait()
	return time.Since(start), err
}

// converse has turns for as long as some are left.
func (s *Stage) converse(ctx context.Context, left *atomic.Int64) error {
	t, err := s.talker(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	for i := 0; left.Add(-1) >= 0 && ctx.Err() == nil; i++ {
		if i%perSession == 0 {
			t.session = ""
		}
		if _, err := t.turn("it-admin", fmt.Sprintf("%s turn %d", askList, i), nil); err != nil {
			return errors.Join(err, ctx.Err())
		}
	}
	return nil
}
