package admin_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/work"
	"gatehouse/db"
)

// queueJob queues work as a change does, then has it stand in a state; the queue knows its name as when workers had started.
func (h *hub) queueJob(t testing.TB, item work.Item, state string) (id int64) {
	t.Helper()
	must(t, h.db.InTx(t.Context(), func(ctx context.Context, tx db.Tx) error {
		return h.queue.EnqueueTx(ctx, tx.PGX, []work.Item{item})
	}))
	row := h.db.Pool.QueryRow(t.Context(),
		`UPDATE river_job SET state = $1::text::river_job_state, attempt = CASE WHEN $1 IN ('available', 'scheduled') THEN 0 ELSE 2 END,
		attempted_at = CASE WHEN $1 IN ('available', 'scheduled') THEN NULL ELSE now() END,
		finalized_at = CASE WHEN $1 IN ('completed', 'cancelled', 'discarded') THEN now() END,
		errors = CASE WHEN $1 IN ('retryable', 'discarded') THEN ARRAY[
			'{"at": "2026-03-02T09:00:00Z", "attempt": 1, "error": "the first reason", "trace": ""}'::jsonb,
			'{"at": "2026-03-02T09:05:00Z", "attempt": 2, "error": "the mail server said:\n<b>421</b> later", "trace": ""}'::jsonb] END
		WHERE id = (SELECT max(id) FROM river_job) RETURNING id`, state)
	must(t, row.Scan(&id))
	_, err := h.db.Pool.Exec(t.Context(),
		`INSERT INTO river_queue (name, updated_at) SELECT DISTINCT queue, now() FROM river_job ON CONFLICT DO NOTHING`)
	must(t, err)
	return id
}

func mail(n int) work.Item {
	return work.SendMail{Template: "welcome", UserID: newID(), Ref: fmt.Sprintf("ref-%d", n)}
}

func (h *hub) stateOf(t *testing.T, id int64) (state string) {
	t.Helper()
	must(t, h.db.Pool.QueryRow(t.Context(), "SELECT state::text FROM river_job WHERE id = $1", id).Scan(&state))
	return state
}

// TestJobs: the page tells how many jobs stand where, what each is about and why it failed, and offers what can be done.
func TestJobs(t *testing.T) {
	t.Parallel()
	h := start(t)
	ids := map[string]int64{}
	for i, state := range []string{"available", "running", "retryable", "discarded", "completed", "cancelled"} {
		ids[state] = h.queueJob(t, mail(i), state)
	}
	h.queueJob(t, work.RefreshTeam{CustomerID: newID(), UserID: newID()}, "available")
	d := h.doc(t, h.admin, "/admin/jobs")
	var row []string
	d.Find("#queue-mail td").Each(func(_ int, s *goquery.Selection) { row = append(row, strings.TrimSpace(s.Text())) })
	if got := strings.Join(row, " "); got != "1 1 1 1 1 Pause" {
		t.Errorf("the queue of mail says %s", got)
	}
	failed := d.Find(fmt.Sprintf("#job-%d", ids["discarded"]))
	text := strings.Join(strings.Fields(failed.Text()), " ")
	holds(t, "a failed job", text, []string{
		"Send a mail", "Failed, given up", "2 of 8", "the mail server said:", "<b>421</b> later",
		"the first reason", "template", "welcome", "ref-3",
	}, nil)
	if first := failed.Find(".job-error > span").Text(); first != "the mail server said:" {
		t.Errorf("the first line is %q", first)
	}
	for state, want := range map[string]string{
		"available": "cancel", "running": "cancel", "retryable": "retry cancel", "discarded": "retry", "completed": "",
		"cancelled": "retry",
	} {
		var acts []string
		d.Find(fmt.Sprintf("#job-%d button", ids[state])).Each(func(_ int, s *goquery.Selection) {
			acts = append(acts, s.AttrOr("value",
				""))
		})
		if got := strings.Join(acts, " "); got != want {
			t.Errorf("%s offers %q, want %q", state, got, want)
		}
	}
	_, german := h.get(t, h.admin, "/admin/jobs", "Accept-Language", "de")
	holds(t, "German", german, []string{"E-Mail senden", "Fehlgeschlagen, aufgegeben", "Warteschlange"}, []string{"⟦", "Send a mail"})
}

