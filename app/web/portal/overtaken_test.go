package portal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestChat_overtakenMessage: a message that was sent sooner and arrives later stands where the server has it: at the end.
func TestChat_overtakenMessage(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	first, second, third, last, session := newID(), newID(), newID(), newID(), newID()
	done := func(run, text string) {
		p.begin(run, session, text)
		p.final(t, run, session, "Answer to "+text+".", wire.VerdictNothingRan)
	}
	done(last, "the newest")
	p.sessions[0].Turns[0].Run.State = wire.RunDone
	b := h.owner(t, of)
	address := b.get("/app/chat/" + session).live()
	done(first, "before the stream")
	s := b.open(address, "")
	seen := s.until(`id="turn-` + first + `"`)
	done(third, "on the stream")
	seen = append(seen, s.until("Answer to on the stream.")...)
	s.cancel()
	done(second, "while the stream was away")
	again := b.open(address, seen[len(seen)-1].id).until(`id="turn-` + second + `"`)
	if all := fmt.Sprint(seen, again); strings.Contains(all, `id="turn-`+last+`"`) {
		t.Error("what the page shows comes again")
	}
}

// TestChat_severalAtOnceInTheOrderOfTheServer: turns that came while nobody looked stand as they do on a page made anew.
func TestChat_severalAtOnceInTheOrderOfTheServer(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	session, shown := newID(), newID()
	p.begin(shown, session, "Before")
	b := h.owner(t, of)
	address := b.get("/app/chat/" + session).live()
	var runs []string
	for range 7 {
		runs = append(runs, newID())
	}
	slices.Reverse(runs)
	for _, run := range runs {
		p.begin(run, session, "Meanwhile")
	}
	got := fmt.Sprint(b.open(address, "").until(`id="turn-` + runs[len(runs)-1] + `"`))
	at := -1
	for i, run := range runs {
		if next := strings.Index(got, `id="turn-`+run+`"`); next <= at {
			t.Errorf("turn %d of %d does not follow the one before", i, len(runs))
		} else {
			at = next
		}
	}
}
