package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"gatehouse/app/staff"
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
		`value="45"`, "From 30 minutes to 45 minutes, by admin@example.com", "Slow.", "Reset to default", "First reminder",
		"Sign-in and safety",
	}, []string{"⟦"})
	h.wants(t, http.StatusSeeOther, h.admin, at, "act", "undo", field+"reason", "Fast again.")
	_, text = h.get(t, h.admin, "/admin/settings?q=promised")
	holds(t, "taken back", text, []string{`value="30"`, "From 45 minutes back to the default 30 minutes"}, []string{"First reminder"})
	h.wants(t, http.StatusSeeOther, h.admin, at, field+"value", "50", field+"reason", "Slow.")
	h.wants(t, http.StatusSeeOther, h.admin, at, "act", "reset", field+"reason", "As it comes.")
	h.wants(t, http.StatusConflict, h.admin, at, "act", "reset", field+"reason", "As it comes.")
	_, text = h.get(t, h.admin, "/admin/settings?q=nothing+of+that+kind")
	holds(t, "nothing found", text, []string{"Nothing matches"}, nil)
	_, text = h.get(t, h.admin, "/admin/settings?of=security")
	holds(t, "one category", text, []string{"Staff signed out when idle", "From 5 to 30"}, []string{"Promised set-up time"})
	_, german := h.get(t, h.admin, "/admin/settings", "Accept-Language", "de")
	holds(t, "in German", german, []string{"Einstellungen"}, []string{"⟦"})
	h.wants(t, http.StatusNotFound, h.admin, "/admin/settings/x", field+"value", "1")
}

// TestSettings_safe: a secret is never shown again, and what keeps people out is changed after a fresh sign-in alone, within its bounds.
func TestSettings_safe(t *testing.T) {
	t.Parallel()
	h := start(t)
	const at, field, secret = "/admin/settings/mail.password", "setting-mail-password-", "swordfish-of-the-test"
	h.wants(t, http.StatusSeeOther, h.admin, at, field+"value", secret, field+"reason", "A new server.")
	_, text := h.get(t, h.admin, "/admin/settings?of=mail")
	holds(t, "a secret", text, []string{"From Not set to Set", `type="password"`}, []string{secret})
	text = h.wants(t, http.StatusUnprocessableEntity, h.admin, at, field+"value", secret, field+"reason", "")
	if strings.Contains(text, secret) {
		t.Error("a secret that was not taken is shown")
	}
	const idle = "setting-security-staff_idle_minutes-"
	const staffIdle = "/admin/settings/security.staff_idle_minutes"
	h.wants(t, http.StatusUnprocessableEntity, h.admin, staffIdle, idle+"value", "31", idle+"reason", "why")
	boss, _ := h.joined(t, "boss@example.com", staff.Owner)
	old := h.stale(t, boss)
	text = h.wants(t, http.StatusSeeOther, old, staffIdle, idle+"value", "20", idle+"reason", "why")
	text += h.wants(t, http.StatusSeeOther, old, at, field+"value", "x", field+"reason", "why")
	_, after := h.get(t, h.admin, "/admin/settings?of=security")
	if strings.Count(text, "again=1") != 2 || strings.Contains(after, "From 30 minutes") {
		t.Errorf("changed without a fresh sign-in: %s", text)
	}
}
