package channel_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// doored is a provider that brings messages: a body is the text of one of the owner, and its id.
type doored struct {
	*post

	door *channel.Door
}

func (d *doored) Run(ctx context.Context, inbox chan<- channel.Inbound) error {
	d.env.Up("")
	return d.door.Run(ctx, inbox)
}

func (d *doored) Deliver(ctx context.Context, w wire.ChannelDelivery) wire.ChannelAnswer {
	if string(w.Body) == "panic" {
		panic("a parser")
	}
	if d.door.Take(ctx, from(owner, string(w.Body), string(w.Body), true)) != nil {
		return channel.NotNow()
	}
	return wire.ChannelAnswer{Status: http.StatusOK}
}

// TestDeliver: a channel whose messages are brought has an address that nobody can guess. What is brought there is answered once its run
// is on disk, a repeat begins nothing more, and a paused channel has it brought again. Removed and set up again it has another address.
func TestDeliver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := newPost(dir)
	p.hooked = true
	w := startIn(t, dir, p)
	put := putting(wire.ChannelPairing)
	put.Chat.Way = wire.ChatHook
	made, err := w.act(put)
	if err != nil || !wire.ChannelHooked(made.Hook) {
		t.Fatalf("%q, %v", made.Hook, err)
	}
	w.allow(t, owner, true)
	bring := func(hook, body string) int {
		t.Helper()
		d := wire.ChannelDelivery{Hook: hook, Method: http.MethodPost, Body: []byte(body)}
		got, err := ask[wire.ChannelAnswer](w, wire.MethodChannelDeliver, d)
		if err != nil {
			t.Fatal(err)
		}
		return got.Status
	}
	until(t, "it takes messages", func() bool { return w.view(t).Live.Connected })
	for range 5 {
		if got := bring(made.Hook, "first"); got != http.StatusOK {
			t.Errorf("%d", got)
		}
	}
	if all := w.all(t); len(all) != 1 {
		t.Errorf("%d runs when it is answered", len(all))
	}
	if got := bring(made.Hook, "panic"); got != http.StatusBadRequest {
		t.Errorf("what cannot be read: %d", got)
	}
	for _, hook := range []string{"", "x", strings.Repeat("x", 43), made.Hook[1:] + "x"} {
		if got := bring(hook, "other"); got != http.StatusNotFound {
			t.Errorf("%q: %d", hook, got)
		}
	}
	put.Version = w.view(t).Version
	if now, err := w.act(put); err != nil || now.Hook != made.Hook {
		t.Errorf("changed, it is at %q (%v)", now.Hook, err)
	}
	until(t, "it takes messages again", func() bool { return bring(made.Hook, "second") == http.StatusOK })
	if _, err := w.unsigned(wire.ChannelAct{Do: wire.ChannelDoPause}); err != nil {
		t.Fatal(err)
	}
	if got := bring(made.Hook, "third"); got != http.StatusServiceUnavailable {
		t.Errorf("paused: %d", got)
	}
	if gone, err := w.unsigned(wire.ChannelAct{Do: wire.ChannelDoRemove}); err != nil || gone.Hook != "" {
		t.Errorf("%q, %v", gone.Hook, err)
	}
	if got := bring(made.Hook, "third"); got != http.StatusNotFound {
		t.Errorf("removed: %d", got)
	}
	put.Version = 0
	if again, err := w.act(put); err != nil || !wire.ChannelHooked(again.Hook) || again.Hook == made.Hook {
		t.Errorf("set up again it is at %q (%v)", again.Hook, err)
	}
	if all := w.all(t); len(all) != 2 {
		t.Errorf("%d runs", len(all))
	}
}

// TestReports: what a provider says later about a message is noted in whatever order it comes: what was read was delivered, what failed has
// not gone, and what nobody knew of has gone when the provider names it.
func TestReports(t *testing.T) {
	t.Parallel()
	w := start(t, wire.ChannelPairing)
	w.came(from(owner, "m1", "Hello", true))
	until(t, "a run", func() bool { return len(w.all(t)) == 1 })
	w.answer(t, w.all(t)[0].RunID, "Yes.")
	until(t, "an answer", func() bool { return w.view(t).Counts.Sent == 1 })
	id := w.sent(t)[0].ID
	state := func() (state, reported string) {
		t.Helper()
		if err := w.DB.Read().QueryRowContext(t.Context(), "SELECT state, reported FROM channel_outbox WHERE id = ?", id).
			Scan(&state, &reported); err != nil {
			t.Fatal(err)
		}
		return state, reported
	}
	for i, step := range []struct {
		report          channel.Report
		state, reported string
	}{
		{channel.Report{On: id, State: channel.Sent}, "sent", ""},
		{channel.Report{On: id, State: channel.Seen}, "sent", "read"},
		{channel.Report{On: id, State: channel.Delivered}, "sent", "read"},
		{channel.Report{On: id, State: channel.Failed, Why: "No phone."}, "sent", "read"},
		{channel.Report{On: "another", State: channel.Failed}, "sent", "read"},
	} {
		w.came(channel.Inbound{Report: &step.report}, from(owner, "after "+strconv.Itoa(i), "Hello", true))
		until(t, "what comes after it", func() bool { return len(w.all(t)) == i+2 })
		if s, r := state(); s != step.state || r != step.reported {
			t.Errorf("%d: %s, %s", i, s, r)
		}
	}
	w.post.mu.Lock()
	w.post.refuse = errors.New("nobody knows")
	w.post.mu.Unlock()
	w.answer(t, w.all(t)[1].RunID, "Yes.")
	until(t, "an answer of which nobody knows", func() bool { return w.view(t).Counts.Unknown == 1 })
	err := w.DB.Read().QueryRowContext(t.Context(), "SELECT id FROM channel_outbox WHERE state = 'unknown'").Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	w.came(channel.Inbound{Report: &channel.Report{On: "p7", ID: id, State: channel.Delivered}})
	until(t, "it went after all", func() bool { s, r := state(); return s == "sent" && r == "delivered" })
	w.came(channel.Inbound{Report: &channel.Report{On: "p7", State: channel.Failed, Why: "No phone."}})
	w.answer(t, w.all(t)[2].RunID, "Yes.")
	until(t, "another of which nobody knows", func() bool { return w.view(t).Counts.Unknown == 1 })
	if s, _ := state(); s != "sent" {
		t.Errorf("what was delivered is %s", s)
	}
	if err := w.DB.Read().QueryRowContext(t.Context(), "SELECT id FROM channel_outbox WHERE state = 'unknown'").Scan(&id); err != nil {
		t.Fatal(err)
	}
	failed := w.view(t).Counts.Failed
	w.came(channel.Inbound{Report: &channel.Report{On: "p8", ID: id, State: channel.Failed, Why: "No phone."}})
	until(t, "it failed", func() bool { return w.view(t).Counts.Failed == failed+1 })
}
