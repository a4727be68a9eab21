package slack

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// hooked is the channel of an app to which Slack brings its messages (the Events API), at the address that the channel has at the hub.
type hooked struct {
	*App
	door *channel.Door

	one sync.Mutex // held while one delivery is taken: the cursor goes with it
	run *run       // nil: it takes none
}

var _ channel.Hooked = (*hooked)(nil)

// lookEvery is how often it is asked whether Slack still takes the token: nothing that is brought says so.
var lookEvery = 10 * time.Minute

// Run implements channel.Channel.
func (h *hooked) Run(ctx context.Context, out chan<- channel.Inbound) error {
	r, err := h.begin(ctx, out)
	if err == nil {
		err = r.isUp(ctx)
	}
	if err != nil {
		return ended(ctx, err)
	}
	h.takes(r)
	defer h.takes(nil)
	going, stop := context.WithCancel(ctx)
	defer stop()
	go h.look(going, r)
	return h.door.Run(ctx, out)
}

func (h *hooked) takes(r *run) {
	h.one.Lock()
	defer h.one.Unlock()
	h.run = r
}

// look ends the run of an app whose token Slack takes no more.
func (h *hooked) look(ctx context.Context, r *run) {
	for channel.Rest(ctx, lookEvery) == nil {
		if _, err := r.api.me(ctx); err != nil && troubleOf(ctx, err).Hard {
			h.door.Fail(troubleOf(ctx, err))
			return
		}
	}
}

// Deliver implements channel.Hooked. What Slack has not signed just now is nothing.
func (h *hooked) Deliver(ctx context.Context, d wire.ChannelDelivery) wire.ChannelAnswer {
	api, err := h.open(ctx)
	if err != nil {
		return channel.NotNow()
	}
	if d.Method != http.MethodPost || !api.signed(d, h.env.Now()) {
		return says(http.StatusUnauthorized, "This is not signed by Slack, or too old.\n")
	}
	f, challenge := frameOf(d)
	if challenge != "" {
		return says(http.StatusOK, challenge)
	}
	h.one.Lock()
	defer h.one.Unlock()
	if h.run == nil {
		return channel.NotNow()
	}
	m, at := h.run.read(ctx, f)
	if m.ID == "" {
		return says(http.StatusOK, "")
	}
	m.Cursor = at.String()
	if err := h.door.Take(ctx, m); err != nil {
		return channel.NotNow()
	}
	h.run.at = at
	return says(http.StatusOK, "")
}

func says(status int, text string) wire.ChannelAnswer {
	return wire.ChannelAnswer{Status: status, Type: wire.ChannelText, Body: []byte(text)}
}

// signedWithin is how far the time of a signature may be from this server's. What is older may be somebody's repeat.
const signedWithin = 5 * time.Minute

// signed says whether Slack has signed what was brought, and just now.
func (c *client) signed(d wire.ChannelDelivery, now time.Time) bool {
	at := d.Headers["x-slack-request-timestamp"]
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > signedWithin {
		return false
	}
	mac := hmac.New(sha256.New, []byte(c.sign))
	mac.Write([]byte("v0:" + at + ":"))
	mac.Write(d.Body)
	return hmac.Equal([]byte("v0="+hex.EncodeToString(mac.Sum(nil))), []byte(d.Headers["x-slack-signature"]))
}

// frameOf makes of what was brought what Socket Mode would have brought, or gives the word with which Slack asks whether the address is
// the app's.
func frameOf(d wire.ChannelDelivery) (f frame, challenge string) {
	if !strings.HasPrefix(d.Headers["content-type"], "application/x-www-form-urlencoded") {
		var asked struct {
			Type string `json:"type"`
			Word string `json:"challenge"`
		}
		if json.Unmarshal(d.Body, &asked) == nil && asked.Type == "url_verification" {
			return f, asked.Word
		}
		return frame{Type: "events_api", Payload: d.Body}, ""
	}
	form, err := url.ParseQuery(string(d.Body))
	if err != nil {
		return f, ""
	}
	if payload := form.Get("payload"); payload != "" {
		return frame{Type: "interactive", Payload: json.RawMessage(payload)}, ""
	}
	all := map[string]string{}
	for name := range form {
		all[name] = form.Get(name)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return f, ""
	}
	return frame{Type: "slash_commands", Payload: raw}, ""
}
