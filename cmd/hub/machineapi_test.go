package main

import (
	"testing"
	"time"

	"gatehouse/app/machine"
	"gatehouse/app/server"
	"gatehouse/app/staff"
)

// TestAPI_machine: programs see and switch machines within the same rules as people do on the pages: roles, mailed codes, the owner's
// consent, one thing at a time.
func TestAPI_machine(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	owner, admin, support := w.clerk(staff.Owner), w.clerk(staff.Admin), w.clerk(staff.Support)
	var id, user string
	const move = "UPDATE servers SET provider = 'hetzner' WHERE customer_id = $1 RETURNING id"
	ok(t, w.db.Pool.QueryRow(t.Context(), move, w.mine.id).Scan(&id))
	ok(t, w.db.Pool.QueryRow(t.Context(), "SELECT id FROM users WHERE customer_id = $1 LIMIT 1", w.mine.id).Scan(&user))
	at := "/servers/" + id
	ends := func() {
		t.Helper()
		acts, err := w.acts.Of(t.Context(), server.ID(id), 1)
		ok(t, err)
		acts[0].State, acts[0].EndedAt = machine.Done, time.Now().UTC()
		ok(t, w.acts.End(t.Context(), acts[0]))
	}
	m := support.asks("GET", at+"/machine", "", 200)
	if can := m["can"].([]any); len(can) != len(machine.Verbs()) || m["power"] != "unknown" || m["seen_at"] != nil {
		t.Errorf("never seen: %v", m)
	}
	support.asks("POST", at+"/power", `{"do":"on"}`, 403)
	admin.asks("POST", at+"/power", `{"do":"burn"}`, 422)
	admin.asks("POST", at+"/power", `{"do":"on"}`, 202)
	admin.asks("POST", at+"/rescue", `{"on":false}`, 409)
	ends()
	if m := admin.asks("POST", at+"/power", `{"do":"off"}`, 403); m["type"] != "code-needed" {
		t.Errorf("without a code: %v", m)
	}
	admin.asks("POST", "/codes", `{"action":"machine.off","object":"`+id+`"}`, 202)
	admin.code = w.mailedCode("zzmine")
	admin.asks("POST", at+"/reinstall", "", 403)
	admin.asks("POST", at+"/power", `{"do":"reset"}`, 403) // the code is for something else
	admin.asks("POST", at+"/power", `{"do":"off"}`, 202)
	ends()
	admin.code = ""
	admin.asks("POST", at+"/snapshots", "", 409)
	_, err := w.db.Pool.Exec(t.Context(), "INSERT INTO snapshot_consents VALUES ($1, $2, now())", w.mine.id, user)
	ok(t, err)
	admin.asks("POST", at+"/snapshots", "", 202)
	ends()
	ok(t, w.acts.Saw(t.Context(), server.ID(id), machine.Seen{State: machine.State{Power: machine.PowerOn}, At: time.Now().UTC()},
		[]machine.Snapshot{{Place: "7", Name: "gatehouse-daily-2026-01-01", MadeAt: time.Now().UTC(), Ready: true}}))
	all := support.asks("GET", at+"/snapshots", "", 200)["items"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["daily"] != true {
		t.Fatalf("snapshots %v", all)
	}
	snap := all[0].(map[string]any)["id"].(string)
	admin.asks("DELETE", at+"/snapshots/"+snap, "", 403)
	owner.asks("DELETE", at+"/snapshots/"+snap, "", 403)
	owner.asks("POST", "/codes", `{"action":"machine.drop","object":"`+id+`"}`, 404)
	owner.asks("POST", "/codes", `{"action":"machine.restore","object":"`+snap+`"}`, 202)
	owner.code = w.mailedCode("gatehouse-daily-2026-01-01")
	if m := owner.asks("POST", at+"/snapshots/"+snap+"/restore", "", 403); m["type"] != "machine-window" {
		t.Errorf("without the owner's window: %v", m)
	}
	_, err = w.db.Pool.Exec(t.Context(), `INSERT INTO support_windows (id, customer_id, server_id, staff_id, staff_name, key_kind, spki,
		purpose, hours, what, state, asked_at, opened_at, until) VALUES (gen_random_uuid(), $1, $2, $3, 'owner@example.net', 'browser', 'x',
		'It does not start.', 2, '{machine}', 'open', now(), now(), now() + interval '2 hours')`, w.mine.id, id, owner.id)
	ok(t, err)
	owner.asks("POST", at+"/snapshots/"+snap+"/restore", "", 202)
	owner.asks("POST", at+"/snapshots/"+id+"/restore", "", 404)
	if acts := support.asks("GET", at+"/machine", "", 200)["acts"].([]any); len(acts) != 4 {
		t.Errorf("acts %v", acts)
	}
}
