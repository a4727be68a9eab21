package receipt_test

import (
	"fmt"
	"strings"
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

// TestFlagged_hook: what was noticed in what came to a hook, or in what an event told of, is listed too, with its source, by the index;
// and the run that it began counts as one that read it.
func TestFlagged_hook(t *testing.T) {
	t.Parallel()
	w := open(t, 0)
	for kind, source := range map[string]string{"hook.accepted": "Hook orders", "event.began": "Rule orders"} {
		for run, flagged := range map[string][]string{kind + " 1": {"override"}, kind + " 2": nil} {
			w.add(t, receipt.Entry{Type: kind, RunID: run, Body: map[string]any{
				"name": "orders", "flagged": flagged, "taint": []wire.TaintSource{{Source: source, ID: run}},
			}})
		}
		for run, want := range map[string]bool{kind + " 1": true, kind + " 2": false} {
			if flagged, err := w.FlaggedRun(t.Context(), run); err != nil || flagged != want {
				t.Errorf("%s: %v, %v", run, flagged, err)
			}
		}
	}
	got, err := w.Flagged(t.Context(), wire.FlaggedParams{})
	if err != nil || len(got.Items) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, f := range got.Items {
		if f.Summary != f.Sources[0].Source || !strings.HasSuffix(f.RunID, " 1") || f.Patterns[0] != "override" {
			t.Errorf("%+v", f)
		}
	}
	var id, parent, unused int
	var plan string
	err = w.db.Read().QueryRowContext(t.Context(), `EXPLAIN QUERY PLAN SELECT seq FROM receipts WHERE `+receipt.Noticed+
		` ORDER BY seq DESC`).Scan(&id, &parent, &unused, &plan)
	if err != nil || !strings.Contains(plan, "receipts_flagged") {
		t.Errorf("%q, %v", plan, err)
	}
}
