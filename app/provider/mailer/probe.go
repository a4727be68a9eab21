package mailer

import (
	"context"
	"fmt"
)

// Probe goes as far as a letter would: it connects, changes to TLS and signs in, and then leaves without sending anything.
func (s *SMTP) Probe(ctx context.Context) error {
	client, err := s.client()
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := client.DialWithContext(ctx); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := client.Close(); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	return nil
}
