package slack_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/slack"
	"gatehouse/agentd/channel/slack/slacktest"
	"gatehouse/agentd/wire"
)

const signing = "Lantern-Harbor-71"

// hooked has an app to which Slack brings its messages hand on what comes.
func hooked(t *testing.T, s *slacktest.Server, cursor string) (*channeltest.Reader, channel.Hooked) {
	t.Helper()
	bot, _ := s.Tokens()
	e := kept(`{"bot_token":"` + bot + `","signing_secret":"` + signing + `"}`)
	e.BaseURL, e.Log, e.Now, e.Cursor = s.URL, quiet, time.Now, cursor
	var ch channel.Channel
	r := channeltest.Run(t, cursor, func(up func(string)) channel.Channel {
		e.Up = up
		var err error
		ch, err = slack.Kind().Make(channel.Settings{Chat: wire.ChatSettings{Account: slacktest.App, Way: wire.ChatHook}}, e)
		if err != nil {
			t.Fatal(err)
		}
		return ch
	})
	to, is := ch.(channel.Hooked)
	if !is {
		t.Fatal("nothing can be brought to it")
	}
	return r, to
}

// signed is what Slack brings, signed at a time.
func signed(kind, body string, at time.Time) wire.ChannelDelivery {
	stamp := fmt.Sprint(at.Unix())
	mac := hmac.New(sha256.New, []byte(signing))
	mac.Write([]byte("v0:" + stamp + ":" + body))
	return wire.ChannelDelivery{Method: http.MethodPost, Body: []byte(body), Headers: map[string]string{
		"content-type": kind, "x-slack-request-timestamp": stamp, "x-slack-signature": "v0=" + hex.EncodeToString(mac.Sum(nil)),
	}}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestHook: what Slack brings is taken before it hears so; its question whether the address is the app's is answered; what was missed is
// read; a press and a command are read as by Socket Mode.
func TestHook(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r, to := hooked(t, s, "")
	r.Ready(t)
	brings := func(kind, body string) string {
		t.Helper()
		got := to.Deliver(t.Context(), signed(kind, body, time.Now()))
		if got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		return string(got.Body)
	}
	if got := brings("application/json", `{"type":"url_verification","challenge":"abc"}`); got != "abc" {
		t.Errorf("Slack asks whether it is the address of the app, and is told %q", got)
	}
	m := s.Says(owner, "Hello")
	for range 5 {
		brings("application/json", asJSON(t, slacktest.EventOf(m)))
	}
	all := r.Waits(t, 5)
	if len(onlyOnce(all)) != 1 || all[0].Text != "Hello" || all[0].Address != owner.ID || !all[0].Proven {
		t.Errorf("%+v", all)
	}
	press := map[string]any{
		"type": "block_actions", "api_app_id": slacktest.App, "team": map[string]string{"id": slacktest.Team},
		"user": map[string]string{"id": owner.ID}, "container": map[string]string{"message_ts": m.At, "channel_id": m.Channel},
		"actions": []any{map[string]string{"value": "a:1", "action_ts": "1.000002"}},
	}
	const form = "application/x-www-form-urlencoded"
	brings(form, url.Values{"payload": {asJSON(t, press)}}.Encode())
	brings(form, url.Values{
		"text": {"status"}, "user_id": {owner.ID}, "trigger_id": {"7.1"}, "team_id": {slacktest.Team}, "api_app_id": {slacktest.App},
	}.Encode())
	brings("application/json", `{"nothing":"to answer"}`)
	brings(form, "%zz")
	all = r.Waits(t, 7)
	if all[5].Press == nil || all[5].Press.Data != "a:1" || all[6].Text != "/status" || len(all) != 7 {
		t.Errorf("%+v", all[5:])
	}
	r.Stop()
	if got := to.Deliver(t.Context(), signed("application/json", asJSON(t, slacktest.EventOf(m)), time.Now())); got.Status != 503 {
		t.Errorf("%d: what is not taken anymore is to be brought again", got.Status)
	}
	s.Says(owner, "While it is away")
	again, _ := hooked(t, s, r.At())
	if got := texts(again.Waits(t, 1)); !slices.Equal(got, []string{"While it is away"}) {
		t.Errorf("%q", got)
	}
}

// brings has what somebody wrote brought to the app.
func brings(t *testing.T, to channel.Hooked, m slacktest.Message) {
	t.Helper()
	body := asJSON(t, slacktest.EventOf(m))
	if got := to.Deliver(t.Context(), signed("application/json", body, time.Now())); got.Status != http.StatusOK {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
}

// TestHook_missed: what Slack could not bring is read from time to time, and before a message that comes after it.
func TestHook_missed(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r, to := hooked(t, s, "")
	r.Ready(t)
	brings(t, to, s.Says(owner, "1"))
	s.Says(owner, "2")
	channeltest.Until(t, "what was not brought", func() bool { return len(onlyOnce(r.Came())) == 2 })
	s.Says(owner, "3")
	brings(t, to, s.Says(owner, "4"))
	if got := texts(onlyOnce(r.Waits(t, 4))); !slices.Equal(got, []string{"1", "2", "3", "4"}) {
		t.Errorf("%q", got)
	}
}

// TestHook_gap: while what was missed cannot be read, the cursor stays before it.
func TestHook_gap(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r, to := hooked(t, s, "")
	r.Ready(t)
	brings(t, to, s.Says(owner, "1"))
	s.Fail("conversations.history", slices.Repeat([]slacktest.Fault{{Status: 500}}, 100)...)
	s.Says(owner, "2")
	brings(t, to, s.Says(owner, "3"))
	if got := texts(onlyOnce(r.Waits(t, 2))); !slices.Equal(got, []string{"1", "3"}) {
		t.Errorf("%q", got)
	}
	r.Stop()
	s.Mend("conversations.history")
	again, _ := hooked(t, s, r.At())
	if got := texts(onlyOnce(again.Waits(t, 2))); !slices.Equal(got, []string{"2", "3"}) {
		t.Errorf("%q", got)
	}
}

// TestHook_forged: what Slack has not signed, what somebody has changed, and what is of another time is nothing.
func TestHook_forged(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r, to := hooked(t, s, "")
	r.Ready(t)
	body := asJSON(t, slacktest.EventOf(s.Says(owner, "Hello")))
	for name, change := range map[string]func(d *wire.ChannelDelivery){
		"not signed":   func(d *wire.ChannelDelivery) { delete(d.Headers, "x-slack-signature") },
		"another text": func(d *wire.ChannelDelivery) { d.Body = []byte(strings.Replace(body, "Hello", "Pay me", 1)) },
		"another time": func(d *wire.ChannelDelivery) { d.Headers["x-slack-request-timestamp"] += "0" },
		"no time":      func(d *wire.ChannelDelivery) { d.Headers["x-slack-request-timestamp"] = "" },
		"another way":  func(d *wire.ChannelDelivery) { d.Method = http.MethodGet },
		"another version": func(d *wire.ChannelDelivery) {
			d.Headers["x-slack-signature"] = "v1" + d.Headers["x-slack-signature"][2:]
		},
		"six minutes ago":    func(d *wire.ChannelDelivery) { *d = signed("application/json", body, time.Now().Add(-6*time.Minute)) },
		"in six minutes":     func(d *wire.ChannelDelivery) { *d = signed("application/json", body, time.Now().Add(6*time.Minute)) },
		"an empty signature": func(d *wire.ChannelDelivery) { d.Headers["x-slack-signature"] = "" },
	} {
		d := signed("application/json", body, time.Now())
		change(&d)
		if got := to.Deliver(t.Context(), d); got.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	for _, off := range []time.Duration{-4 * time.Minute, 4 * time.Minute} { // a clock that is off
		if got := to.Deliver(t.Context(), signed("application/json", body, time.Now().Add(off))); got.Status != http.StatusOK {
			t.Errorf("%s: %d", off, got.Status)
		}
	}
	if all := r.Waits(t, 2); len(all) != 2 {
		t.Errorf("%+v", all)
	}
}

// TestHook_trouble: without the signing secret nothing is taken; a token that is taken back is noticed though nothing is brought.
func TestHook_trouble(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	bot, app := s.Tokens()
	e := kept(`{"bot_token":"` + bot + `","app_token":"` + app + `"}`)
	e.BaseURL, e.Log, e.Now = s.URL, quiet, time.Now
	ch, err := slack.Kind().Make(channel.Settings{Chat: wire.ChatSettings{Account: slacktest.App, Way: wire.ChatHook}}, e)
	if err != nil {
		t.Fatal(err)
	}
	if reads, sends := ch.Check(t.Context()); !strings.Contains(reads, "signing secret") || reads != sends {
		t.Errorf("%q %q", reads, sends)
	}
	if !trouble(t, s, ch.Run(t.Context(), nil), "signing secret") {
		t.Error("trying again helps")
	}
	r, _ := hooked(t, s, "")
	r.Ready(t)
	if reads, sends := r.Check(t.Context()); reads+sends != "" {
		t.Errorf("%q %q", reads, sends)
	}
	s.Revoke()
	if !trouble(t, s, r.End(t), "does not accept a token") {
		t.Error("trying again helps")
	}
}
