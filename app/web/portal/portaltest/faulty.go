package portaltest

import (
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// Faulty is a server that cannot answer one question for a while.
type Faulty struct {
	*Peer
	method    wire.Method
	Remaining atomic.Int32 // how often it still fails
}

// Fail makes the server answer the next n questions of a kind with an error.
func (p *Peer) Fail(t testing.TB, method wire.Method, n int32) *Faulty {
	t.Helper()
	f := &Faulty{Peer: p, method: method}
	f.Remaining.Store(n)
	p.cut()
	cut, err := p.Hub.Relay.Attach(t.Context(), string(p.Of.Server), time.Now().UnixNano(), f)
	Must(t, err)
	t.Cleanup(cut)
	return f
}

// Ask answers a question of the hub, or fails.
func (f *Faulty) Ask(request []byte, reply func([]byte)) {
	var q wire.RPCRequest
	if json.Unmarshal(request, &q) == nil && q.Method == f.method && f.Remaining.Add(-1) >= 0 {
		out, _ := json.Marshal(wire.RPCReply{ID: q.ID, Error: &wire.RPCError{Code: "internal", Text: "It does not work."}})
		reply(out)
		return
	}
	f.Peer.Ask(request, reply)
}
