package receipt_test

import (
	"fmt"
	"testing"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// TestFlagged lists what was noticed, newest first and page by page, and nothing else.
func TestFlagged(t *testing.T) {
	t.Parallel()
	w := open(t, 0)
	for i := range 7 {
		body := map[string]any{"summary": fmt.Sprintf("read %d", i)}
		if i%2 == 0 {
			body["outside"], body["flagged"] = []wire.TaintSource{{Source: "mail", ID: "m1"}}, []string{"override"}
		}
		w.add(t, receipt.Entry{Type: "call.finished", Tool: "http_request", Body: body})
	}
	first, err := w.Flagged(t.Context(), wire.FlaggedParams{Limit: 3})
	if err != nil || len(first.Items) != 3 || first.Next == 0 || first.Items[0].Summary != "read 6" || first.Items[0].Sources[0].Source != "mail" {
		t.Fatalf("%+v, %v", first, err)
	}
	rest, err := w.Flagged(t.Context(), wire.FlaggedParams{Limit: 3, After: first.Next})
	if err != nil || len(rest.Items) != 1 || rest.Next != 0 || rest.Items[0].Summary != "read 0" || rest.Items[0].Patterns[0] != "override" {
		t.Errorf("%+v, %v", rest, err)
	}
}
