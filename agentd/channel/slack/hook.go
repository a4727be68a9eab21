package slack

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
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

// lookEvery is how often it is asked whether Slack still takes the token, and what it has not brought: nothing that is brought says so.
var lookEvery = 10 * time.Minute

// catchWithin is how long it may take to read what was missed in one chat: what is brought waits meanwhile.
const catchWithin = 3 * time.Second

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
	var looking sync.WaitGroup
	looking.Go(func() { h.look(going, r) })
	defer looking.Wait() // it hands on as well
	defer stop()
	return h.door.Run(ctx, out)
}

func (h *hooked) takes(r *run) {
	h.one.Lock()
	defer h.one.Unlock()
	h.run = r
}

// look ends the run of an app whose token Slack takes no more, and reads what Slack could not bring while the hub or the way from it was
// away.
func (h *hooked) look(ctx context.Context, r *run) {
	for channel.Rest(ctx, lookEvery) == nil {
		_, err := r.api.me(ctx)
		if err == nil {
			err = h.missed(ctx, r)
		}
		if err != nil && troubleOf(ctx, err).Hard {
			h.door.Fail(troubleOf(ctx, err))
			return
		}
	}
}

// missed reads what was missed in each chat. Where Slack does not give it now, it is read the next time.
func (h *hooked) missed(ctx context.Context, r *run) error {
	h.one.Lock()
	chats := slices.Sorted(maps.Keys(r.at.Chats))
	h.one.Unlock()
	for _, chat := range chats {
		err := h.missedIn(ctx, r, chat)
		if err == nil {
			continue
		}
		if ctx.Err() != nil || troubleOf(ctx, err).Hard {
			return err
		}
		if err := channel.Rest(ctx, maxRest); err != nil { // longer than Slack asks for
			return err
		}
	}
	return nil
}

func (h *hooked) missedIn(ctx context.Context, r *run, chat string) error {
	h.one.Lock()
	defer h.one.Unlock()
	within, cancel := context.WithTimeout(ctx, catchWithin)
	defer cancel()
	return r.missedIn(within, chat)
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
	at = h.run.upTo(ctx, at)
	m.Cursor = at.String()
	if err := h.door.Take(ctx, m); err != nil {
		return channel.NotNow()
	}
	h.run.at = at
	return says(http.StatusOK, "")
}

// upTo takes what was written in a private chat before the message that moves the cursor there, and gives the cursor after both. If that
// cannot be read now, the cursor stays, and it is read later.
func (r *run) upTo(ctx context.Context, to cursor) cursor {
	chat := r.at.ahead(to)
	if chat == "" || r.at.Chats[chat] == "" {
		return to
	}
	within, cancel := context.WithTimeout(ctx, catchWithin)
	defer cancel()
	if r.missedIn(within, chat) != nil {
		return r.at
	}
	return r.at.took(chat, to.Chats[chat])
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
