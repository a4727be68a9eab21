package payment

import (
	"context"
	"fmt"
	"time"
)

// missedFor is how long an invoice waits for its job before that is queued anew.
const missedFor = time.Hour

// CollectMissed has invoices collected whose job is gone: it gave up while the provider or its key was away. It says how many.
func (s *Service) CollectMissed(ctx context.Context) (int, error) {
	n, err := s.Store.CollectMissed(ctx, s.Now().UTC().Add(-missedFor))
	if err != nil {
		return 0, fmt.Errorf("invoices that nobody collects: %w", err)
	}
	return n, nil
}