// TestJobs_filters: queue, kind and state narrow the list, page by page.
func TestJobs_filters(t *testing.T) {
	t.Parallel()
	h := start(t)
	for i := range 5 {
		h.queueJob(t, mail(i), "discarded")
		h.queueJob(t, work.RefreshTeam{CustomerID: newID(), UserID: newID()}, "available")
	}
	h.queueJob(t, mail(9), "retryable")
	for query, want := range map[string]int{
		"": 11, "queue=mail": 6, "kind=send_mail": 6, "state=discarded": 5, "state=failed": 6, "queue=team&state=available": 5,
		"queue=mail&state=available": 0,
		"kind=none":                  0, "limit=2&queue=mail": 6, "limit=3": 11,
	} {
		n, path := 0, "/admin/jobs?"+query
		for more := true; more; {
			d := h.doc(t, h.admin, path)
			n += d.Find("#jobs tbody tr").Length()
			path, more = d.Find("#jobs a[rel=next]").Attr("href")
		}
		if n != want {
			t.Errorf("%q shows %d jobs, want %d", query, n, want)
		}
	}
	holds(t, "none left", h.doc(t, h.admin, "/admin/jobs?kind=none").Text(), []string{"Nothing matches"}, nil)
	for _, query := range []string{"state=burnt", "after=x", "limit=0", "kind=" + strings.Repeat("x", 101)} {
		if status, _ := h.get(t, h.admin, "/admin/jobs?"+query); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", query, status)
		}
	}
}

func TestJobs_empty(t *testing.T) {
	t.Parallel()
	h := start(t)
	holds(t, "empty", h.doc(t, h.admin, "/admin/jobs").Text(), []string{"Nothing is queued", "No queue yet"}, nil)
	for _, secret := range []string{h.staff, h.manager} {
		if status, _ := h.get(t, secret, "/admin/jobs"); status != http.StatusForbidden {
			t.Errorf("without the permission: %d", status)
		}
	}
}

// TestJobs_act: a job is retried or canceled, which is said and recorded; what cannot be done changes nothing.
func TestJobs_act(t *testing.T) {
	t.Parallel()
	h := start(t)
	var done []string
	for _, c := range []struct{ from, act, to, said string }{
		{"discarded", "retry", "available", "is tried now"},
		{"cancelled", "retry", "available", "is tried now"},
		{"retryable", "cancel", "cancelled", "is not tried again"},
		{"available", "cancel", "cancelled", "is canceled"},
		{"running", "cancel", "running", "told to stop"},
		{"completed", "retry", "completed", ""},
		{"completed", "cancel", "completed", ""},
		{"running", "retry", "running", ""},
		{"discarded", "explode", "discarded", ""},
	} {
		id := h.queueJob(t, mail(len(done)), c.from)
		path := fmt.Sprintf("/admin/jobs/%d/act", id)
		if c.said == "" {
			if status, _ := h.submit(t, h.admin, path, url.Values{"act": {c.act}}); status != http.StatusConflict &&
				status != http.StatusUnprocessableEntity {
				t.Errorf("%s of %s: %d", c.act, c.from, status)
			}
		} else {
			holds(t, c.act+" of "+c.from, h.toast(t, h.admin, path, url.Values{"act": {c.act}}), []string{c.said, fmt.Sprint(id)}, nil)
			done = append([]string{fmt.Sprintf("job.%s %d %s", c.act, id, c.from)}, done...)
		}
		if got := h.stateOf(t, id); got != c.to {
			t.Errorf("%s of %s: now %s, want %s", c.act, c.from, got, c.to)
		}
	}
	if status, _ := h.submit(t, h.admin, "/admin/jobs/999999/act", url.Values{"act": {"retry"}}); status != http.StatusNotFound {
		t.Errorf("a job that is not there: %d", status)
	}
	if got := h.recorded(t); strings.Join(got, ", ") != strings.Join(done, ", ") {
		t.Errorf("on record: %v, want %v", got, done)
	}
}

