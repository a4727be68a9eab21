package whatsapp_test

import (
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/whatsapp/whatsapptest"
	"gatehouse/agentd/wire"
)

// TestDeliver_greeting: Meta is told its challenge only with the verify token of this channel.
func TestDeliver_greeting(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	ch := made(t, s, channel.Env{})
	got := deliver(t, ch, whatsapptest.Greeting(whatsapptest.Verify, "1158201444"))
	if got.Status != http.StatusOK || string(got.Body) != "1158201444" || got.Type != wire.ChannelText {
		t.Errorf("%+v", got)
	}
	for what, d := range map[string]wire.ChannelDelivery{
		"another token":  whatsapptest.Greeting("other", "1158201444"),
		"no token":       whatsapptest.Greeting("", "1158201444"),
		"no challenge":   whatsapptest.Greeting(whatsapptest.Verify, ""),
		"a long one":     whatsapptest.Greeting(whatsapptest.Verify, strings.Repeat("1", 201)),
		"another mode":   {Method: "GET", Query: "hub.mode=x&hub.challenge=1&hub.verify_token=" + whatsapptest.Verify},
		"nothing at all": {Method: "GET"},
	} {
		if got := deliver(t, ch, d); got.Status != http.StatusForbidden || strings.Contains(string(got.Body), "1158201444") {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// TestDeliver_signature: nothing is read that Meta has not signed with the secret of the app, byte for byte.
func TestDeliver_signature(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	body := whatsapptest.Message("wamid.1", owner, time.Now(), "text", map[string]any{"text": map[string]string{"body": "Hello"}})
	right := s.Sign(body)
	other := whatsapptest.Start(t)
	for what, sign := range map[string]string{
		"missing": "", "no algorithm": strings.TrimPrefix(right, "sha256="), "another secret": other.Sign(body),
		"of another body": s.Sign(body[1:]),
		"cut off":         right[:len(right)-2], "not hex": "sha256=" + strings.Repeat("x", 64),
		"older": "sha1=" + hex.EncodeToString(make([]byte, 20)),
	} {
		d := s.Delivery(body)
		d.Headers["x-hub-signature-256"] = sign
		if sign == "" {
			delete(d.Headers, "x-hub-signature-256")
		}
		if got := deliver(t, r.Channel, d); got.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d", what, got.Status)
		}
	}
	d := s.Delivery(body)
	d.Method = http.MethodPut
	if got := deliver(t, r.Channel, d); got.Status != http.StatusMethodNotAllowed {
		t.Errorf("another method: %d", got.Status)
	}
	if got := deliver(t, r.Channel, s.Delivery([]byte("{"))); got.Status != http.StatusBadRequest {
		t.Errorf("rubbish: %d", got.Status)
	}
	if len(r.Came()) != 0 {
		t.Fatalf("%+v", r.Came())
	}
	if got := deliver(t, r.Channel, s.Delivery(body)); got.Status != http.StatusOK || len(r.Came()) != 1 {
		t.Errorf("%d, %d came", got.Status, len(r.Came()))
	}
}

// TestDeliver_away: what is brought while nobody takes it is refused, and comes again.
func TestDeliver_away(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	first := run(t, s, channel.Env{}).Ready(t)
	s.Says(owner, "First")
	first.Waits(t, 1)
	first.Stop()
	body := whatsapptest.Message("wamid.1", owner, time.Now(), "text", map[string]any{"text": map[string]string{"body": "Hello"}})
	if got := deliver(t, first.Channel, s.Delivery(body)); got.Status != http.StatusServiceUnavailable || got.RetryAfter == 0 {
		t.Errorf("%+v", got)
	}
	s.Says(owner, "Meanwhile")
	again := run(t, s, channel.Env{}).Ready(t)
	if all := again.Waits(t, 1); all[0].Text != "Meanwhile" {
		t.Errorf("%+v", all)
	}
}

// TestDeliver_others: what is brought for another number, what is too old to be known again, and what nobody wrote is taken and nothing.
// A clock that is five minutes off changes nothing.
func TestDeliver_others(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	r := run(t, s, channel.Env{Now: func() time.Time { return time.Now().Add(-5 * time.Minute) }}).Ready(t)
	text := map[string]any{"text": map[string]string{"body": "Hello"}}
	foreign := string(whatsapptest.Message("wamid.1", owner, time.Now(), "text", text))
	foreign = strings.ReplaceAll(foreign, whatsapptest.Account, "99999999")
	group := map[string]any{"text": map[string]string{"body": "Hello"}, "group_id": "G1"}
	for what, body := range map[string][]byte{
		"another number": []byte(foreign),
		"old":            whatsapptest.Message("wamid.2", owner, time.Now().Add(-31*24*time.Hour), "text", text),
		"nobody":         whatsapptest.Message("wamid.3", whatsapptest.Person{}, time.Now(), "text", text),
		"a group":        whatsapptest.Message("wamid.4", owner, time.Now(), "text", group),
		"a reaction":     whatsapptest.Message("wamid.5", owner, time.Now(), "reaction", map[string]any{"reaction": map[string]string{}}),
		"empty":          []byte("{}"),
	} {
		if got := deliver(t, r.Channel, s.Delivery(body)); got.Status != http.StatusOK || len(r.Came()) != 0 {
			t.Errorf("%s: %d, %+v", what, got.Status, r.Came())
		}
	}
	last := s.Delivery(whatsapptest.Message("wamid.6", owner, time.Now(), "text", text))
	if got := deliver(t, r.Channel, last); got.Status != http.StatusOK {
		t.Errorf("%d", got.Status)
	}
	if all := r.Came(); len(all) != 1 {
		t.Errorf("%+v", all)
	}
}
