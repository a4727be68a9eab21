package chat_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestAttach_sent: the files of a message reach the server with it, and the page leads to them, at once and from the record.
func TestAttach_sent(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	session, files := portaltest.NewID(), []string{"Uploads/2026-11/price list.txt", "a&b.txt"}
	form := url.Values{"session": {session}, "agent": {"dispatcher"}, "text": {"What does it cost?"}, "file": files}
	got := b.Partial("/app/chat", form)
	if got.StatusCode != http.StatusOK || len(p.Posted) != 1 || !slices.Equal(p.Posted[0].Files, files) {
		t.Fatalf("%d: the server got %+v", got.StatusCode, p.Posted)
	}
	const first, second = "/app/files/view?path=Uploads%2F2026-11%2Fprice+list.txt", "/app/files/view?path=a%26b.txt"
	for _, want := range []string{first, second} {
		if !strings.Contains(got.Source, `href="`+want+`"`) {
			t.Errorf("the answer lacks %s", want)
		}
	}
	run := p.Posted[0].RunID
	p.Begin(run, session, "What does it cost?")
	p.Sessions[0].Turns[0].Files = files
	p.Sessions[0].Turns[0].Run.State, p.Sessions[0].State = wire.RunDone, wire.RunDone
	p.Sessions[0].Turns[0].Run.Final = &wire.FinalData{
		RunID: run, Agent: "dispatcher", Text: "See letters/opening.txt.", Verdict: wire.VerdictNothingRan,
		Files: []string{"letters/opening.txt", "https://evil.example/x", "../x"},
	}
	page := b.Get("/app/chat/" + session)
	if at := page.Find(".turn.person .file-links a"); at.Length() != 2 || at.First().AttrOr("href", "") != first {
		t.Errorf("the message leads to %d files", at.Length())
	}
	at := page.Find(".turn.answer .file-links a")
	if at.Length() != 1 || at.AttrOr("href", "") != "/app/files/view?path=letters%2Fopening.txt" {
		t.Errorf("the answer leads to %d files, the first at %s", at.Length(), at.AttrOr("href", ""))
	}
}

// TestAttach_refused: a path that could lead elsewhere is refused by the hub already, and nothing is sent; what was typed stays.
func TestAttach_refused(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	for _, bad := range []string{"../state/agentd.db", "/etc/passwd", "a/../b", ""} {
		form := url.Values{"session": {portaltest.NewID()}, "agent": {"dispatcher"}, "text": {"read"}, "file": {bad}}
		got := b.Partial("/app/chat", form)
		if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Source, "not the path of a file") {
			t.Errorf("%q: %d %s", bad, got.StatusCode, got.Source)
		}
	}
	if len(p.Posted) != 0 {
		t.Errorf("the server got %+v", p.Posted)
	}
}

// TestAttach_withoutScript: without a script the composer leads to the files, and offers nothing that would need one.
func TestAttach_withoutScript(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	page := b.Get("/app/chat?new=1")
	bar := page.Find(".composer")
	if bar.Find("a.no-js-only").AttrOr("href", "") != "/app/files" || bar.Find(".attach:not(.js-only)").Length() != 0 {
		t.Errorf("the composer is %s", bar.Text())
	}
	p.Away(t)
	if got := b.Get("/app/chat?new=1").Find(".attach .warn").Text(); !strings.Contains(got, "Your server is away") {
		t.Errorf("while the server is away it says %q", got)
	}
}

// TestAttach_away: while the server is away a message with files waits as any other does: sealed, with their paths.
func TestAttach_away(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of).Away(t)
	b := h.Owner(t, of)
	form := url.Values{"session": {portaltest.NewID()}, "agent": {"dispatcher"}, "text": {"read"}, "file": {"Uploads/zinnober.txt"}}
	if got := b.Partial("/app/chat", form); got.StatusCode != http.StatusOK {
		t.Fatalf("%d: %s", got.StatusCode, got.Source)
	}
	var kept, clear int
	portaltest.Must(t, h.DB.Pool.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE body::text LIKE '%zinnober%')
		FROM link_out WHERE type = 'chat.message'`).Scan(&kept, &clear))
	if kept != 1 || clear != 0 {
		t.Errorf("the hub keeps %d messages, %d with a path in the clear", kept, clear)
	}
}
