package portaltest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
)

// Emit is an event of a run as the server reports it: kept, and told to open pages unless it is lost on the way.
func (p *Peer) Emit(t testing.TB, root, session string, kind wire.Event, lost bool, data func(n int64) any) {
	t.Helper()
	p.Lock()
	n := int64(len(p.Events[root]) + 1)
	raw, err := json.Marshal(data(n))
	Must(t, err)
	ev := wire.RunEvent{Root: root, Session: session, N: n, Event: kind, Data: raw}
	p.Events[root] = append(p.Events[root], ev)
	p.Unlock()
	if !lost {
		Must(t, p.Hub.Relay.Notify(relay.Notice{Kind: relay.KindRun, CustomerID: string(p.Of.ID), ID: root, Run: &ev}))
	}
}

// Begin notes a message as the server does once it has it.
func (p *Peer) Begin(root, session, text string) {
	p.Lock()
	defer p.Unlock()
	info := wire.RunInfo{
		ID: root, RootID: root, SessionID: session, Agent: "dispatcher", State: wire.RunRunning, Task: text, CreatedAt: time.Now().UTC(),
	}
	turn := wire.Turn{Run: wire.Run{RunInfo: info}, Text: text, From: wire.Origin{Email: p.Of.Email}, Time: time.Now().UTC()}
	p.Runs[root], p.Events[root] = turn.Run, []wire.RunEvent{}
	i := slices.IndexFunc(p.Sessions, func(s wire.Session) bool { return s.ID == session })
	if i < 0 {
		p.Sessions = append([]wire.Session{
			{
				SessionInfo: wire.SessionInfo{
					ID: session, Agent: "dispatcher", Title: text, LastLine: text, State: wire.RunRunning, UpdatedAt: time.Now().UTC(),
				},
			},
		}, p.Sessions...)
		i = 0
	}
	p.Sessions[i].Turns = append(p.Sessions[i].Turns, turn)
}

// End notes that a run, which the conversation need not have, is done.
func (p *Peer) End(root string) {
	p.Lock()
	defer p.Unlock()
	p.Runs[root] = wire.Run{RunInfo: wire.RunInfo{ID: root, RootID: root, State: wire.RunDone}}
}

// Delta is a piece of an answer as a model writes it.
func (p *Peer) Delta(t testing.TB, root, session, text string, lost bool) {
	t.Helper()
	p.Emit(t, root, session, wire.EventDelta, lost, func(n int64) any {
		return wire.DeltaData{N: n, RunID: root, Agent: "dispatcher", Step: 1, Text: text}
	})
}

// Final is the end of an answer.
func (p *Peer) Final(t testing.TB, root, session, text string, v wire.Verdict) {
	t.Helper()
	p.Emit(t, root, session, wire.EventFinal, false, func(n int64) any {
		return wire.FinalData{N: n, RunID: root, Agent: "dispatcher", Text: text, Verdict: v}
	})
}
