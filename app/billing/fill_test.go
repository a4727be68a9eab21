package billing

import (
	"testing"
	"time"
)

// TestFill: a pool is low from 80 % on and empty when hardly a call fits, and is looked at the sooner the nearer it is to that.
func TestFill(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		drawn, pool int64
		told        int
		wait        time.Duration
	}{
		"nothing used":         {0, 15_000_000, 0, 15 * time.Minute},
		"a fifth":              {3_000_000, 15_000_000, 0, 15 * time.Minute},
		"ten percent to go":    {10_500_000, 15_000_000, 0, 2 * time.Minute},
		"just below":           {11_999_999, 15_000_000, 0, time.Minute},
		"low":                  {12_000_000, 15_000_000, PoolLow, 5 * time.Minute},
		"nearly a call left":   {14_949_999, 15_000_000, PoolLow, time.Minute},
		"hardly a call":        {14_950_000, 15_000_000, PoolEmpty, 15 * time.Minute},
		"beyond":               {20_000_000, 15_000_000, PoolEmpty, 15 * time.Minute},
		"a small one, low":     {979, 1000, PoolLow, time.Minute},
		"a small one, empty":   {980, 1000, PoolEmpty, 15 * time.Minute},
		"no pool at all":       {500, 0, 0, 15 * time.Minute},
		"the largest there is": {1 << 53, 1 << 55, 0, 15 * time.Minute},
	} {
		f := Fill{Drawn: c.drawn, Pool: c.pool, At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
		if got := f.Told(); got != c.told {
			t.Errorf("%s: told at %d %%, want %d", name, got, c.told)
		}
		if got := f.Again().Sub(f.At); got != c.wait {
			t.Errorf("%s: looked at again after %s, want %s", name, got, c.wait)
		}
	}
}
