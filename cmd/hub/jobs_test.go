package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/web"
)

// TestAPI_jobs: a program of our staff lists background work, retries what failed once, and reads why not a second time.
func TestAPI_jobs(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	var id int64
	ok(t, w.db.Pool.QueryRow(t.Context(),
		`INSERT INTO river_job (state, kind, queue, args, attempt, max_attempts, attempted_at, finalized_at, errors)
		VALUES ('discarded', 'send_mail', 'mail', '{"template": "welcome", "user_id": "u"}', 8, 8, now(), now(),
			ARRAY['{"at": "2026-03-02T09:00:00Z", "attempt": 8, "error": "no such host", "trace": ""}'::jsonb]) RETURNING id`).Scan(&id))
	list := web.Route{Method: http.MethodGet, Path: "/api/v1/admin/jobs?state=failed&queue=mail"}
	if status, text := w.call(list, apiCase{}, w.staff); status != http.StatusOK || !strings.Contains(text, "no such host") ||
		!strings.Contains(text, `"template":"welcome"`) {
		t.Errorf("listed: %d %s", status, text)
	}
	act := web.Route{Method: http.MethodPost, Path: "/api/v1/admin/jobs/" + strconv.FormatInt(id, 10)}
	for _, c := range []struct {
		body, says string
		want       int
	}{
		{`{"action":"explode"}`, "cannot do that", http.StatusUnprocessableEntity},
		{`{"action":"retry"}`, `"state":"available"`, http.StatusOK},
		{`{"action":"retry"}`, "Nothing was changed", http.StatusConflict},
		{`{"action":"cancel"}`, `"state":"cancelled"`, http.StatusOK},
	} {
		if status, text := w.call(act, apiCase{body: c.body}, w.staff); status != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s", c.body, status, text)
		}
	}
	all, err := w.audit.Find(t.Context(), audit.Filter{By: "clerk@example.net"}, page.Ask{})
	ok(t, err)
	if len(all.Items) != 2 || all.Items[0].Action != "job.cancel" || all.Items[1].Action != "job.retry" || all.Items[1].By.Role != "OWNER" {
		t.Errorf("on record: %+v", all.Items)
	}
	changes := web.Route{Method: http.MethodGet, Path: "/api/v1/admin/audit?action=job.retry&by=clerk&from=2026-01-01"}
	if status, text := w.call(changes, apiCase{}, w.staff); status != http.StatusOK || strings.Count(text, `"id":"0`) < 1 ||
		strings.Contains(text, "job.cancel") {
		t.Errorf("the record: %d %s", status, text)
	}
}
