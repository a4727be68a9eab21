package whatsapp

import (
	"context"
	"crypto/hmac"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

func said(status int, text string) wire.ChannelAnswer {
	return wire.ChannelAnswer{Status: status, Type: wire.ChannelText, Body: []byte(text)}
}

// Deliver implements channel.Hooked.
func (p *Phone) Deliver(ctx context.Context, d wire.ChannelDelivery) wire.ChannelAnswer {
	password, err := p.env.Password(ctx)
	if err != nil {
		p.env.Log.ErrorContext(ctx, "secrets of a channel not read", "channel", p.Name(), "error", err)
		return channel.NotNow()
	}
	secrets := channel.Fields(password)
	switch d.Method {
	case http.MethodGet:
		return greeted(d.Query, secrets[verifyToken].Reveal())
	case http.MethodPost:
	default:
		return said(http.StatusMethodNotAllowed, "Nothing was taken.\n")
	}
	if !isSigned(d, secrets[appSecret].Reveal()) {
		return said(http.StatusUnauthorized, "The signature does not fit. Nothing was taken.\n")
	}
	var came brought
	if json.Unmarshal(d.Body, &came) != nil {
		return said(http.StatusBadRequest, "It cannot be read. Nothing was taken.\n")
	}
	for _, m := range p.read(came) {
		if err := p.door.Take(ctx, m); err != nil {
			return channel.NotNow()
		}
	}
	return said(http.StatusOK, "Taken.\n")
}

// maxChallenge is how long a challenge is that is said back.
const maxChallenge = 200

// greeted answers Meta's question whether this is the address of whoever has set it there.
func greeted(query, token string) wire.ChannelAnswer {
	q, err := url.ParseQuery(query)
	challenge := q.Get("hub.challenge")
	given := q.Get("hub.verify_token")
	switch {
	case err != nil, token == "", subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1, q.Get("hub.mode") != "subscribe",
		challenge == "", len(challenge) > maxChallenge:
		return said(http.StatusForbidden, "The verify token does not fit.\n")
	}
	return said(http.StatusOK, challenge)
}

// isSigned says whether Meta has signed these very bytes.
func isSigned(d wire.ChannelDelivery, secret string) bool {
	given, is := strings.CutPrefix(d.Headers["x-hub-signature-256"], "sha256=")
	sum, err := hex.DecodeString(given)
	return is && err == nil && secret != "" && hmac.Equal(sum, signed(secret, d.Body))
}

// maxAge is how old a message may be. Meta brings one again for some days; older ones are somebody who has kept it, and this server may
// have forgotten that it came.
const maxAge = 30 * 24 * time.Hour

// read reads what was brought for this number.
func (p *Phone) read(came brought) (all []channel.Inbound) {
	for _, e := range came.Entries {
		for _, c := range e.Changes {
			if c.Field != "messages" || c.Value.Number.ID != p.set.Account {
				continue
			}
			for _, s := range c.Value.Statuses {
				if m, is := reported(s); is {
					all = append(all, m)
				}
			}
			for _, w := range c.Value.Messages {
				if m, is := p.written(w, c.Value.Contacts); is && p.env.Now().Sub(m.Time) < maxAge {
					all = append(all, m)
				}
			}
		}
	}
	return all
}
