package portaltest

import (
	"slices"

	"gatehouse/agentd/wire"
)

// changeSession renames, archives or deletes a conversation as a server does: it deletes none that is at work, and none
// without a signature.
func (p *Peer) changeSession(q wire.RPCRequest) (any, *wire.RPCError) {
	i := slices.IndexFunc(p.Sessions, func(s wire.Session) bool { return s.ID == params[wire.SessionDelete](q).SessionID })
	if i < 0 {
		return nil, notThere
	}
	s := &p.Sessions[i]
	switch q.Method {
	case wire.MethodSessionRename:
		s.Title = params[wire.SessionRename](q).Title
	case wire.MethodSessionArchive:
		s.Archived = params[wire.SessionArchive](q).Archived
	default:
		in := params[wire.SessionDelete](q)
		if s.State.Open() {
			return nil, &wire.RPCError{Code: "conflict", Text: "The team is still at work in this conversation."}
		}
		if in.Signature == nil {
			return nil, &wire.RPCError{Code: "signature_required", Text: "Only a device that may approve can delete a conversation."}
		}
		p.Deleted = append(p.Deleted, in)
		p.Sessions = slices.Delete(p.Sessions, i, i+1)
		return wire.SessionDeleted{SessionID: in.SessionID}, nil
	}
	return s.SessionInfo, nil
}
