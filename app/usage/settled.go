package usage

import (
	"context"

	"gatehouse/app/server"
)

// Settled says whether a server has reported all that it used. One that is away cannot say: that is an error.
func (s *Service) Settled(ctx context.Context, id server.ID) (bool, error) {
	to := s.Now().UTC().Truncate(day)
	has, err := s.ask(ctx, id, to.Add(-day), to)
	return err == nil && !has.Waiting, err
}
