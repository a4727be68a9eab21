package receipt_test

import (
	"testing"

	"gatehouse/agentd/receipt"
)

// TestIndexed_besideWrites: the index is looked at while records come, as it is after a start that takes up a run. What
// comes in the middle is no damage.
func TestIndexed_besideWrites(t *testing.T) {
	t.Parallel()
	w := open(t, 300)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for range 300 {
			w.add(t, receipt.Entry{Type: "call.started", RunID: "run-a", CallID: "c", Tool: "shell", Tier: "green"})
		}
	}()
	for looks := 0; ; looks++ {
		if err := receipt.Indexed(t.Context(), w.db.Read()); err != nil {
			<-written
			t.Fatalf("look %d: %v", looks, err)
		}
		select {
		case <-written:
			return
		default:
		}
	}
}
