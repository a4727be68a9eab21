package main

import (
	"slices"
	"testing"

	"gatehouse/app/staff"
)

// TestAPI_stats: programs read what the first page of the console says, each as far as its role may look into it.
func TestAPI_stats(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := w.db.Pool.Exec(t.Context(), sql, args...)
		ok(t, err)
	}
	exec("UPDATE servers SET state = 'offline' WHERE customer_id = $1", w.mine.id)
	exec(`INSERT INTO pool_machines (id, name, address, port, login, region, state, created_at)
		VALUES (gen_random_uuid(), 'one', '192.0.2.7', 22, 'root', 'eu', 'held', now())`)
	for role, sees := range map[staff.Role][]string{
		staff.Owner: {"offline", "empty"}, staff.Admin: {"offline", "empty"}, staff.Support: {"offline"},
	} {
		m := w.clerk(role).asks("GET", "/stats", "", 200)
		if m["customers"] != 2.0 || m["servers"] != 2.0 {
			t.Errorf("%s: %v", role, m)
		}
		counts := map[string]float64{}
		for _, n := range m["needs"].([]any) {
			need := n.(map[string]any)
			counts[need["name"].(string)] = need["count"].(float64)
		}
		for _, name := range []string{"offline", "empty"} {
			_, shown := counts[name]
			if shown != slices.Contains(sees, name) {
				t.Errorf("%s: %s is shown: %t", role, name, shown)
			}
		}
		if counts["offline"] != 1 {
			t.Errorf("%s: %v", role, counts)
		}
	}
}
