package channel_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// TestStranger_repliesNotToKnown: what somebody asked while the owner had them confirmed is no stranger's run. Its answer is asked about,
// also when they are confirmed no more.
func TestStranger_repliesNotToKnown(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	w.write(t, from(stranger, "<1@x>", "Do you have a bike?", true), "We do.")
	w.sentTo(t, 1)
	w.allow(t, stranger, false)
	s := w.write(t, from(stranger, "<2@x>", "And what did it cost you?", true), "")
	for _, p := range w.view(t).People {
		if p.Address != stranger {
			continue
		}
		if _, err := w.act(wire.ChannelAct{Do: wire.ChannelDoUnlink, Person: p.ID, Version: w.view(t).Version}); err != nil {
			t.Fatal(err)
		}
	}
	w.answer(t, s.RunID, "Three euros.")
	if a := w.request(t, 1); !strings.Contains(string(a.Args), "Three euros.") || len(w.others(t)) != 1 {
		t.Errorf("%s, sent %+v", a.Args, w.others(t))
	}
	w.write(t, from(stranger, "<3@x>", "And a lamp?", true), "That too.")
	if m := w.sentTo(t, 2); m.Text != "That too." {
		t.Errorf("%+v", m)
	}
}

// TestStranger_repliesAgain: an answer about which nobody is asked is sent later where the provider takes none now. One that a person has
// allowed is not: they allowed that one.
func TestStranger_repliesAgain(t *testing.T) {
	t.Parallel()
	w := openTo(t, replies)
	w.post.refuses(&channel.Later{Text: "Too many messages."})
	w.write(t, from(stranger, "<1@x>", "Do you have a bike?", true), "We do.")
	until(t, "it was tried", func() bool { return w.tries(t) == 1 })
	w.post.refuses(nil)
	w.pass(time.Hour)
	w.Wake()
	if m := w.sentTo(t, 1); m.To != stranger || !strings.HasSuffix(m.Text, "We do.") {
		t.Errorf("%+v", m)
	}
	w.put(t, wire.StrangerSettings{})
	w.write(t, from(stranger, "<2@x>", "And a lamp?", true), "That too.")
	a := w.request(t, 1)
	w.post.refuses(&channel.Later{Text: "Too many messages."})
	if err := w.Decide(decision(a, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	until(t, "it has failed", func() bool { return w.view(t).Counts.Failed == 1 })
}
