package channel_test

import (
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// TestRemoved_takesBack: what waits when a channel is removed never goes out, also when the channel is set up again, and its files are
// gone.
func TestRemoved_takesBack(t *testing.T) {
	t.Parallel()
	w := withFiles(t, wire.ChannelPairing)
	w.allow(t, stranger, false)
	w.attach(w.paper(t, "offer.txt", "We offer"))
	w.asksWith(t, stranger, "Here it is.")
	asked := w.asked(t)
	w.attach()
	w.post.refuses(&channel.Later{Text: "Too many messages."})
	w.came(from(owner, "<1@x>", "Hello", true))
	until(t, "a run", func() bool { return len(w.all(t)) == 2 })
	w.answer(t, w.all(t)[1].RunID, "Old.")
	until(t, "it was tried", func() bool { return w.tries(t) == 1 })
	if _, err := w.act(wire.ChannelAct{Do: wire.ChannelDoRemove}); err != nil {
		t.Fatal(err)
	}
	until(t, "the request is withdrawn", func() bool { p, err := w.Pending(asked.RunID); return err == nil && len(p) == 0 })
	until(t, "no copy is left", func() bool { w.Wake(); return len(w.outgoing(t)) == 0 })
	w.post.refuses(nil)
	if _, err := w.act(putting(wire.ChannelPairing)); err != nil {
		t.Fatal(err)
	}
	w.allow(t, owner, true)
	w.pass(2 * time.Hour)
	w.came(from(owner, "<1@x>", "Hello", true), from(owner, "<2@x>", "Hello", true))
	until(t, "a run", func() bool { return len(w.all(t)) == 3 })
	w.answer(t, w.all(t)[2].RunID, "New.")
	until(t, "the new answer", func() bool { return w.view(t).Counts.Sent == 1 })
	if all := w.sent(t); len(all) != 1 || all[0].Text != "New." {
		t.Errorf("%+v", all)
	}
	why, err := w.columnOf("SELECT why FROM channel_outbox WHERE state = 'denied'")
	if err != nil || len(why) != 2 || why[0] != "The channel was removed." || why[1] != why[0] {
		t.Errorf("%q, %v", why, err)
	}
}
