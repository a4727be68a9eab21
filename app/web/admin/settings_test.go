package admin_test

import (
	"net/http"
	"testing"
)

// TestSettings: an admin changes a setting with a reason, reads its history and takes it back; what does not fit is said beside it, and
// what was typed stays.
func TestSettings(t *testing.T) {
	t.Parallel()
	h := start(t)
	const at, field = "/admin/settings/orders.promised_minutes", "setting-orders-promised_minutes-"
	if status, _ := h.get(t, h.manager, "/admin/settings"); status != http.StatusForbidden {
		t.Errorf("a manager sees the settings: %d", status)
	}
	text := h.wants(t, http.StatusUnprocessableEntity, h.admin, at, field+"value", "0", field+"reason", "Slow.")
	holds(t, "too little", text, []string{"from 5 to 1440", `value="0"`, `value="Slow."`}, []string{"⟦"})
	text = h.wants(t, http.StatusUnprocessableEntity, h.admin, at, field+"value", "", field+"reason", "")
	holds(t, "nothing typed", text, []string{"from 5 to 1440"}, nil)
	h.wants(t, http.StatusSeeOther, h.admin, at, field+"value", "45", field+"reason", "Slow.")
	_, text = h.get(t, h.admin, "/admin/settings")
	holds(t, "changed", text, []string{
		`value="45"`, "From 30 to 45, by admin@example.com", "Slow.", "Reset to 30", "First reminder",
	}, []string{"⟦"})
	h.wants(t, http.StatusSeeOther, h.admin, at, "back", "30", field+"value", "45", field+"reason", "Fast again.")
	_, text = h.get(t, h.admin, "/admin/settings?q=promised")
	holds(t, "taken back", text, []string{`value="30"`, "From 45 to 30"}, []string{"First reminder"})
	h.wants(t, http.StatusSeeOther, h.admin, at, "act", "reset", field+"reason", "As it comes.")
	_, text = h.get(t, h.admin, "/admin/settings?q=nothing+of+that+kind")
	holds(t, "nothing found", text, []string{"Nothing matches"}, nil)
	_, german := h.get(t, h.admin, "/admin/settings", "Accept-Language", "de")
	holds(t, "in German", german, []string{"Einstellungen"}, []string{"⟦"})
	h.wants(t, http.StatusNotFound, h.admin, "/admin/settings/x", field+"value", "1")
}
