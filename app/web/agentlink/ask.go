package agentlink

import (
	"encoding/json"

	"gatehouse/agentd/wire"
)

// Ask passes a question on to the server. It waits for nothing: a link that is full says so.
func (c *conn) Ask(request []byte, reply func([]byte)) {
	var q wire.RPCRequest
	if err := json.Unmarshal(request, &q); err != nil {
		return // not from a hub of ours
	}
	msgs, err := wire.Encode(wire.Frame{V: wire.Version, ID: q.ID, Type: wire.TypeRPCRequest, Time: c.h.d.Now().UTC(), Body: request})
	if err != nil {
		reply(noAnswer(q.ID, "This is too long to be sent to your server at once."))
		return
	}
	if !c.asked.add(q.ID, c.h.d.Now(), q.Deadline, reply) {
		reply(noAnswer(q.ID, "Your server is busy with other questions. Try again in a moment."))
		return
	}
	select {
	case c.out <- msgs:
	default:
		c.asked.take(q.ID)
		reply(noAnswer(q.ID, "The connection to your server is full. Try again in a moment."))
	}
}

// answered hands a server's reply to whoever asked.
func (c *conn) answered(f wire.Frame) {
	var r struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(f.Body, &r) != nil {
		return // the asker runs into the deadline
	}
	if reply, ok := c.asked.take(r.ID); ok {
		reply(f.Body)
	}
}
