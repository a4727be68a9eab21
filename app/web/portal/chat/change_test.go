package chat_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/page"
	"gatehouse/app/web/portal/portaltest"
	"gatehouse/db"
)

// talk is a conversation in which one message was answered.
func talk(t *testing.T, p *portaltest.Peer, text string) (session string) {
	t.Helper()
	run, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(run, session, text)
	p.Final(t, run, session, "Done.", wire.VerdictNothingRan)
	p.Sessions[0].State, p.Sessions[0].Turns[0].Run.State, p.Sessions[0].Runs = wire.RunDone, wire.RunDone, 1
	return session
}

// TestRename: the new name stands on the page, in the tab and in a notice that takes it back; one that does not fit stays in
// its field, with why.
func TestRename(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	session := talk(t, p, "How full is the disk?")
	b := h.Owner(t, of)
	path := "/app/chat/" + session
	for name, why := range map[string]string{"  ": "Type a name", strings.Repeat("é", 83): "3 characters too long"} {
		got := b.Post(path+"/rename", url.Values{"title": {name}})
		field := got.Find("#f-title")
		held, says := field.AttrOr("value", ""), got.Find("details[open]").Text()
		if got.StatusCode != http.StatusUnprocessableEntity || held != name || !strings.Contains(says, why) {
			t.Errorf("%q: %d, the field holds %q, the menu says %q", name, got.StatusCode, held, says)
		}
		if !strings.HasPrefix(got.Find("title").Text(), "Error") || p.Sessions[0].Title != "How full is the disk?" {
			t.Errorf("%q: %s; the server has %q", name, got.Find("title").Text(), p.Sessions[0].Title)
		}
	}
	got := b.Post(path+"/rename", url.Values{"title": {" The  disk "}, "was": {"How full is the disk?"}})
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != path {
		t.Fatalf("%d to %s", got.StatusCode, got.Header.Get("Location"))
	}
	shown := b.Get(path)
	undo := shown.Find("[data-toast] form")
	if shown.Find("h1").Text() != "The disk" || !strings.HasPrefix(shown.Find("title").Text(), "The disk") ||
		undo.AttrOr("action", "") != path+"/rename" || undo.Find("[name=title]").AttrOr("value", "") != "How full is the disk?" {
		t.Errorf("h1 %q, title %q, notice %q", shown.Find("h1").Text(), shown.Find("title").Text(), shown.Find("[data-toast]").Text())
	}
	if b.Get(path).Find("[data-toast]").Length() != 0 {
		t.Error("the notice stays")
	}
}

// TestArchive: a conversation leaves the list for the other one, the notice puts it back, and so does its own page.
func TestArchive(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	session := talk(t, p, "How full is the disk?")
	b := h.Owner(t, of)
	lists := func(path string) bool { return b.Get(path).Find("#talk-"+session).Length() == 1 }
	form := b.Get("/app/conversations").Find("#talk-" + session + " form")
	got := b.Partial(form.AttrOr("action", ""), url.Values{"archived": {form.Find("[name=archived]").AttrOr("value", "")}})
	if got.Header.Get("HX-Redirect") != "/app/conversations" {
		t.Fatalf("led to %q: %d", got.Header.Get("HX-Redirect"), got.StatusCode)
	}
	page := b.Get("/app/conversations")
	undo := page.Find("[data-toast] form")
	said := page.Find("[data-toast]").Text()
	if !strings.Contains(said, "“How full is the disk?” is archived") || page.Find("#talk-"+session).Length() != 0 {
		t.Errorf("the list says %q", page.Find("#main").Text())
	}
	if !lists("/app/conversations?show=archived") || page.Find("a[href='/app/conversations?show=archived']").Length() != 1 {
		t.Error("it is not where it can be found again")
	}
	b.Post(undo.AttrOr("action", ""), url.Values{"archived": {undo.Find("[name=archived]").AttrOr("value", "")}})
	if !lists("/app/conversations") || lists("/app/conversations?show=archived") {
		t.Error("it is not back")
	}
}

// TestDelete: the page says what goes and what stays; nothing goes without a signature, or while the team is at work; the
// record of the hub has that something was deleted, and not what.
func TestDelete(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	session := talk(t, p, "About the zinnober")
	b := h.Owner(t, of)
	path := "/app/chat/" + session + "/delete"
	page := b.Get(path)
	for _, want := range []string{"Your message, the answers to it", "The receipts on your server", "cannot be brought back"} {
		if !strings.Contains(page.Find("main").Text(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	form := page.Find("form[data-change='session.delete']")
	if form.AttrOr("data-change-body", "") != `{"session_id":"`+session+`"}` || form.AttrOr("data-server", "") != string(of.Server) {
		t.Errorf("what is signed: %s for %s", form.AttrOr("data-change-body", ""), form.AttrOr("data-server", ""))
	}
	refused := func(status int, why string) {
		t.Helper()
		got := b.Post(path, url.Values{})
		if got.StatusCode != status || !strings.Contains(got.Find(".notice").Text(), why) || len(p.Sessions) != 1 {
			t.Errorf("%d: %q", got.StatusCode, got.Find(".notice").Text())
		}
	}
	refused(http.StatusForbidden, "Only a device that may approve")
	p.Sessions[0].State = wire.RunParked
	if b.Get(path).Find("form button[disabled]").Length() != 1 {
		t.Error("the button can be pressed while a request waits")
	}
	refused(http.StatusConflict, "still at work")
	p.Sessions[0].State = wire.RunDone
	got := b.Post(path, url.Values{"signature": {`{"key_id":"k","time":"2026-01-02T03:04:05Z","sig":"s"}`}})
	if got.StatusCode != http.StatusSeeOther || len(p.Deleted) != 1 || p.Deleted[0].By.Email != of.Email {
		t.Fatalf("%d, %+v", got.StatusCode, p.Deleted)
	}
	list := b.Get(got.Header.Get("Location"))
	said := list.Find("[data-toast]").Text()
	if !strings.Contains(said, "deleted from your server") || list.Find("[data-dropped$='"+session+"']").Length() != 1 {
		t.Errorf("the list says %q", said)
	}
	if gone := b.Get("/app/chat/" + session); gone.StatusCode != http.StatusNotFound {
		t.Errorf("the conversation answers %d", gone.StatusCode)
	}
	kept, err := (&db.Audit{DB: h.DB}).List(t.Context(), string(of.ID), page1)
	if err != nil || len(kept.Items) == 0 || kept.Items[0].Action != "session.delete" || kept.Items[0].Target != session {
		t.Errorf("on record: %+v, %v", kept, err)
	}
}

var page1 = page.Ask{Limit: 10}
