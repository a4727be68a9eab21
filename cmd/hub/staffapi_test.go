package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"gatehouse/app/staff"
)

// asks calls the API about our staff, and holds the answer against its description.
func (c clerk) asks(method, path, body string, want int) (answer map[string]any) {
	c.w.t.Helper()
	req, err := http.NewRequestWithContext(c.w.t.Context(), method, c.w.url+"/api/v1/admin"+path, strings.NewReader(body))
	ok(c.w.t, err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	if c.code != "" {
		req.Header.Set("Gatehouse-Code", c.code)
	}
	if c.key != "" {
		req.Header.Set("Idempotency-Key", c.key)
	}
	res, err := http.DefaultClient.Do(req)
	ok(c.w.t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	ok(c.w.t, err)
	if res.StatusCode != want {
		c.w.t.Errorf("%s %s %s: %d, want %d: %.300s", method, path, body, res.StatusCode, want, text)
	}
	if err := c.w.spec.Answer(method, "/api/v1/admin"+path, res.StatusCode, res.Header.Get("Content-Type"), text); err != nil {
		c.w.t.Errorf("not as /api/openapi.json says: %v", err)
	}
	_ = json.Unmarshal(text, &answer) // nothing where the answer is empty
	return answer
}

// TestAPI_staff: an owner invites, changes roles and switches off by program, within the same rules as on the pages.
func TestAPI_staff(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	owner, admin, support := w.clerk(staff.Owner), w.clerk(staff.Admin), w.clerk(staff.Support)
	if all := owner.asks("GET", "/staff", "", 200)["items"].([]any); len(all) != 4 { // and the one of the world
		t.Errorf("%d of the staff", len(all))
	}
	theirs := "/staff/" + support.id
	if m := owner.asks("GET", theirs, "", 200); m["role"] != "SUPPORT" || m["two_factor"] != true || m["off"] != false {
		t.Errorf("found %v", m)
	}
	if m := admin.asks("PATCH", theirs, `{"role":"MANAGER"}`, 200); m["role"] != "MANAGER" {
		t.Errorf("changed to %v", m)
	}
	if m := admin.asks("PATCH", theirs, `{"off":true}`, 403); m["type"] != "code-needed" {
		t.Errorf("switched off without a code: %v", m)
	}
	admin.asks("POST", "/codes", `{"action":"staff.off","object":"`+admin.id+`","more":1}`, 400)
	admin.asks("POST", "/codes", `{"action":"staff.off","object":"x"}`, 400)
	admin.asks("POST", "/codes", `{"action":"staff.on","object":"`+support.id+`"}`, 422)
	admin.asks("POST", "/codes", `{"action":"staff.off","object":"`+support.id+`"}`, 202)
	code := w.mailedCode("Switch off the account of support@example.net")
	admin.code = "1"
	if m := admin.asks("PATCH", theirs, `{"off":true}`, 403); m["type"] != "code-wrong" {
		t.Errorf("switched off with a wrong code: %v", m)
	}
	admin.code = code
	if m := admin.asks("PATCH", theirs, `{"off":true}`, 200); m["off"] != true {
		t.Errorf("switched off: %v", m)
	}
	support.asks("GET", "/orders", "", 401)
	admin.asks("PATCH", theirs, `{"off":false}`, 200)
	for body, want := range map[string]int{`{}`: 400, `{"off":true,"role":"ADMIN"}`: 400, `{"role":"KING"}`: 422, `{"role":"OWNER"}`: 403} {
		admin.asks("PATCH", theirs, body, want)
	}
	owner.asks("PATCH", "/staff/"+owner.id, `{"off":true}`, 403)
	admin.asks("PATCH", "/staff/"+owner.id, `{"off":true}`, 403)

	i := owner.asks("POST", "/invitations", `{"email":"new@example.net","role":"OWNER"}`, 201)
	owner.asks("POST", "/invitations", `{"email":"ADMIN@example.net","role":"SUPPORT"}`, 409)
	owner.asks("POST", "/invitations", `{"email":"no","role":"SUPPORT"}`, 422)
	owner.asks("POST", "/invitations", `{"email":"new@example.net","role":"SUPPORT","language":"xx"}`, 400)
	admin.asks("POST", "/invitations", `{"email":"other@example.net","role":"OWNER"}`, 403)
	if all := admin.asks("GET", "/invitations", "", 200)["items"].([]any); len(all) != 1 {
		t.Errorf("open are %v", all)
	}
	path := "/invitations/" + i["id"].(string)
	admin.asks("DELETE", path, "", 403)
	owner.asks("DELETE", path, "", 204)
	owner.asks("DELETE", path, "", 404)
}
