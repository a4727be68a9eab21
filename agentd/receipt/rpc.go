package receipt

import (
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

// Methods answers questions about the log.
func (l *Log) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "This question cannot be read."}
	return rpc.Methods{
		wire.MethodFlaggedList:    rpc.With(in, l.Flagged),
		wire.MethodReceiptsHashes: rpc.With(in, l.Hashes),
	}
}
