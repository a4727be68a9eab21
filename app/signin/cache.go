package signin

import (
	"context"
	"slices"
	"sync"
	"time"

	"gatehouse/app/audit"
)

// cacheLife is how long a sign-in that was just read is believed. What this process ends is forgotten at once; what
// another one ends, or the database itself, opens nothing more after this.
const cacheLife = 500 * time.Millisecond

// cacheMax bounds the memory under a flood.
const cacheMax = 10_000

// Cache spares a Store the reading of one sign-in again and again while a page and its parts load.
type Cache struct {
	Store
	Now func() time.Time

	mu    sync.Mutex
	known map[string]cached // by hash
	turn  int               // counts what was forgotten: an answer that was asked for before is not kept
}

type cached struct {
	signin Signin
	person Person
	read   time.Time
}

// Find answers from memory what was read a moment ago. A refusal is never kept.
func (c *Cache) Find(ctx context.Context, hash []byte) (Signin, Person, error) {
	if e, ok := c.get(hash); ok {
		return e.signin, e.person, nil
	}
	turn, read := c.now()
	s, p, err := c.Store.Find(ctx, hash)
	if err == nil {
		c.put(hash, cached{s, p, read}, turn)
	}
	return s, p, err
}

// Replace forgets the old sign-in.
func (c *Cache) Replace(ctx context.Context, old, hash []byte, s Signin) error {
	defer c.forget(func(k string, _ cached) bool { return k == string(old) })
	return c.Store.Replace(ctx, old, hash, s)
}

// Touch forgets the sign-in, so that the next read tells when it was used.
func (c *Cache) Touch(ctx context.Context, id string, seen time.Time) error {
	defer c.Forget(id)
	return c.Store.Touch(ctx, id, seen)
}

// End forgets the sign-in.
func (c *Cache) End(ctx context.Context, id string) error {
	defer c.Forget(id)
	return c.Store.End(ctx, id)
}

// EndOthers forgets what was ended.
func (c *Cache) EndOthers(ctx context.Context, of Subject, keep string) ([]string, error) {
	ids, err := c.Store.EndOthers(ctx, of, keep)
	c.forget(func(_ string, e cached) bool { return slices.Contains(ids, e.signin.ID) })
	return ids, err
}

// EndOnRecord forgets what was ended.
func (c *Cache) EndOnRecord(ctx context.Context, of Subject, which Which, e audit.Entry) ([]string, error) {
	ids, err := c.Store.EndOnRecord(ctx, of, which, e)
	c.forget(func(_ string, e cached) bool { return slices.Contains(ids, e.signin.ID) })
	return ids, err
}

// Forget lets a sign-in be read anew, with its person.
func (c *Cache) Forget(id string) {
	c.forget(func(_ string, e cached) bool { return e.signin.ID == id })
}

// ForgetOf lets every sign-in of somebody be read anew.
func (c *Cache) ForgetOf(who Subject) {
	c.forget(func(_ string, e cached) bool { return e.signin.Subject == who })
}

func (c *Cache) get(hash []byte) (cached, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[string(hash)]
	return e, ok && c.Now().Sub(e.read).Abs() < cacheLife
}

// now is the moment before a question is asked.
func (c *Cache) now() (turn int, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turn, c.Now()
}

func (c *Cache) put(hash []byte, e cached, turn int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if turn != c.turn {
		return
	}
	if c.known == nil || len(c.known) >= cacheMax {
		c.known = map[string]cached{}
	}
	c.known[string(hash)] = e
}

func (c *Cache) forget(which func(hash string, e cached) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	for k, e := range c.known {
		if which(k, e) {
			delete(c.known, k)
		}
	}
}
