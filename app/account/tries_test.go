package account_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/app/account"
)

func TestTries_Take(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	tries := account.NewTries(3, time.Minute, func() time.Time { return now })
	for i := range 3 {
		if !tries.Take("sign-in", "a") {
			t.Fatalf("try %d was refused", i+1)
		}
	}
	if tries.Take("sign-in", "a") {
		t.Error("a fourth try went through")
	}
	if !tries.Take("sign-in", "b") || !tries.Take("reset", "a") {
		t.Error("somebody else, or something else, was refused with it")
	}
	now = now.Add(time.Minute)
	if !tries.Take("sign-in", "a") {
		t.Error("refused a minute later")
	}
}

// TestHasher_cost: a password that was stolen with its hash is dear to guess.
func TestHasher_cost(t *testing.T) {
	t.Parallel()
	h := account.NewHasher()
	hash, err := h.Hash(t.Context(), "three quiet bakers at dawn")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{hash, h.Dummy()} {
		if !strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("a hash costs %s", one)
		}
	}
}

// TestHasher_flood floods the hasher and looks at the memory: each check needs 19 MB while it runs.
func TestHasher_flood(t *testing.T) {
	h := account.NewHasher()
	hash := h.Dummy()
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			if err := h.Check(context.Background(), "wrong", hash); err == nil {
				t.Error("a wrong password was right")
			}
		})
	}
	all.Wait()
	runtime.ReadMemStats(&during)
	if grown := int64(during.Sys) - int64(before.Sys); grown > 256<<20 {
		t.Errorf("60 checks at once took %d MB from the machine", grown>>20)
	}
}

// TestHasher_longest: whoever has the longest password signs in with it, whatever its letters.
func TestHasher_longest(t *testing.T) {
	t.Parallel()
	h := account.NewHasher()
	longest := strings.Repeat("äöüßéèêñ", 32)
	hash, err := h.Hash(t.Context(), longest)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Check(t.Context(), longest, hash); err != nil {
		t.Error(err)
	}
}

func TestHasher_waitsNoLongerThanItsCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := account.NewHasher()
	if err := h.Check(ctx, "wrong", h.Dummy()); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who had left was served: %v", err)
	}
}

// TestTries_most: fewer tries than usual hold at once, and more never do.
func TestTries_most(t *testing.T) {
	t.Parallel()
	most := 2
	tries := account.NewTries(3, time.Minute, time.Now)
	tries.Most = func() int { return most }
	took := func(who string) (n int) {
		for n < 10 && tries.Take("sign-in", who) {
			n++
		}
		return n
	}
	if got := took("a"); got != 2 {
		t.Errorf("%d tries, want 2", got)
	}
	most = 100
	if got := took("b"); got != 3 {
		t.Errorf("%d tries, want 3", got)
	}
}
