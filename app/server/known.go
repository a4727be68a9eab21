package server

import (
	"context"
	"sync"
	"time"

	"gatehouse/app/account"
)

// knownLife is how long it is believed which server a customer has. A question that goes to a server that was revoked a
// moment ago finds no link: nothing is answered from there, and the next one goes to the new server.
const knownLife = 500 * time.Millisecond

// knownKept bounds the memory.
const knownKept = 10_000

// Known is a Finder for questions, which come one after the other: it spares the database the same answer again and
// again. What must reach the right server in the end, as a message that waits for it, asks the Finder itself.
type Known struct {
	Finder Finder
	Now    func() time.Time

	mu  sync.Mutex
	ids map[account.CustomerID]found
}

type found struct {
	id   ID
	read time.Time
}

// ServerOf answers from memory what was read a moment ago. That there is no server is never kept.
func (k *Known) ServerOf(ctx context.Context, of account.CustomerID) (ID, error) {
	now := k.Now()
	if id, ok := k.get(of, now); ok {
		return id, nil
	}
	id, err := k.Finder.ServerOf(ctx, of)
	if err == nil {
		k.put(of, found{id, now})
	}
	return id, err
}

func (k *Known) get(of account.CustomerID, now time.Time) (ID, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.ids[of]
	return f.id, ok && now.Sub(f.read).Abs() < knownLife
}

func (k *Known) put(of account.CustomerID, f found) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ids == nil || len(k.ids) >= knownKept {
		k.ids = map[account.CustomerID]found{}
	}
	k.ids[of] = f
}
