package envupdate_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/wire"
)

// TestUpdate_together: of changes of one file at the same time, each that says it was made is in the file afterwards.
func TestUpdate_together(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write("shop/.env", "A=1\n")
	for round := range 5 {
		var outs [6]gate.Outcome
		var wg sync.WaitGroup
		for i := range outs {
			wg.Go(func() { outs[i], _ = w.direct(update("shop/.env", fmt.Sprintf("K%d_%d", round, i), "x")) })
		}
		wg.Wait()
		made := 0
		for i, o := range outs {
			if o.State != wire.ToolDone {
				continue
			}
			made++
			if !strings.Contains(w.read("shop/.env"), fmt.Sprintf("K%d_%d=x", round, i)) {
				t.Errorf("round %d: change %d is lost", round, i)
			}
		}
		if made == 0 {
			t.Errorf("round %d: nothing was changed: %+v", round, outs[0])
		}
	}
}
