package agentlink

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
)

// lastWord is how long a replaced connection has to show that it still lives.
const lastWord = 2 * time.Second

// afterword is the pause between the two questions whether it does.
const afterword = 500 * time.Millisecond

// Fence ends the connection when a newer one has opened, or the server was cut off. Taking leave waits for the other
// side; the relay must not.
func (c *conn) Fence(epoch int64) {
	switch {
	case epoch == relay.CutOff:
		go c.end(errRevoked)
	case epoch > c.epoch:
		go c.giveWay()
	}
}

// giveWay ends a connection that was replaced. Where both that one and the newer one still answer, there are two machines with the same
// keys: an agentd that connects anew has left its old connection.
func (c *conn) giveWay() {
	<-c.attached
	c.detach()
	if c.stays() && c.rivaled() {
		ctx, cancel := context.WithTimeout(context.Background(), lastWord)
		defer cancel()
		err := c.h.d.Alerts.Raise(ctx, c.peer.ID, wire.Alert{
			Kind: "two_servers", Severity: "hard", Time: c.h.d.Now().UTC(),
			Text: "Two machines use the keys of this server. Was it copied? Stop the copy: the two push each other out.",
		}, c.h.d.Now().UTC())
		if err != nil {
			c.h.d.Log.ErrorContext(ctx, "alert not kept", "server_id", c.peer.ID, "error", err)
		}
	}
	c.end(relay.ErrFenced)
}

// rivaled says whether the server answers by its newer connection. One that agentd gave up before it was let in can come after the one
// that it uses, and nobody answers there.
func (c *conn) rivaled() bool {
	ctx, cancel := context.WithTimeout(context.Background(), lastWord)
	defer cancel()
	return c.h.d.Relay.Call(ctx, string(c.peer.ID), wire.MethodEcho, nil, nil) == nil
}

// stays says whether the other side answers still, and does so again a moment later: an answer may have been on its way
// when an agentd left its old connection.
func (c *conn) stays() bool {
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), lastWord)
		err := c.ws.Ping(ctx)
		cancel()
		if err != nil {
			return false
		}
		time.Sleep(afterword)
	}
	return true
}
