package portaltest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"gatehouse/agentd/wire"
)

// Ask answers a question of the hub.
func (p *Peer) Ask(request []byte, reply func([]byte)) {
	var q wire.RPCRequest
	if json.Unmarshal(request, &q) != nil {
		return
	}
	p.Lock()
	silent := slices.Contains(p.silent, q.Method)
	hung := p.hung || silent
	result, refusal := p.answer(q)
	p.Unlock()
	if silent {
		p.Unanswered <- q.Method
	}
	if hung {
		return
	}
	boxed, _ := result.(wire.Boxed)
	if boxed.Result != nil {
		result = boxed.Result
	}
	raw, _ := json.Marshal(result)
	out, _ := json.Marshal(wire.RPCReply{ID: q.ID, Result: raw, Error: refusal, Box: boxed.Box})
	reply(out)
}

var notThere = &wire.RPCError{Code: "not_found", Text: "It is not here."}

func (p *Peer) answer(q wire.RPCRequest) (any, *wire.RPCError) {
	switch q.Method {
	case wire.MethodChatPost:
		m := params[wire.ChatMessage](q)
		p.Posted = append(p.Posted, m)
		return wire.ChatAck{RunID: m.RunID, State: cmp.Or(p.Runs[m.RunID].State, wire.RunQueued)}, nil
	case wire.MethodRunCancel:
		c := params[wire.RunCancel](q)
		if _, ok := p.Events[c.RunID]; !ok {
			return nil, notThere
		}
		p.Canceled, p.Cancels = append(p.Canceled, c.RunID), append(p.Cancels, c)
		return wire.ChatAck{RunID: c.RunID, State: wire.RunStopped}, nil
	case wire.MethodRunEvents:
		return p.eventsOf(params[wire.EventsParams](q))
	case wire.MethodSessionsList:
		return p.listed(params[wire.ListParams](q)), nil
	case wire.MethodSessionGet:
		return p.session(params[wire.SessionParams](q))
	case wire.MethodSessionRename, wire.MethodSessionArchive, wire.MethodSessionDelete:
		return p.changeSession(q)
	case wire.MethodRunsList:
		return p.acts(params[wire.ListParams](q)), nil
	case wire.MethodRunGet:
		return found(p.Runs, params[wire.RunParams](q).RunID)
	case wire.MethodRunReceipts:
		return p.Receipts[params[wire.RunParams](q).RunID], nil
	case wire.MethodApprovalGet:
		return found(p.Asked, params[wire.ApprovalParams](q).ID)
	case wire.MethodApprovalsSaid:
		out := wire.ApprovalsSaid{Says: map[string]string{}}
		for _, id := range params[wire.ApprovalsSaidParams](q).IDs {
			if a, ok := p.Asked[id]; ok {
				out.Says[id] = a.Summary
			}
		}
		return out, nil
	case wire.MethodChangeGet:
		return found(p.Changes, params[wire.ChangeParams](q).CallID)
	case wire.MethodSecretsAsked:
		return wire.SecretRequestsResult{Items: p.Secrets}, nil
	case wire.MethodSecretsList:
		return wire.SecretsResult{Items: p.Vault}, nil
	case wire.MethodSecretsOpen:
		return wire.SecretOpening{Fingerprint: "1f2e 3d4c", MadeAt: time.Now()}, nil
	case wire.MethodSecretsGenerate:
		s := wire.SecretInfo{Name: params[wire.SecretGenerate](q).Name}
		p.Vault = append(p.Vault, s)
		return s, nil
	case wire.MethodSecretsAudit:
		return wire.SecretAuditResult{Items: p.Uses}, nil
	case wire.MethodAgentsList:
		team := crew
		team.Items = slices.Concat(crew.Items, p.More)
		return team, nil
	}
	if result, refusal, ok := p.rules(q); ok {
		return result, refusal
	}
	if nothing, ok := empty[q.Method]; ok {
		return nothing, nil
	}
	if p.Also == nil && q.Method == wire.MethodExportGet {
		return wire.Export{State: wire.ExportNone}, nil
	}
	if p.Also == nil {
		return nil, &wire.RPCError{Code: "bad_request", Text: "Unknown question."}
	}
	out, err := p.Also(context.Background(), q.Method, q.Params)
	var no *wire.RPCError
	if err != nil && !errors.As(err, &no) {
		no = &wire.RPCError{Code: "internal", Text: "Something went wrong."}
	}
	return out, no
}

// empty is what a server says about what nobody has set on it.
var empty = map[wire.Method]any{
	wire.MethodGuardianGet: wire.GuardianState{}, wire.MethodLimitsGet: wire.LimitsResult{},
	wire.MethodWindowsList: wire.WindowsResult{}, wire.MethodInsideList: wire.InsideResult{}, wire.MethodFlaggedList: wire.FlaggedResult{},
}

func params[T any](q wire.RPCRequest) (v T) {
	_ = json.Unmarshal(q.Params, &v)
	return v
}

func found[T any](all map[string]T, id string) (any, *wire.RPCError) {
	if v, ok := all[id]; ok {
		return v, nil
	}
	return nil, notThere
}

func (p *Peer) eventsOf(q wire.EventsParams) (any, *wire.RPCError) {
	all, ok := p.Events[q.RunID]
	if !ok {
		return nil, notThere
	}
	res := wire.EventsResult{State: wire.RunRunning, Items: []wire.RunEvent{}}
	for _, ev := range all {
		if res.Last = ev.N; ev.N > q.From {
			res.Items = append(res.Items, ev)
		}
	}
	return res, nil
}

func (p *Peer) listed(q wire.ListParams) wire.SessionsResult {
	var out wire.SessionsResult
	for _, s := range p.Sessions {
		if (q.Agent == "" || q.Agent == s.Agent) && q.Archived == s.Archived {
			out.Items = append(out.Items, s.SessionInfo)
		}
	}
	return out
}

func (p *Peer) session(q wire.SessionParams) (any, *wire.RPCError) {
	i := slices.IndexFunc(p.Sessions, func(s wire.Session) bool { return s.ID == q.SessionID })
	if i < 0 {
		return nil, notThere
	}
	s := p.Sessions[i]
	if q.Before != "" {
		s.Turns = s.Turns[:slices.IndexFunc(s.Turns, func(t wire.Turn) bool { return t.Run.ID == q.Before })]
	}
	if n := cmp.Or(q.Limit, 50); len(s.Turns) > n {
		s.Turns, s.More = s.Turns[len(s.Turns)-n:], true
	}
	return s, nil
}

func (p *Peer) acts(q wire.ListParams) wire.RunsResult {
	var out wire.RunsResult
	for _, r := range p.Runs {
		if q.Agent == "" || q.Agent == r.Agent {
			out.Items = append(out.Items, r.RunInfo)
		}
	}
	return out
}
