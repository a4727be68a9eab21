package chat_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

func TestChat_pageGoesOnWhereItsStreamBegins(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	run, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(run, session, "How full is the disk?")
	p.Delta(t, run, session, "It is **42 %** full.\n\nMore\n", true)
	p.Sessions[0].Turns[0].Last = 1
	b := h.Owner(t, of)

	page := b.Get("/app/chat")
	if got := strings.TrimSpace(page.Find("#tail-" + run).Text()); !strings.Contains(page.Find("#turn-"+run).Text(), "It is 42 % full.") || !strings.Contains(got, "More") {
		t.Fatalf("the page shows %q", page.Find("#thread").Text())
	}
	address := page.Find("#live").AttrOr("hx-sse:connect", "")
	if !strings.Contains(address, run+"_1") {
		t.Fatalf("the stream would begin anew: %s", address)
	}
	s := b.Open(address, "")
	p.Delta(t, run, session, "text\n\nand a last line\n", false)
	got := s.Until("and a last line")
	if n := portaltest.Part(got, "#flow-"+run).Length(); n != 1 || strings.Contains(portaltest.Part(got, "#flow-"+run).Text(), "42 %") {
		t.Errorf("finished blocks are sent again: %s", portaltest.Part(got, "#flow-"+run).Text())
	}
	p.Final(t, run, session, "It is **42 %** full.\n\nMore\ntext\n\nand a last line\n", wire.VerdictNothingRan)
	s.Until("Nothing changed")
}

func TestChat_streamHealsWhatWasLost(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	run, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(run, session, "Tell me")
	b := h.Owner(t, of)
	s := b.Open(b.Get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", ""), "")
	p.Delta(t, run, session, "one ", false)
	s.Until("one")
	p.Delta(t, run, session, "two ", true) // lost on the way
	p.Delta(t, run, session, "three", false)
	if got := portaltest.Part(s.Until("three"), "#tail-"+run).Text(); !strings.Contains(got, "one two three") {
		t.Errorf("the page shows %q", got)
	}
}

func TestChat_streamResumesWithoutRepeating(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	run, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(run, session, "Tell me")
	b := h.Owner(t, of)
	address := b.Get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", "")
	s := b.Open(address, "")
	p.Delta(t, run, session, "First block.\n\nSecond block.\n\nThird\n", false)
	seen := s.Until("Third")
	s.Cancel()
	p.Delta(t, run, session, "block.\n\nFourth\n", true)
	again := b.Open(address, seen[len(seen)-1].ID)
	got := again.Until("Fourth")
	flow := portaltest.Part(got, "#flow-"+run).Text()
	if !strings.Contains(flow, "Third\nblock.") || strings.Contains(flow, "First block.") || strings.Contains(flow, "Second block.") {
		t.Errorf("resumed with %q", flow)
	}
}

func TestChat_secondTabSeesANewTurn(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	old, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(old, session, "Before")
	p.Final(t, old, session, "Done before.", wire.VerdictNothingRan)
	p.Sessions[0].Turns[0].Run.State = wire.RunDone
	b := h.Owner(t, of)
	s := b.Open(b.Get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", ""), "")
	s.Until("badge-approvals") // it is open
	run := portaltest.NewID()
	p.Begin(run, session, "Asked in the other tab")
	p.Delta(t, run, session, "Answered there.", false)
	got := portaltest.Part(s.Until("Answered there."), "#thread:not(:has(#turn-"+run+"))")
	if got.Find("#turn-"+run+"-asks").Length() != 1 || got.Find("#turn-"+run).Length() != 1 {
		t.Error("the second tab gets no whole turn")
	}
}

// TestChat_awayForLong: a page that was away while others wrote shows all of it when it is back, without a hole.
func TestChat_awayForLong(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	old, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(old, session, "Before")
	p.Final(t, old, session, "Done before.", wire.VerdictNothingRan)
	p.Sessions[0].Turns[0].Run.State = wire.RunDone
	b := h.Owner(t, of)
	address := b.Get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", "")
	var missed []string
	for i := range 13 {
		run := portaltest.NewID()
		p.Begin(run, session, fmt.Sprintf("Meanwhile %d", i))
		p.Final(t, run, session, fmt.Sprintf("Answer %d.", i), wire.VerdictNothingRan)
		missed = append(missed, run)
	}
	s := b.Open(address, "")
	got := fmt.Sprint(s.Until(`id="turn-` + missed[len(missed)-1] + `"`))
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
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	run, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(run, session, "Tell me")
	b := h.Owner(t, of)
	s := b.Open(b.Get("/app/chat/"+session).Find("#live").AttrOr("hx-sse:connect", ""), "")
	p.Delta(t, run, session, "one ", false)
	s.Until("one")
	status := portaltest.NewID()
	p.Begin(status, session, "/status")
	p.Final(t, status, session, "All is quiet.", wire.VerdictNothingRan)
	stop := `action="/app/runs/` + run + `/stop"`
	got := portaltest.Part(s.Until("All is quiet."), "#composer-bar")
	if n := got.Find("form[" + stop + "]").Length(); n != 1 {
		t.Errorf("the page offers %s", got.Text())
	}
	p.Sessions[0].Turns[1].Run.State = wire.RunDone
	refused := b.Partial("/app/chat", url.Values{"session": {session}, "agent": {"dispatcher"}, "text": {"   "}})
	if refused.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(refused.Source, stop) {
		t.Errorf("a refused message takes Stop away: %d %s", refused.StatusCode, refused.Source)
	}
}

// TestChat_looksForTurnsAgain: the same for a message that came in while the conversation could not be read.
func TestChat_looksForTurnsAgain(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	old, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(old, session, "Before")
	b := h.Owner(t, of)
	s := b.Open(b.Get("/app/chat/"+session).Live(), "")
	p.Delta(t, old, session, "It is open now.", false)
	s.Until("It is open now.")
	p.Fail(t, wire.MethodSessionGet, 2)
	run := portaltest.NewID()
	p.Begin(run, session, "Asked in the other tab")
	p.Final(t, run, session, "Answered there.", wire.VerdictNothingRan)
	s.Until("Answered there.")
}
