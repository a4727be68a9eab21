package portal_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
)

// peer is a customer's server as far as the link shows it: it answers questions from what the test put there.
type peer struct {
	hub *hub
	of  customer

	mu       sync.Mutex
	hung     bool
	silent   []wire.Method    // questions that it never answers
	left     chan wire.Method // those of them that were asked
	more     []wire.AgentInfo // that the team has besides those it started with
	posted   []wire.ChatMessage
	canceled []string
	events   map[string][]wire.RunEvent // by root run
	sessions []wire.Session             // newest first
	runs     map[string]wire.Run
	receipts map[string]wire.ReceiptsResult
	asked    map[string]wire.Approval
	changes  map[string]wire.Change // by call
	secrets  []wire.SecretRequest
	vault    []wire.SecretInfo
	uses     []wire.SecretAuditItem
	cut      func()
}

var crew = wire.AgentsResult{DefaultLevel: 2, ConfigVersion: 1, Model: "rehearsal", Rehearsal: true, Items: []wire.AgentInfo{
	{ID: "dispatcher", Name: "Dispatcher", Role: "Front desk", Level: 2, Inherited: true, Starters: []string{"How full is the disk?"}},
	{ID: "it-admin", Name: "IT admin", Role: "Looks after the server", Level: 2, Inherited: true, Tools: []wire.ToolInfo{{Name: "shell", Doc: "Runs a command.", Visible: true}}},
	{ID: "secretary", Name: "Secretary", Role: "Letters", Level: 1, Tools: []wire.ToolInfo{
		{Name: "message", Doc: "Sends a letter.", Outward: true, Visible: true}, {Name: "shell", Why: "the deny list removes it"},
	}},
}}

// link puts the server on the link.
func (h *hub) link(t testing.TB, of customer) *peer {
	t.Helper()
	p := &peer{
		hub: h, of: of, left: make(chan wire.Method, 100), events: map[string][]wire.RunEvent{}, runs: map[string]wire.Run{},
		receipts: map[string]wire.ReceiptsResult{}, asked: map[string]wire.Approval{}, changes: map[string]wire.Change{},
	}
	p.attach(t)
	return p
}

func (p *peer) attach(t testing.TB) {
	t.Helper()
	cut, err := p.hub.relay.Attach(t.Context(), string(p.of.server), time.Now().UnixNano(), p)
	must(t, err)
	p.cut = cut
	t.Cleanup(func() { p.cut() })
}

// away cuts the link; back closes it again. Open pages hear of both.
func (p *peer) away(t testing.TB) {
	t.Helper()
	p.cut()
	p.tell()
}

func (p *peer) back(t testing.TB) {
	t.Helper()
	p.attach(t)
	p.tell()
}

// hangs says whether the server leaves questions without an answer, while its link stands.
func (p *peer) hangs(yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hung = yes
}

// hangsAt names the questions that the server leaves without an answer, while it answers all others.
func (p *peer) hangsAt(methods ...wire.Method) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = methods
}

// wantLeft waits until questions have come that are left without an answer.
func (p *peer) wantLeft(t testing.TB, methods ...wire.Method) {
	t.Helper()
	limit := time.After(patience)
	for len(methods) > 0 {
		select {
		case m := <-p.left:
			methods = slices.DeleteFunc(methods, func(want wire.Method) bool { return want == m })
		case <-limit:
			t.Fatalf("never asked: %v", methods)
		}
	}
}

func (p *peer) tell() {
	notifier{p.hub.relay}.ServerChanged(nil, p.of.id, p.of.server) //nolint:staticcheck // the context is not used
}

// Nudge and Fence are of no interest here.
func (p *peer) Nudge()      {}
func (p *peer) Fence(int64) {}

// Ask answers a question of the hub.
func (p *peer) Ask(request []byte, reply func([]byte)) {
	var q wire.RPCRequest
	if json.Unmarshal(request, &q) != nil {
		return
	}
	p.mu.Lock()
	silent := slices.Contains(p.silent, q.Method)
	hung := p.hung || silent
	result, refusal := p.answer(q)
	p.mu.Unlock()
	if silent {
		p.left <- q.Method
	}
	if hung {
		return
	}
	raw, _ := json.Marshal(result)
	out, _ := json.Marshal(wire.RPCReply{ID: q.ID, Result: raw, Error: refusal})
	reply(out)
}

var notThere = &wire.RPCError{Code: "not_found", Text: "It is not here."}

