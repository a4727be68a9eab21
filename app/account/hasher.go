package account

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
)

// Hasher makes and checks password hashes, only so many at once that a flood of sign-ins cannot fill the memory.
type Hasher struct {
	cost  *argon2id.Params // of the hashes it makes; a check costs what its hash says
	slots chan struct{}
	dummy func() string
}

// NewHasher makes a Hasher that works on at most as many passwords at once as there are processors, and two at least. Each costs
// 19 MB and two passes.
func NewHasher() *Hasher { return HasherOf(19*1024, 2) }

// HasherOf is a Hasher whose hashes take that much memory, in KiB, and that many passes over it. What is shipped takes NewHasher.
func HasherOf(memory, passes uint32) *Hasher {
	cost := &argon2id.Params{Memory: memory, Iterations: passes, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	return &Hasher{
		cost:  cost,
		slots: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
		dummy: sync.OnceValue(func() string {
			hash, err := argon2id.CreateHash(newSecret(), cost)
			if err != nil {
				panic("argon2id with fixed parameters: " + err.Error())
			}
			return hash
		}),
	}
}

// Hash makes the hash of a password.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	done, err := h.take(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	hash, err := argon2id.CreateHash(password, h.cost)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// Check answers ErrWrong unless password is the one behind hash.
func (h *Hasher) Check(ctx context.Context, password, hash string) error {
	done, err := h.take(ctx)
	if err != nil {
		return err
	}
	defer done()
	if utf8.RuneCountInString(password) > maxPassword {
		password = "" // the same work, for a password that cannot be right
	}
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return fmt.Errorf("check password: %w", err)
	}
	if !ok {
		return ErrWrong
	}
	return nil
}

// Dummy is the hash of a password that nobody knows: checking against it costs what any check costs.
func (h *Hasher) Dummy() string { return h.dummy() }

func (h *Hasher) take(ctx context.Context) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("wait for a password check: %w", err)
	}
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a password check: %w", ctx.Err())
	}
}
