package account

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse/app/audit"
)

// countedTokens counts how often it is asked; a token that is off is not found.
type countedTokens struct {
	TokenStore
	asked  int
	off    bool
	expire time.Time
	during func() // runs while a question is under way
}

var errOff = errors.New("no such token")

func (c *countedTokens) Bearer(context.Context, []byte, time.Time) (Bearer, error) {
	c.asked++
	if c.during != nil {
		c.during()
	}
	if c.off {
		return Bearer{}, errOff
	}
	return Bearer{Token: Token{ID: "t", ExpiresAt: c.expire}}, nil
}

func (c *countedTokens) Revoke(context.Context, CustomerID, string, audit.Entry) error {
	c.off = true
	return nil
}

func TestTokenCache(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	ask := func(t *testing.T, c *TokenCache, at time.Duration, want error) {
		t.Helper()
		if _, err := c.Bearer(t.Context(), []byte("h"), now.Add(at)); !errors.Is(err, want) {
			t.Fatalf("after %s: %v, want %v", at, err, want)
		}
	}
	for situation, c := range map[string]struct {
		store countedTokens
		play  func(*testing.T, *TokenCache, *countedTokens)
		asked int
	}{
		"one after the other": {play: func(t *testing.T, c *TokenCache, _ *countedTokens) {
			ask(t, c, 0, nil)
			ask(t, c, tokenLife-1, nil)
		}, asked: 1},
		"later": {play: func(t *testing.T, c *TokenCache, _ *countedTokens) {
			ask(t, c, 0, nil)
			ask(t, c, tokenLife, nil)
		}, asked: 2},
		"a refusal is not kept": {store: countedTokens{off: true}, play: func(t *testing.T, c *TokenCache, s *countedTokens) {
			ask(t, c, 0, errOff)
			s.off = false
			ask(t, c, 0, nil)
		}, asked: 2},
		"revoked here": {play: func(t *testing.T, c *TokenCache, _ *countedTokens) {
			ask(t, c, 0, nil)
			if err := c.Revoke(t.Context(), "c", "t", audit.Entry{}); err != nil {
				t.Fatal(err)
			}
			ask(t, c, 1, errOff)
		}, asked: 2},
		"revoked while it was read": {play: func(t *testing.T, c *TokenCache, s *countedTokens) {
			s.during = func() { _ = c.Revoke(t.Context(), "c", "t", audit.Entry{}); s.off = false }
			ask(t, c, 0, nil)
			s.during, s.off = nil, true
			ask(t, c, 1, errOff)
		}, asked: 2},
		"ran out meanwhile": {store: countedTokens{expire: now.Add(100 * time.Millisecond)}, play: func(t *testing.T, c *TokenCache, s *countedTokens) {
			ask(t, c, 0, nil)
			s.off = true
			ask(t, c, 100*time.Millisecond, errOff)
		}, asked: 2},
	} {
		t.Run(situation, func(t *testing.T) {
			t.Parallel()
			s := c.store
			c.play(t, &TokenCache{TokenStore: &s}, &s)
			if s.asked != c.asked {
				t.Errorf("the store was asked %d times, want %d", s.asked, c.asked)
			}
		})
	}
}
