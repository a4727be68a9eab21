package providers

import (
	"context"
	"time"
)

// Check is what came back when a provider was asked whether it answers.
type Check struct {
	Provider string
	At       time.Time
	By       string
	OK       bool
	Said     string // in words for people
}

// CheckStore keeps the last check of each provider; db.ProviderChecks does.
type CheckStore interface {
	// Checks are those that were made, by provider.
	Checks(ctx context.Context) (map[string]Check, error)
	// Used counts the servers that each provider runs now.
	Used(ctx context.Context) (map[string]int, error)
	// PoolFree counts the machines of our own that orders may take.
	PoolFree(ctx context.Context) (int, error)
	// Keep keeps a check instead of the one before it.
	Keep(ctx context.Context, c Check) error
}
