package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gatehouse/agentd/wire"
)

// Heartbeat stores a heartbeat that came over the link of server id. Pages hear of it when the state changed or anything
// that they show of a server at once.
func (s *Service) Heartbeat(ctx context.Context, id ID, b wire.Heartbeat) error {
	was, err := s.Store.Beat(ctx, id, b, s.Now().UTC())
	if err != nil {
		return fmt.Errorf("heartbeat of %s: %w", id, err)
	}
	if was.State != Online || shownDiffers(was.Beat, b) {
		s.Notify.ServerChanged(ctx, was.CustomerID, id)
	}
	return nil
}

func shownDiffers(was *wire.Heartbeat, b wire.Heartbeat) bool {
	if was == nil || !slices.EqualFunc(was.Paused, b.Paused, samePause) {
		return true
	}
	return was.ConfigVersion != b.ConfigVersion || was.Model != b.Model || was.ShellOff != b.ShellOff ||
		was.AgentdVersion != b.AgentdVersion
}

// samePause says that pages show both alike.
func samePause(a, b wire.AgentPause) bool {
	return a.Agent == b.Agent && a.Budget == b.Budget && a.Limit == b.Limit && a.Until.Equal(b.Until)
}

// Watch moves servers whose heartbeats stay away to degraded and then offline, and returns those that it moved. One that
// cannot be moved does not keep the others from being looked at.
func (s *Service) Watch(ctx context.Context) ([]Server, error) {
	now, missed := s.Now().UTC(), s.missed()
	quiet, err := s.Store.Quiet(ctx, now.Add(-after(missed.degraded)))
	if err != nil {
		return nil, fmt.Errorf("watch heartbeats: %w", err)
	}
	var moved []Server
	var errs []error
	for _, srv := range quiet {
		to := missed.stateAt(srv.BeatAt, now)
		if to == srv.State {
			continue
		}
		ok, err := s.Store.SetState(ctx, srv.ID, srv.State, to, srv.BeatAt)
		if err != nil {
			errs = append(errs, fmt.Errorf("watch heartbeats: %s: %w", srv.ID, err))
		}
		if ok {
			srv.State = to
			moved = append(moved, srv)
			s.Notify.ServerChanged(ctx, srv.CustomerID, srv.ID)
		}
	}
	return moved, errors.Join(errs...)
}
