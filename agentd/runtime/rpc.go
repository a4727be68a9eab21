package runtime

import (
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

// Methods answers questions about messages, runs, conversations and agents. Its errors are *wire.RPCError when they may be
// shown.
func (r *Runtime) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The request cannot be read.", Optional: true}
	return rpc.Methods{
		wire.MethodChatPost:     rpc.With(in, r.Post),
		wire.MethodRunCancel:    rpc.With(in, r.Cancel),
		wire.MethodRunEvents:    rpc.With(in, r.events),
		wire.MethodRunGet:       rpc.With(in, r.run),
		wire.MethodRunReceipts:  rpc.With(in, r.receipts),
		wire.MethodRunsList:     rpc.With(in, r.runs),
		wire.MethodSessionsList: rpc.With(in, r.conversations),
		wire.MethodSessionGet:   rpc.With(in, r.conversation),
		wire.MethodAgentsList:   rpc.Without(r.agents),
	}
}
