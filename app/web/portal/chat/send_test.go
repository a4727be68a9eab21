package chat_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

func TestSend_putsMessageAndEmptyAnswerOnThePage(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	session := portaltest.NewID()

	got := b.Partial("/app/chat", url.Values{"session": {session}, "agent": {"dispatcher"}, "text": {"one\r\ntwo"}})
	if got.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", got.StatusCode, got.Source)
	}
	if len(p.Posted) != 1 || p.Posted[0].Text != "one\ntwo" || p.Posted[0].SessionID != session || p.Posted[0].From.Email != of.Email {
		t.Fatalf("the server got %+v", p.Posted)
	}
	run := p.Posted[0].RunID
	for _, want := range []string{`hx-target="#thread:not(:has(#turn-` + run + `))"`, `id="turn-` + run + `-asks"`, `id="flow-` + run + `"`, `action="/app/runs/` + run + `/stop"`} {
		if !strings.Contains(got.Source, want) {
			t.Errorf("the answer lacks %s", want)
		}
	}
}

// TestSend_again: a message whose answer was lost, and that is sent again, is the same message; it stays the same when its
// run has ended meanwhile. The next one is another, also with the same words, and so is one with other words.
func TestSend_again(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	page := b.Get("/app/chat")
	field := func(name string) string { return page.Find("#composer input[name="+name+"]").AttrOr("value", "") }
	form := url.Values{"session": {field("session")}, "agent": {field("agent")}, "once": {field("once")}, "text": {"order flour"}}
	send := func(text string) portaltest.Answer {
		t.Helper()
		form.Set("text", text)
		got := b.Partial("/app/chat", form)
		if got.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", got.StatusCode, got.Source)
		}
		return got
	}
	send("order flour")
	p.End(p.Posted[0].RunID)
	again := send("order flour\r\n")
	send("order eggs")
	if strings.Contains(again.Source, "/stop") {
		t.Errorf("the page may stop what has ended: %s", again.Source)
	}
	form.Set("once", again.Find("input[name=once]").AttrOr("value", ""))
	send("order flour")
	runs := map[string]bool{}
	for _, m := range p.Posted {
		runs[m.RunID] = true
	}
	if len(p.Posted) != 4 || p.Posted[1].RunID != p.Posted[0].RunID || len(runs) != 3 {
		t.Errorf("the server got %+v", p.Posted)
	}
	for _, odd := range []string{"", "no id", strings.Repeat("x", 5000)} {
		form.Set("once", odd)
		send("with an odd id")
	}
}

func TestSend_plainFormIsLedToTheConversation(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	session := portaltest.NewID()
	got := h.Owner(t, of).Post("/app/chat", url.Values{"session": {session}, "agent": {"dispatcher"}, "text": {"hello"}})
	if want := "/app/chat/" + session + "#turn-" + p.Posted[0].RunID; got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != want {
		t.Errorf("got %d to %s, want 303 to %s", got.StatusCode, got.Header.Get("Location"), want)
	}
}

func TestSend_emptyMessageStaysInTheField(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	b := h.Owner(t, of)
	form := url.Values{"session": {portaltest.NewID()}, "agent": {"dispatcher"}, "text": {"   "}}
	if got := b.Partial("/app/chat", form); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Source, "Write something first") {
		t.Errorf("htmx got %d: %s", got.StatusCode, got.Source)
	}
	got := b.Post("/app/chat", form)
	if got.StatusCode != http.StatusUnprocessableEntity || !strings.HasPrefix(got.Find("title").Text(), "Error: ") || got.Find("#composer-note .error").Length() != 1 {
		t.Errorf("a plain form got %d: %s", got.StatusCode, got.Find("main").Text())
	}
}

func TestSend_newOpensANewConversation(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	got := h.Owner(t, of).Partial("/app/chat", url.Values{"session": {portaltest.NewID()}, "agent": {"dispatcher"}, "text": {"/new"}})
	if got.Header.Get("HX-Redirect") != "/app/chat?new=1" || len(p.Posted) != 1 {
		t.Errorf("led to %q, server got %d messages", got.Header.Get("HX-Redirect"), len(p.Posted))
	}
}

func TestSend_serverAwayQueuesAndSaysSo(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	p.Away(t)
	b := h.Owner(t, of)
	got := b.Partial("/app/chat", url.Values{"session": {portaltest.NewID()}, "agent": {"dispatcher"}, "text": {"a secret plan"}})
	if got.StatusCode != http.StatusOK || !strings.Contains(got.Source, "continues as soon as it is back") {
		t.Errorf("got %d: %s", got.StatusCode, got.Source)
	}
	var kept, clear int
	portaltest.Must(t, h.DB.Pool.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE body::text LIKE '%a secret plan%')
		FROM link_out WHERE type = 'chat.message'`).Scan(&kept, &clear))
	if kept != 1 || clear != 0 {
		t.Errorf("the hub keeps %d messages, %d of them in the clear", kept, clear)
	}
}
