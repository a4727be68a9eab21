package googlechat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

func said(status int, text string) wire.ChannelAnswer {
	return wire.ChannelAnswer{Status: status, Type: wire.ChannelText, Body: []byte(text)}
}

// maxToken is how long a token is that is looked at.
const maxToken = 8 << 10

// Deliver implements channel.Hooked. Google is told nothing but that an event was taken: answers come by the API.
func (a *App) Deliver(ctx context.Context, d wire.ChannelDelivery) wire.ChannelAnswer {
	if d.Method != http.MethodPost {
		return said(http.StatusMethodNotAllowed, "Nothing was taken.\n")
	}
	token, is := strings.CutPrefix(d.Headers["authorization"], "Bearer ")
	if !is || len(token) > maxToken {
		return said(http.StatusUnauthorized, "Google has not signed this. Nothing was taken.\n")
	}
	err := a.keys.prove(ctx, token, a.set.Project)
	if errors.Is(err, errUnproven) {
		return said(http.StatusUnauthorized, "Google has not signed this. Nothing was taken.\n")
	}
	if err != nil {
		a.env.Log.WarnContext(ctx, "keys of Google not read", "channel", a.Name(), "error", troubleOf(ctx, err).Text)
		return channel.NotNow()
	}
	var e event
	if json.Unmarshal(d.Body, &e) != nil {
		return said(http.StatusBadRequest, "It cannot be read. Nothing was taken.\n")
	}
	if m, is := a.read(e); is {
		if a.door.Take(ctx, m) != nil {
			return channel.NotNow()
		}
	}
	return wire.ChannelAnswer{Status: http.StatusOK, Type: wire.ChannelJSON, Body: []byte("{}")}
}
