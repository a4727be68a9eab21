package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

func TestSend_putsMessageAndEmptyAnswerOnThePage(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	b := h.owner(t, of)
	session := newID()

	got := b.partial("/app/chat", url.Values{"session": {session}, "agent": {"dispatcher"}, "text": {"one\r\ntwo"}})
	if got.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", got.StatusCode, got.text)
	}
	if len(p.posted) != 1 || p.posted[0].Text != "one\ntwo" || p.posted[0].SessionID != session || p.posted[0].From.Email != of.email {
		t.Fatalf("the server got %+v", p.posted)
	}
	run := p.posted[0].RunID
	for _, want := range []string{`hx-target="#thread:not(:has(#turn-` + run + `))"`, `id="turn-` + run + `-asks"`, `id="flow-` + run + `"`, `action="/app/runs/` + run + `/stop"`} {
		if !strings.Contains(got.text, want) {
			t.Errorf("the answer lacks %s", want)
		}
	}
}

// TestSend_again: a message whose answer was lost, and that is sent again, is the same message; it stays the same when its
// run has ended meanwhile. The next one is another, also with the same words, and so is one with other words.
func TestSend_again(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	b := h.owner(t, of)
	page := b.get("/app/chat")
	field := func(name string) string { return page.Find("#composer input[name="+name+"]").AttrOr("value", "") }
	form := url.Values{"session": {field("session")}, "agent": {field("agent")}, "once": {field("once")}, "text": {"order flour"}}
	send := func(text string) answer {
		t.Helper()
		form.Set("text", text)
		got := b.partial("/app/chat", form)
		if got.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", got.StatusCode, got.text)
		}
		return got
	}
	send("order flour")
	p.ends(p.posted[0].RunID)
	again := send("order flour\r\n")
	send("order eggs")
	if strings.Contains(again.text, "/stop") {
		t.Errorf("the page may stop what has ended: %s", again.text)
	}
	form.Set("once", again.Find("input[name=once]").AttrOr("value", ""))
	send("order flour")
	runs := map[string]bool{}
	for _, m := range p.posted {
		runs[m.RunID] = true
	}
	if len(p.posted) != 4 || p.posted[1].RunID != p.posted[0].RunID || len(runs) != 3 {
		t.Errorf("the server got %+v", p.posted)
	}
	for _, odd := range []string{"", "no id", strings.Repeat("x", 5000)} {
		form.Set("once", odd)
		send("with an odd id")
	}
}

func TestSend_plainFormIsLedToTheConversation(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	session := newID()
	got := h.owner(t, of).post("/app/chat", url.Values{"session": {session}, "agent": {"dispatcher"}, "text": {"hello"}})
	if want := "/app/chat/" + session + "#turn-" + p.posted[0].RunID; got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != want {
		t.Errorf("got %d to %s, want 303 to %s", got.StatusCode, got.Header.Get("Location"), want)
	}
}

func TestSend_emptyMessageStaysInTheField(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	h.link(t, of)
	b := h.owner(t, of)
	form := url.Values{"session": {newID()}, "agent": {"dispatcher"}, "text": {"   "}}
	if got := b.partial("/app/chat", form); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.text, "Write something") {
		t.Errorf("htmx got %d: %s", got.StatusCode, got.text)
	}
	got := b.post("/app/chat", form)
	if got.StatusCode != http.StatusUnprocessableEntity || !strings.HasPrefix(got.Find("title").Text(), "Error: ") || got.Find("#composer-note .error").Length() != 1 {
		t.Errorf("a plain form got %d: %s", got.StatusCode, got.Find("main").Text())
	}
}

func TestSend_newOpensANewConversation(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	got := h.owner(t, of).partial("/app/chat", url.Values{"session": {newID()}, "agent": {"dispatcher"}, "text": {"/new"}})
	if got.Header.Get("HX-Redirect") != "/app/chat?new=1" || len(p.posted) != 1 {
		t.Errorf("led to %q, server got %d messages", got.Header.Get("HX-Redirect"), len(p.posted))
	}
}

