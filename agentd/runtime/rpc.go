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
		wire.MethodRunEvents:    rpc.With(in, r.getEvents),
		wire.MethodRunGet:       rpc.With(in, r.getRun),
		wire.MethodRunReceipts:  rpc.With(in, r.getReceipts),
		wire.MethodRunsList:     rpc.With(in, r.listRuns),
		wire.MethodSessionsList: rpc.With(in, r.listSessions),
		wire.MethodSessionGet:   rpc.With(in, r.getSession),
		wire.MethodAgentsList:   rpc.Without(r.listAgents),

		wire.MethodSessionRename:  rpc.With(in, r.renameSession),
		wire.MethodSessionArchive: rpc.With(in, r.archiveSession),
		wire.MethodSessionDelete:  rpc.With(in, r.deleteSession),
	}
}
