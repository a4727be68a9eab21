package policy_test

import (
	"sync"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/seeded"
)

// TestShell_atOnce: many calls are judged at the same time, each as if it were alone. One of ten commands is judged by all at
// once, in the long run (GATEHOUSE_SOAK) every one.
func TestShell_atOnce(t *testing.T) {
	t.Parallel()
	lines := seeded.Sample(corpus(t, "shell_harmless.txt"), 10)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				for _, line := range lines {
					if c := policy.Shell(line, env); c.Tier != policy.Green {
						t.Errorf("%q is %s: %s", line, c.Tier, c.Why)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}
