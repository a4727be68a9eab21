package chat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestChat_overtakenMessage: a message that was sent sooner and arrives later stands where the server has it: at the end.
func TestChat_overtakenMessage(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	first, second, third, last, session := portaltest.NewID(), portaltest.NewID(), portaltest.NewID(), portaltest.NewID(), portaltest.NewID()
	done := func(run, text string) {
		p.Begin(run, session, text)
		p.Final(t, run, session, "Answer to "+text+".", wire.VerdictNothingRan)
	}
	done(last, "the newest")
	p.Sessions[0].Turns[0].Run.State = wire.RunDone
	b := h.Owner(t, of)
	address := b.Get("/app/chat/" + session).Live()
	done(first, "before the stream")
	s := b.Open(address, "")
	seen := s.Until(`id="turn-` + first + `"`)
	done(third, "on the stream")
	seen = append(seen, s.Until("Answer to on the stream.")...)
	s.Cancel()
	done(second, "while the stream was away")
	again := b.Open(address, seen[len(seen)-1].ID).Until(`id="turn-` + second + `"`)
	if all := fmt.Sprint(seen, again); strings.Contains(all, `id="turn-`+last+`"`) {
		t.Error("what the page shows comes again")
	}
}

// TestChat_severalAtOnceInTheOrderOfTheServer: turns that came while nobody looked stand as they do on a page made anew.
func TestChat_severalAtOnceInTheOrderOfTheServer(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	session, shown := portaltest.NewID(), portaltest.NewID()
	p.Begin(shown, session, "Before")
	b := h.Owner(t, of)
	address := b.Get("/app/chat/" + session).Live()
	var runs []string
	for range 7 {
		runs = append(runs, portaltest.NewID())
	}
	slices.Reverse(runs)
	for _, run := range runs {
		p.Begin(run, session, "Meanwhile")
	}
	got := fmt.Sprint(b.Open(address, "").Until(`id="turn-` + runs[len(runs)-1] + `"`))
	at := -1
	for i, run := range runs {
		if next := strings.Index(got, `id="turn-`+run+`"`); next <= at {
			t.Errorf("turn %d of %d does not follow the one before", i, len(runs))
		} else {
			at = next
		}
	}
}