// TestJobs_twice: a job that failed is not retried while the same work is queued anew.
func TestJobs_twice(t *testing.T) {
	t.Parallel()
	h := start(t)
	item := mail(1)
	old := h.queueJob(t, item, "cancelled")
	h.queueJob(t, item, "available")
	if status, text := h.submit(t, h.admin, fmt.Sprintf("/admin/jobs/%d/act", old),
		url.Values{"act": {"retry"}}); status != http.StatusConflict || !strings.Contains(text, "queued already") {
		t.Errorf("retried: %d", status)
	}
	if got := h.stateOf(t, old); got != "cancelled" || len(h.recorded(t)) != 0 {
		t.Errorf("now %s, on record %v", got, h.recorded(t))
	}
}

// recorded is what was done with jobs and queues, newest first.
func (h *hub) recorded(t *testing.T) (all []string) {
	t.Helper()
	of, err := (&db.Audit{DB: h.db}).Find(t.Context(), audit.Filter{By: "admin@example.com"}, page.Ask{})
	must(t, err)
	for _, e := range of.Items {
		all = append(all, strings.TrimSpace(e.Action+" "+e.Target+" "+e.Details["state"]))
	}
	return all
}

// TestJobs_pause: a queue is paused and goes on, and its row says which; the reader comes back to what they looked at.
func TestJobs_pause(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.queueJob(t, mail(1), "available")
	button := func() string { return h.doc(t, h.admin, "/admin/jobs").Find("#queue-mail button").AttrOr("value", "") }
	if button() != "pause" {
		t.Fatalf("the queue offers %s", button())
	}
	holds(t, "paused", h.toast(t, h.admin, "/admin/jobs/queues/mail", url.Values{"act": {"pause"}}), []string{"The queue Mail is paused"},
		nil)
	if button() != "resume" || !strings.Contains(h.doc(t, h.admin, "/admin/jobs").Find("#queue-mail").Text(), "Paused") {
		t.Error("its row does not say so")
	}
	holds(t, "resumed", h.toast(t, h.admin, "/admin/jobs/queues/mail", url.Values{"act": {"resume"}}), []string{"The queue Mail goes on"},
		nil)
	if button() != "pause" {
		t.Error("it does not go on")
	}
	if got := strings.Join(h.recorded(t), ", "); got != "queue.resume mail, queue.pause mail" {
		t.Errorf("on record: %s", got)
	}
	for path, want := range map[string]int{"/admin/jobs/queues/none": 404, "/admin/jobs/queues/*": 404} {
		if status, _ := h.submit(t, h.admin, path, url.Values{"act": {"pause"}}); status != want {
			t.Errorf("%s: %d", path, status)
		}
	}
	for next, want := range map[string]string{
		"/admin/jobs?queue=mail": "/admin/jobs?queue=mail", "": "/admin/jobs", "//evil.example/admin/jobs": "/admin/jobs",
		"/admin/orders": "/admin/jobs",
	} {
		form := url.Values{"act": {"pause"}, "next": {next}, "csrf": {h.token(t, h.admin)}}
		if _, to := h.post(t, h.admin, "/admin/jobs/queues/mail", form); to != want {
			t.Errorf("from %q on to %q", next, to)
		}
	}
	if status, _ := h.submit(t, h.manager, "/admin/jobs/queues/mail", url.Values{"act": {"pause"}}); status != http.StatusForbidden {
		t.Errorf("without the permission: %d", status)
	}
}

// TestJobs_live: an open page gets queues and jobs as they are; who may not see the page gets neither.
func TestJobs_live(t *testing.T) {
	t.Parallel()
	h := start(t)
	id := h.queueJob(t, mail(1), "discarded")
	address, _ := h.doc(t, h.admin, "/admin/jobs").Find("#live").Attr("hx-sse:connect")
	pushed := h.streamAs(t, h.admin, address, "").next()
	holds(t, "pushed", pushed, []string{"#queues-results", "#jobs-results", fmt.Sprintf("job-%d", id), `name="csrf"`}, nil)
	if status, _ := h.get(t, h.manager, address); status != http.StatusForbidden {
		t.Errorf("without the permission: %d", status)
	}
}
