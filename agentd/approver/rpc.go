package approver

import (
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

// Methods answers questions about approver keys. Codes and signatures prove what they ask for, never who asks.
func (k *Keys) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The question cannot be read."}
	return rpc.Methods{
		wire.MethodApproverEnrol:  rpc.With(in, k.Enrol),
		wire.MethodApproverRevoke: rpc.With(in, k.Revoke),
		wire.MethodRecoveryNew:    rpc.With(in, k.NewRecovery),
		wire.MethodRecoveryKept:   rpc.With(in, k.RecoveryKept),
	}
}
