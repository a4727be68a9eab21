package telegram_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/telegram/telegramtest"
	"gatehouse/agentd/wire"
)

const hook = "https://hub.example/h/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"

func deliver(t *testing.T, ch channel.Channel, d wire.ChannelDelivery) wire.ChannelAnswer {
	t.Helper()
	to, is := ch.(channel.Hooked)
	if !is {
		t.Error("nothing can be brought to it")
		return wire.ChannelAnswer{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return to.Deliver(ctx, d)
}

// TestHook: Telegram brings what was written, also what was written before, until it is taken; what does not say the secret of this bot and
// this address is not read. Asked for again, the bot takes its webhook back.
func TestHook(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	s.Says(owner, "Before")
	r := run(t, s, channel.Env{Hook: hook}).Ready(t)
	url, secret := s.Hook()
	if url != hook || len(secret) < 32 {
		t.Fatalf("%q, a secret of %d characters", url, len(secret))
	}
	update := []byte(`{"update_id":7,"message":{"message_id":1,"from":{"id":8000000001,"first_name":"X"},"chat":{"id":8000000001,` +
		`"type":"private"},"date":1780000000,"text":"Hello"}}`)
	for what, given := range map[string]string{"none": "", "another": secret[1:] + "x", "the token": s.Token()} {
		if got := deliver(t, r.Channel, telegramtest.Delivery(update, given)); got.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d", what, got.Status)
		}
	}
	if got := deliver(t, r.Channel, telegramtest.Delivery([]byte("{"), secret)); got.Status != http.StatusBadRequest {
		t.Errorf("rubbish: %d", got.Status)
	}
	if len(r.Came()) != 0 {
		t.Fatalf("%+v", r.Came())
	}
	s.Bring(func(url string, d wire.ChannelDelivery) wire.ChannelAnswer {
		if url != hook {
			t.Errorf("it is brought to %q", url)
		}
		return deliver(t, r.Channel, d)
	})
	s.Says(owner, "Now")
	if all := r.Waits(t, 2); all[0].Text != "Before" || all[1].Text != "Now" || !all[1].Proven {
		t.Errorf("%+v", all)
	}
	r.Stop()
	if got := deliver(t, r.Channel, telegramtest.Delivery(update, secret)); got.Status != http.StatusServiceUnavailable {
		t.Errorf("%d", got.Status)
	}
	polled := run(t, s, channel.Env{}).Ready(t)
	if url, _ := s.Hook(); url != "" {
		t.Errorf("the webhook is still %q", url)
	}
	s.Says(owner, "Asked for")
	polled.Waits(t, 1)
}

// TestHook_allows: what Telegram brings allows nothing, since it passes the hub; what it is asked for may.
func TestHook_allows(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	for at, may := range map[string]bool{"": true, hook: false} {
		if can := made(t, s, channel.Env{Hook: at}).Capabilities(); can.Allows != may || !can.Buttons {
			t.Errorf("%q: %+v", at, can)
		}
	}
}

// TestHook_other: a webhook of another program stays where it is, and is said; one that takes the place of ours ends the run.
func TestHook_other(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	s.SetHook("https://elsewhere.example/bot")
	if !trouble(t, s, run(t, s, channel.Env{}).End(t), "by a webhook") {
		t.Error("trying again helps")
	}
	if url, _ := s.Hook(); url != "https://elsewhere.example/bot" {
		t.Errorf("%q", url)
	}
	s2 := telegramtest.Start(t)
	r := run(t, s2, channel.Env{Hook: hook}).Ready(t)
	s2.SetHook("https://elsewhere.example/bot")
	trouble(t, s2, r.End(t), "Another program")
	s3 := telegramtest.Start(t)
	r = run(t, s3, channel.Env{Hook: hook}).Ready(t)
	token := s3.Token()
	s3.Revoke()
	if err := r.End(t); !trouble(t, s3, err, "does not accept the token") || strings.Contains(err.Error(), token) {
		t.Error(err)
	}
}