func (p *peer) answer(q wire.RPCRequest) (any, *wire.RPCError) {
	switch q.Method {
	case wire.MethodChatPost:
		m := params[wire.ChatMessage](q)
		p.posted = append(p.posted, m)
		return wire.ChatAck{RunID: m.RunID, State: cmp.Or(p.runs[m.RunID].State, wire.RunQueued)}, nil
	case wire.MethodRunCancel:
		c := params[wire.RunCancel](q)
		if _, ok := p.events[c.RunID]; !ok {
			return nil, notThere
		}
		p.canceled = append(p.canceled, c.RunID)
		return wire.ChatAck{RunID: c.RunID, State: wire.RunStopped}, nil
	case wire.MethodRunEvents:
		return p.eventsOf(params[wire.EventsParams](q))
	case wire.MethodSessionsList:
		return p.listed(params[wire.ListParams](q)), nil
	case wire.MethodSessionGet:
		return p.session(params[wire.SessionParams](q))
	case wire.MethodRunsList:
		return p.acts(params[wire.ListParams](q)), nil
	case wire.MethodRunGet:
		return found(p.runs, params[wire.RunParams](q).RunID)
	case wire.MethodRunReceipts:
		return p.receipts[params[wire.RunParams](q).RunID], nil
	case wire.MethodApprovalGet:
		return found(p.asked, params[wire.ApprovalParams](q).ID)
	case wire.MethodChangeGet:
		return found(p.changes, params[wire.ChangeParams](q).CallID)
	case wire.MethodSecretsAsked:
		return wire.SecretRequestsResult{Items: p.secrets}, nil
	case wire.MethodSecretsList:
		return wire.SecretsResult{Items: p.vault}, nil
	case wire.MethodSecretsOpen:
		return wire.SecretOpening{Fingerprint: "1f2e 3d4c", MadeAt: time.Now()}, nil
	case wire.MethodSecretsGenerate:
		s := wire.SecretInfo{Name: params[wire.SecretGenerate](q).Name}
		p.vault = append(p.vault, s)
		return s, nil
	case wire.MethodSecretsAudit:
		return wire.SecretAuditResult{Items: p.uses}, nil
	case wire.MethodAgentsList:
		team := crew
		team.Items = slices.Concat(crew.Items, p.more)
		return team, nil
	}
	if nothing, ok := empty[q.Method]; ok {
		return nothing, nil
	}
	return nil, &wire.RPCError{Code: "bad_request", Text: "Unknown question."}
}

// empty is what a server says about what nobody has set on it.
var empty = map[wire.Method]any{
	wire.MethodPermissionsGet: wire.Permissions{Version: 1}, wire.MethodGuardianGet: wire.GuardianState{}, wire.MethodLimitsGet: wire.LimitsResult{},
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

func (p *peer) eventsOf(q wire.EventsParams) (any, *wire.RPCError) {
	all, ok := p.events[q.RunID]
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

func (p *peer) listed(q wire.ListParams) wire.SessionsResult {
	var out wire.SessionsResult
	for _, s := range p.sessions {
		if q.Agent == "" || q.Agent == s.Agent {
			out.Items = append(out.Items, s.SessionInfo)
		}
	}
	return out
}

func (p *peer) session(q wire.SessionParams) (any, *wire.RPCError) {
	i := slices.IndexFunc(p.sessions, func(s wire.Session) bool { return s.ID == q.SessionID })
	if i < 0 {
		return nil, notThere
	}
	s := p.sessions[i]
	if q.Before != "" {
		s.Turns = s.Turns[:slices.IndexFunc(s.Turns, func(t wire.Turn) bool { return t.Run.ID == q.Before })]
	}
	if n := cmp.Or(q.Limit, 50); len(s.Turns) > n {
		s.Turns, s.More = s.Turns[len(s.Turns)-n:], true
	}
	return s, nil
}

func (p *peer) acts(q wire.ListParams) wire.RunsResult {
	var out wire.RunsResult
	for _, r := range p.runs {
		if q.Agent == "" || q.Agent == r.Agent {
			out.Items = append(out.Items, r.RunInfo)
		}
	}
	return out
}

// emit is an event of a run as the server reports it: kept, and told to open pages unless it is lost on the way.
func (p *peer) emit(t testing.TB, root, session string, kind wire.Event, lost bool, data func(n int64) any) {
	t.Helper()
	p.mu.Lock()
	n := int64(len(p.events[root]) + 1)
	raw, err := json.Marshal(data(n))
	must(t, err)
	ev := wire.RunEvent{Root: root, Session: session, N: n, Event: kind, Data: raw}
	p.events[root] = append(p.events[root], ev)
	p.mu.Unlock()
	if !lost {
		must(t, p.hub.relay.Notify(relay.Notice{Kind: relay.KindRun, CustomerID: string(p.of.id), ID: root, Run: &ev}))
	}
}

// begin notes a message as the server does once it has it.
func (p *peer) begin(root, session, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	info := wire.RunInfo{ID: root, RootID: root, SessionID: session, Agent: "dispatcher", State: wire.RunRunning, Task: text, CreatedAt: time.Now().UTC()}
	turn := wire.Turn{Run: wire.Run{RunInfo: info}, Text: text, From: wire.Origin{Email: p.of.email}, Time: time.Now().UTC()}
	p.runs[root], p.events[root] = turn.Run, []wire.RunEvent{}
	i := slices.IndexFunc(p.sessions, func(s wire.Session) bool { return s.ID == session })
	if i < 0 {
		p.sessions = append([]wire.Session{{SessionInfo: wire.SessionInfo{ID: session, Agent: "dispatcher", Title: text, LastLine: text, State: wire.RunRunning, UpdatedAt: time.Now().UTC()}}}, p.sessions...)
		i = 0
	}
	p.sessions[i].Turns = append(p.sessions[i].Turns, turn)
}

// ends notes that a run, which the conversation need not have, is done.
func (p *peer) ends(root string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs[root] = wire.Run{RunInfo: wire.RunInfo{ID: root, RootID: root, State: wire.RunDone}}
}

func (p *peer) delta(t testing.TB, root, session, text string, lost bool) {
	t.Helper()
	p.emit(t, root, session, wire.EventDelta, lost, func(n int64) any {
		return wire.DeltaData{N: n, RunID: root, Agent: "dispatcher", Step: 1, Text: text}
	})
}

func (p *peer) final(t testing.TB, root, session, text string, v wire.Verdict) {
	t.Helper()
	p.emit(t, root, session, wire.EventFinal, false, func(n int64) any {
		return wire.FinalData{N: n, RunID: root, Agent: "dispatcher", Text: text, Verdict: v}
	})
}
