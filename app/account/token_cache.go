package account

import (
	"context"
	"sync"
	"time"

	"gatehouse/app/audit"
)

// tokenLife is how long a token that was just read is believed. What this process revokes is forgotten at once; what
// another one revokes opens nothing more after this.
const tokenLife = 500 * time.Millisecond

// tokensKept bounds the memory under a flood.
const tokensKept = 10_000

// TokenCache spares a TokenStore the reading of one token again and again while a program asks one thing after another.
type TokenCache struct {
	TokenStore

	mu    sync.Mutex
	known map[string]keptToken // by hash
	turn  int                  // counts revocations: an answer that was asked for before one is not kept
}

type keptToken struct {
	bearer Bearer
	read   time.Time
}

// Bearer answers from memory what was read a moment ago. A refusal is never kept.
func (c *TokenCache) Bearer(ctx context.Context, hash []byte, now time.Time) (Bearer, error) {
	b, turn, ok := c.get(hash, now)
	if ok {
		return b, nil
	}
	b, err := c.TokenStore.Bearer(ctx, hash, now)
	if err == nil {
		c.put(hash, keptToken{b, now}, turn)
	}
	return b, err
}

// Revoke forgets every token: it happens seldom.
func (c *TokenCache) Revoke(ctx context.Context, of CustomerID, id string, e audit.Entry) error {
	defer c.forget()
	return c.TokenStore.Revoke(ctx, of, id, e)
}

func (c *TokenCache) get(hash []byte, now time.Time) (b Bearer, turn int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.known[string(hash)]
	end := k.bearer.Token.ExpiresAt
	fresh := now.Sub(k.read).Abs() < tokenLife && (end.IsZero() || now.Before(end))
	return k.bearer, c.turn, ok && fresh
}

func (c *TokenCache) put(hash []byte, k keptToken, turn int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if turn != c.turn {
		return
	}
	if c.known == nil || len(c.known) >= tokensKept {
		c.known = map[string]keptToken{}
	}
	c.known[string(hash)] = k
}

func (c *TokenCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	c.known = nil
}
