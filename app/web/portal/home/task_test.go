package home_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/order"
	"gatehouse/app/web/portal/portaltest"
)

// fulfilled brings the order of a customer to its end, as a bakery's.
func fulfilled(t *testing.T, h *portaltest.Hub, of portaltest.Customer) {
	t.Helper()
	for _, s := range order.Path()[1:] {
		_, err := h.DB.Pool.Exec(t.Context(),
			`UPDATE orders SET state = $2, business_type = 'food', server_id = (SELECT id FROM servers WHERE customer_id = $1),
				fulfilled_at = CASE WHEN $2 = 'FULFILLED' THEN now() END WHERE customer_id = $1`,
			string(of.ID), string(s))
		portaltest.Must(t, err)
	}
}

// TestHome_firstTasks: a new customer sees first tasks for their kind of business. Each opens the chat with its message in the
// field; sending it ticks the task, hiding one can be taken back, and the list goes when nothing is left to do.
func TestHome_firstTasks(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Demo(t, of)
	b := h.Owner(t, of)
	if b.Get("/app").Find("#first-tasks").Length() != 0 {
		t.Error("tasks are offered before there is a team")
	}
	fulfilled(t, h, of)
	page := b.Get("/app")
	portaltest.WantSound(t, "/app", page.Document)
	const said = "Write a notice that we open at nine on Monday"
	if page.Find(".first-task").Length() != 5 || !strings.Contains(page.Find("[data-task=write]").Text(), said) {
		t.Fatalf("the tasks are %s", page.Find("#first-tasks").Text())
	}
	chat := b.Get(page.Find("[data-task=write] a").AttrOr("href", ""))
	field := chat.Find("#composer-text")
	if field.Text() != said || field.AttrOr("data-keep", "") != "" || chat.Find("#composer [value=secretary]").Length() != 1 {
		t.Errorf("the field holds %q", field.Text())
	}
	if b.Get("/app").Find(".first-task[data-done]").Length() != 0 {
		t.Error("looking at a task does it")
	}
	form := url.Values{"text": {said}}
	for _, name := range []string{"session", "agent", "once", "task"} {
		form.Set(name, chat.Find("#composer input[name="+name+"]").AttrOr("value", ""))
	}
	if got := b.Post("/app/chat", form); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("sent: %d", got.StatusCode)
	}
	page = b.Get("/app")
	if page.Find(".first-task[data-done]").AttrOr("data-task", "") != "write" || page.Find("[data-task=write] a").Length() != 0 {
		t.Error("the task is not ticked")
	}
	hide := func(task, back string) { b.Post("/app/tasks", url.Values{"task": {task}, "back": {back}}) }
	hide("mail", "")
	if n := b.Get("/app").Find(".first-task").Length(); n != 4 {
		t.Errorf("%d tasks after one was hidden", n)
	}
	hide("mail", "1")
	if n := b.Get("/app").Find(".first-task").Length(); n != 5 {
		t.Errorf("%d tasks after it came back", n)
	}
	putAway := func(back string) { b.Post("/app/tasks", url.Values{"all": {"1"}, "back": {back}}) }
	hide("mail", "")
	putAway("")
	if b.Get("/app").Find("#first-tasks").Length() != 0 {
		t.Error("the list stays when it was put away")
	}
	putAway("1")
	if page = b.Get("/app"); page.Find(".first-task").Length() != 5 || page.Find(".first-task[data-done]").Length() != 1 {
		t.Error("the list does not come back with what was done and what was hidden")
	}
	for _, task := range []string{"mail", "note", "weekly", "briefing"} {
		hide(task, "")
	}
	if b.Get("/app").Find("#first-tasks").Length() != 0 {
		t.Error("the list stays when nothing is left to do")
	}
	if got := b.Post("/app/tasks", url.Values{"task": {"other"}}); got.StatusCode != http.StatusNotFound {
		t.Errorf("a task that is none: %d", got.StatusCode)
	}
}
