package e2e

import (
	"context"
	"testing"
	"time"

	"gatehouse/cmd/hub/rig"
)

// WaitLimit is how long a test waits for what must happen, on a machine that others keep busy. A secret on a page is hidden
// after half of it.
const WaitLimit = time.Minute

// Until waits until cond holds; what says what was waited for.
func Until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), WaitLimit)
	defer cancel()
	if !rig.Until(ctx, cond) {
		t.Fatalf("not within %s: %s", WaitLimit, what)
	}
}
