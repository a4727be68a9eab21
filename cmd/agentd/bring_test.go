package main

import (
	"encoding/json"
	"net/http"
	"time"

	"gatehouse/agentd/wire"
)

// brings carries what a messenger brings to the server's address, as the hub does: who is away is said with 503.
func (h *hub) brings(hook string) func(wire.ChannelDelivery) wire.ChannelAnswer {
	return func(d wire.ChannelDelivery) (a wire.ChannelAnswer) {
		a.Status = http.StatusServiceUnavailable
		d.Hook = hook
		raw, err := json.Marshal(d)
		if err != nil {
			return a
		}
		q := wire.RPCRequest{ID: newUUID(), Method: wire.MethodChannelDeliver, Params: raw, Deadline: time.Now().Add(10 * time.Second)}
		h.mu.Lock()
		conn := h.conn
		h.mu.Unlock()
		if conn == nil || h.write(h.t.Context(), conn, frame(wire.TypeRPCRequest, q)) != nil {
			return a
		}
		over := time.After(10 * time.Second)
		for {
			h.mu.Lock()
			r, is := last(h.got, wire.TypeRPCReply, func(r wire.RPCReply) bool { return r.ID == q.ID })
			changed, now := h.changed, h.conn
			h.mu.Unlock()
			switch {
			case is && r.Error == nil && json.Unmarshal(r.Result, &a) == nil:
				return a
			case is || now != conn: // it was killed, and nobody knows whether it took it
				return wire.ChannelAnswer{Status: http.StatusServiceUnavailable}
			}
			select {
			case <-changed:
			case <-over:
				return wire.ChannelAnswer{Status: http.StatusServiceUnavailable}
			}
		}
	}
}
