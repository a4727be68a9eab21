package main

import (
	"fmt"
	"testing"

	"gatehouse/app/staff"
)

// TestAPI_customers: a manager makes, changes and invites customers and writes notes by program, within the same rules as on the
// pages; support reads.
func TestAPI_customers(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	manager, support := w.clerk(staff.Manager), w.clerk(staff.Support)
	const made = `{"name":"New Bakery","time_zone":"Europe/Vienna","address":"1 Some Street","language":"de","email":"boss@bakery.example"}`
	for body, want := range map[string]int{
		`{}`: 422, `{"name":"x","time_zone":"UTC","email":"no"}`: 422,
		`{"name":"x","time_zone":"UTC","email":"a@b.example","language":"xx"}`: 400,
		`{"name":"x","time_zone":"UTC","email":"a@b.example","role":"owner"}`:  400,
	} {
		manager.asks("POST", "/customers", body, want)
	}
	support.asks("POST", "/customers", made, 403)
	v := manager.asks("POST", "/customers", made, 201)
	if v["name"] != "New Bakery" || v["invited"] != "boss@bakery.example" || v["owner"] != nil || v["address"] != "1 Some Street" {
		t.Errorf("made %v", v)
	}
	manager.asks("POST", "/customers", made, 409)
	at := "/customers/" + v["id"].(string)
	if got := support.asks("GET", at, "", 200); fmt.Sprint(got) != fmt.Sprint(v) {
		t.Errorf("found %v, made %v", got, v)
	}
	if all := support.asks("GET", "/customers?q=boss@bakery", "", 200)["items"].([]any); len(all) != 1 {
		t.Errorf("found by who is invited: %v", all)
	}
	support.asks("PATCH", at, `{"name":"x"}`, 403)
	manager.asks("PATCH", at, `{"time_zone":"Local"}`, 422)
	manager.asks("PATCH", at, `{"language":"xx"}`, 400)
	if got := manager.asks("PATCH", at, `{"name":"Other Bakery","language":""}`, 200); got["name"] != "Other Bakery" ||
		got["language"] != "" || got["address"] != "1 Some Street" || got["time_zone"] != "Europe/Vienna" {
		t.Errorf("changed to %v", got)
	}
	if got := manager.asks("POST", at+"/invitation", `{"email":"other@bakery.example"}`, 200); got["invited"] != "other@bakery.example" {
		t.Errorf("invited again: %v", got)
	}
	manager.asks("DELETE", at+"/invitation", "", 204)
	manager.asks("DELETE", at+"/invitation", "", 404)
	manager.asks("POST", "/customers/"+string(w.mine.id)+"/invitation", `{"email":"third@bakery.example"}`, 409)

	note := manager.asks("POST", at+"/notes", `{"text":"Called twice."}`, 201)
	manager.asks("POST", at+"/notes", `{"text":" "}`, 422)
	support.asks("POST", at+"/notes", `{"text":"x"}`, 403)
	all := support.asks("GET", at+"/notes?limit=1", "", 200)["items"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["id"] != note["id"] || note["by"] == "" {
		t.Errorf("notes: %v, written: %v", all, note)
	}
	const nobody = "/customers/01890a5d-ac96-774b-bcce-b302099a8057"
	for _, path := range []string{nobody, nobody + "/notes"} {
		support.asks("GET", path, "", 404)
	}
	manager.asks("POST", nobody+"/notes", `{"text":"x"}`, 404)
	manager.asks("PATCH", nobody, `{"name":"x"}`, 404)
	manager.asks("POST", nobody+"/invitation", `{"email":"third@bakery.example"}`, 404)
}
