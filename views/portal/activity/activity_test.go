package activity

import (
	"slices"
	"strings"
	"testing"

	"gatehouse/views/ui"
)

// TestToolChoices: the filter offers what the tools do, and keeps a choice that it does not offer.
func TestToolChoices(t *testing.T) {
	t.Parallel()
	offered := toolChoices(t.Context(), Props{Tool: "file_delete"})
	if !slices.Contains(offered, Choice{"file_delete", "Delete files"}) || len(offered) != len(ui.Tools(t.Context()))+1 {
		t.Errorf("offered are %v", offered)
	}
	for _, c := range offered {
		if strings.Contains(c.Label, "_") {
			t.Errorf("%s is offered as %q", c.Value, c.Label)
		}
	}
	if all := toolChoices(t.Context(), Props{Tool: "shop_orders"}); all[len(all)-1] != (Choice{"shop_orders", "shop_orders"}) {
		t.Errorf("what was chosen is lost: %v", all)
	}
}