func TestSend_serverAwayQueuesAndSaysSo(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	p.away(t)
	b := h.owner(t, of)
	got := b.partial("/app/chat", url.Values{"session": {newID()}, "agent": {"dispatcher"}, "text": {"a secret plan"}})
	if got.StatusCode != http.StatusOK || !strings.Contains(got.text, "goes on as soon as it is back") {
		t.Errorf("got %d: %s", got.StatusCode, got.text)
	}
	var kept, clear int
	must(t, h.db.Pool.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE body::text LIKE '%a secret plan%')
		FROM link_out WHERE type = 'chat.message'`).Scan(&kept, &clear))
	if kept != 1 || clear != 0 {
		t.Errorf("the hub keeps %d messages, %d of them in the clear", kept, clear)
	}
}

func TestChat_pageGoesOnWhereItsStreamBegins(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	run, session := newID(), newID()
	p.begin(run, session, "How full is the disk?")
	p.delta(t, run, session, "It is **42 %** full.\n\nMore\n", true)
	p.sessions[0].Turns[0].Last = 1
	b := h.owner(t, of)

	page := b.get("/app/chat")
	if got := strings.TrimSpace(page.Find("#tail-" + run).Text()); !strings.Contains(page.Find("#turn-"+run).Text(), "It is 42 % full.") || !strings.Contains(got, "More") {
		t.Fatalf("the page shows %q", page.Find("#thread").Text())
	}
	address := page.Find("#live").AttrOr("hx-sse:connect", "")
	if !strings.Contains(address, run+"_1") {
		t.Fatalf("the stream would begin anew: %s", address)
	}
	s := b.open(address, "")
	p.delta(t, run, session, "text\n\nand a last line\n", false)
	got := s.until("and a last line")
	if n := part(got, "#flow-"+run).Length(); n != 1 || strings.Contains(part(got, "#flow-"+run).Text(), "42 %") {
		t.Errorf("finished blocks are sent again: %s", part(got, "#flow-"+run).Text())
	}
	p.final(t, run, session, "It is **42 %** full.\n\nMore\ntext\n\nand a last line\n", wire.VerdictNothingRan)
	s.until("Nothing changed")
}

func TestChat_streamHealsWhatWasLost(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	run, session := newID(), newID()
	p.begin(run, session, "Tell me")
	b := h.owner(t, of)
	s := b.open(b.get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", ""), "")
	p.delta(t, run, session, "one ", false)
	s.until("one")
	p.delta(t, run, session, "two ", true) // lost on the way
	p.delta(t, run, session, "three", false)
	if got := part(s.until("three"), "#tail-"+run).Text(); !strings.Contains(got, "one two three") {
		t.Errorf("the page shows %q", got)
	}
}

func TestChat_streamResumesWithoutRepeating(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	run, session := newID(), newID()
	p.begin(run, session, "Tell me")
	b := h.owner(t, of)
	address := b.get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", "")
	s := b.open(address, "")
	p.delta(t, run, session, "First block.\n\nSecond block.\n\nThird\n", false)
	seen := s.until("Third")
	s.cancel()
	p.delta(t, run, session, "block.\n\nFourth\n", true)
	again := b.open(address, seen[len(seen)-1].id)
	got := again.until("Fourth")
	flow := part(got, "#flow-"+run).Text()
	if !strings.Contains(flow, "Third\nblock.") || strings.Contains(flow, "First block.") || strings.Contains(flow, "Second block.") {
		t.Errorf("resumed with %q", flow)
	}
}

func TestChat_secondTabSeesANewTurn(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	old, session := newID(), newID()
	p.begin(old, session, "Before")
	p.final(t, old, session, "Done before.", wire.VerdictNothingRan)
	p.sessions[0].Turns[0].Run.State = wire.RunDone
	b := h.owner(t, of)
	s := b.open(b.get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", ""), "")
	s.until("badge-approvals") // it is open
	run := newID()
	p.begin(run, session, "Asked in the other tab")
	p.delta(t, run, session, "Answered there.", false)
	got := part(s.until("Answered there."), "#thread:not(:has(#turn-"+run+"))")
	if got.Find("#turn-"+run+"-asks").Length() != 1 || got.Find("#turn-"+run).Length() != 1 {
		t.Error("the second tab gets no whole turn")
	}
}

// TestChat_awayForLong: a page that was away while others wrote shows all of it when it is back, without a hole.
func TestChat_awayForLong(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	old, session := newID(), newID()
	p.begin(old, session, "Before")
	p.final(t, old, session, "Done before.", wire.VerdictNothingRan)
	p.sessions[0].Turns[0].Run.State = wire.RunDone
	b := h.owner(t, of)
	address := b.get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", "")
	var missed []string
	for i := range 13 {
		run := newID()
		p.begin(run, session, fmt.Sprintf("Meanwhile %d", i))
		p.final(t, run, session, fmt.Sprintf("Answer %d.", i), wire.VerdictNothingRan)
		missed = append(missed, run)
	}
	s := b.open(address, "")
	got := fmt.Sprint(s.until(`id="turn-` + missed[len(missed)-1] + `"`))
	for i, run := range missed {
		if !strings.Contains(got, `id="turn-`+run+`"`) {
			t.Errorf("turn %d is missing", i)
		}
	}
	if strings.Contains(got, `id="turn-`+old+`"`) {
		t.Error("what the page shows comes again")
	}
}

// TestChat_stopStaysWithWhatRuns: a command of the reader ends at once. What its own answer has put in the place of Stop
// is put right.
func TestChat_stopStaysWithWhatRuns(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	run, session := newID(), newID()
	p.begin(run, session, "Tell me")
	b := h.owner(t, of)
	s := b.open(b.get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", ""), "")
	p.delta(t, run, session, "one ", false)
	s.until("one")
	status := newID()
	p.begin(status, session, "/status")
	p.final(t, status, session, "All is quiet.", wire.VerdictNothingRan)
	stop := `action="/app/runs/` + run + `/stop"`
	got := part(s.until("All is quiet."), "#composer-bar")
	if n := got.Find("form[" + stop + "]").Length(); n != 1 {
		t.Errorf("the page offers %s", got.Text())
	}
	p.sessions[0].Turns[1].Run.State = wire.RunDone
	refused := b.partial("/app/chat", url.Values{"session": {session}, "agent": {"dispatcher"}, "text": {"   "}})
	if refused.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(refused.text, stop) {
		t.Errorf("a refused message takes Stop away: %d %s", refused.StatusCode, refused.text)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	h := start(t)
	of, other := h.newCustomer(t), h.newCustomer(t)
	p := h.link(t, of)
	h.link(t, other)
	run, session := newID(), newID()
	p.begin(run, session, "Something long")
	b := h.owner(t, of)
	if got := b.partial("/app/runs/"+run+"/stop", url.Values{}); got.StatusCode != http.StatusNoContent {
		t.Errorf("htmx got %d", got.StatusCode)
	}
	if got := b.post("/app/runs/"+run+"/stop", url.Values{"back": {"/app/chat"}}); got.Header.Get("Location") != "/app/chat" {
		t.Errorf("a plain form is led to %q", got.Header.Get("Location"))
	}
	if got := b.post("/app/runs/"+run+"/stop", url.Values{"back": {"//evil.example"}}); got.Header.Get("Location") != "/app/runs/"+run {
		t.Errorf("a plain form is led to %q", got.Header.Get("Location"))
	}
	if got := h.owner(t, other).partial("/app/runs/"+run+"/stop", url.Values{}); got.StatusCode != http.StatusNotFound {
		t.Errorf("another customer got %d", got.StatusCode)
	}
	if len(p.canceled) != 3 {
		t.Errorf("the server stopped %d times", len(p.canceled))
	}
}

// TestStop_notTakenYet: a message waits for a server that is back and has not taken it. Its Stop waits behind it, and the
// page says so; what never was said is not found all the same once nothing waits.
func TestStop_notTakenYet(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	p.away(t)
	b := h.owner(t, of)
	got := b.partial("/app/chat", url.Values{"session": {newID()}, "agent": {"dispatcher"}, "text": {"order flour for a year"}})
	p.back(t)
	stop := regexp.MustCompile(`action="(/app/runs/[^/]+/stop)"`).FindStringSubmatch(got.text)
	if len(stop) != 2 {
		t.Fatalf("no Stop: %s", got.text)
	}
	if got := b.partial(stop[1], url.Values{}); got.StatusCode != http.StatusOK || !strings.Contains(got.text, "as soon as") {
		t.Errorf("got %d: %s", got.StatusCode, got.text)
	}
	var waits string
	must(t, h.db.Pool.QueryRow(t.Context(), "SELECT string_agg(type, ' ' ORDER BY seq) FROM link_out WHERE type IN ('chat.message', 'run.cancel')").Scan(&waits))
	if waits != "chat.message run.cancel" {
		t.Errorf("there waits %s", waits)
	}
	_, err := h.db.Pool.Exec(t.Context(), "DELETE FROM link_out")
	must(t, err)
	if got := b.partial(stop[1], url.Values{}); got.StatusCode != http.StatusNotFound {
		t.Errorf("a run that never was: %d", got.StatusCode)
	}
}
