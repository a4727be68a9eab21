package agentd

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/schedule"
	"gatehouse/agentd/store/storetest"
)

// TestLooker_asks: a monitor whose call the rules would ask about does not look, says why, and leaves no approval; one that they let
// pass looks.
func TestLooker_asks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	storetest.Seed(t, filepath.Join(dir, "state"))
	w, err := gatetest.Open(dir, time.Now, &gatetest.Fake{Name: "read", Ledger: &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	look := func(tier string) (text, why string) {
		text, why, err := looker{&Daemon{gate: w.Gate}}.Look(t.Context(), schedule.Look{
			Agent: "secretary", Tool: "read", Title: "Disk", Level: 2, Args: json.RawMessage(`{"tier":"` + tier + `","key":"disk"}`),
			Taint: []policy.Source{{Source: "hook orders", ID: "1"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return text, why
	}
	if text, why := look("green"); text != "did disk" || why != "" {
		t.Errorf("%q, %q", text, why)
	}
	for range 3 {
		if text, why := look("yellow"); text != "" || !strings.HasPrefix(why, "The rules of this server want a person to be asked") {
			t.Errorf("%q, %q", text, why)
		}
	}
	var approvals int
	err = w.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM gate_approvals").Scan(&approvals)
	if err != nil || approvals != 0 {
		t.Errorf("%d approvals (%v)", approvals, err)
	}
}
