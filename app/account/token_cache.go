package account

import (
	"context"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/recent"
)

// tokenLife is how long a token that was just read is believed. What this process revokes is forgotten at once; what
// another one revokes, or a new password ends, opens nothing more after this.
const tokenLife = 500 * time.Millisecond

// TokenCache spares a TokenStore the reading of one token again and again while a program asks one thing after another.
type TokenCache struct {
	TokenStore

	known recent.Answers[string, Bearer] // by hash
}

// Bearer answers from memory what was read a moment ago. A refusal is never kept, and a token that has run out since is
// read again.
func (c *TokenCache) Bearer(ctx context.Context, hash []byte, now time.Time) (Bearer, error) {
	ask := func() (Bearer, error) { return c.TokenStore.Bearer(ctx, hash, now) }
	b, err := c.known.Read(string(hash), tokenLife, now, ask)
	if end := b.Token.ExpiresAt; err == nil && !end.IsZero() && !now.Before(end) {
		return ask()
	}
	return b, err
}

// Revoke forgets every token: it happens seldom.
func (c *TokenCache) Revoke(ctx context.Context, of CustomerID, id string, e audit.Entry) error {
	defer c.known.Forget()
	return c.TokenStore.Revoke(ctx, of, id, e)
}

// RevokeStaff forgets every token, as Revoke does.
func (c *TokenCache) RevokeStaff(ctx context.Context, id string, e audit.Entry) error {
	defer c.known.Forget()
	return c.TokenStore.RevokeStaff(ctx, id, e)
}
