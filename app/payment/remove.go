package payment

import (
	"context"
	"errors"
	"fmt"
)

// removedAtOnce is how many customers are deleted at the provider in one go.
const removedAtOnce = 20

// RemoveLeft deletes customers at the provider who were erased here, with the means of payment that are on file there. It says how
// many. Their last invoice was settled before; payments stay at the provider for as long as the law asks it to keep them.
func (s *Service) RemoveLeft(ctx context.Context) (n int, err error) {
	if !s.Provider.Ready() {
		return 0, nil
	}
	ids, err := s.Store.PayersLeft(ctx, removedAtOnce)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, id := range ids {
		if err := s.Provider.RemovePayer(ctx, id); errors.Is(err, ErrAway) {
			return n, errors.Join(append(errs, err)...)
		} else if err != nil {
			errs = append(errs, fmt.Errorf("remove payer: %w", err)) // the others are removed all the same
			continue
		}
		if err := s.Store.PayerRemoved(ctx, id, s.Now().UTC()); err != nil {
			return n, err
		}
		n++
	}
	return n, errors.Join(errs...)
}
