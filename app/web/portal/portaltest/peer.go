package portaltest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// Answerer answers questions as a real part of a server does.
type Answerer func(ctx context.Context, m wire.Method, params json.RawMessage) (any, error)

// Peer is a customer's server as far as the link shows it: it answers questions from what the test put there. Hold its
// lock to change that while pages are open.
type Peer struct {
	Hub *Hub
	Of  Customer

	sync.Mutex
	hung       bool
	silent     []wire.Method    // questions that it never answers
	Unanswered chan wire.Method // those of them that were asked
	More       []wire.AgentInfo // that the team has besides those it started with
	Posted     []wire.ChatMessage
	Canceled   []string
	Cancels    []wire.RunCancel           // the same, as they came
	Events     map[string][]wire.RunEvent // by root run
	Sessions   []wire.Session             // newest first
	Runs       map[string]wire.Run
	Receipts   map[string]wire.ReceiptsResult
	Asked      map[string]wire.Approval
	Changes    map[string]wire.Change // by call
	Secrets    []wire.SecretRequest
	Vault      []wire.SecretInfo
	Rules      wire.Permissions         // in force
	Past       []wire.PermissionChanged // what other rules would have changed
	Uses       []wire.SecretAuditItem
	Also       Answerer // what answers all other questions; nil for nothing
	Deleted    []wire.SessionDelete
	cut        func()
}

var crew = wire.AgentsResult{DefaultLevel: 2, ConfigVersion: 1, Model: "rehearsal", Rehearsal: true, Items: []wire.AgentInfo{
	{ID: "dispatcher", Name: "Dispatcher", Role: "Front desk", Level: 2, Inherited: true, Starters: []string{"How full is the disk?"}},
	{
		ID: "it-admin", Name: "IT admin", Role: "Looks after the server", Level: 2, Inherited: true,
		Tools: []wire.ToolInfo{{Name: "shell", Doc: "Runs a command.", Visible: true}},
	},
	{ID: "secretary", Name: "Secretary", Role: "Letters", Level: 1, Tools: []wire.ToolInfo{
		{Name: "message", Doc: "Sends a letter.", Outward: true, Visible: true}, {Name: "shell", Why: "the deny list removes it"},
	}},
}}

// Link puts the server on the link.
func (h *Hub) Link(t testing.TB, of Customer) *Peer {
	t.Helper()
	p := &Peer{
		Hub: h, Of: of, Unanswered: make(chan wire.Method, 100), Events: map[string][]wire.RunEvent{}, Runs: map[string]wire.Run{},
		Receipts: map[string]wire.ReceiptsResult{}, Asked: map[string]wire.Approval{}, Changes: map[string]wire.Change{},
	}
	p.attach(t)
	return p
}

func (p *Peer) attach(t testing.TB) {
	t.Helper()
	cut, err := p.Hub.Relay.Attach(t.Context(), string(p.Of.Server), time.Now().UnixNano(), p)
	Must(t, err)
	p.cut = cut
	t.Cleanup(func() { p.cut() })
}

// Away cuts the link. Open pages are notified.
func (p *Peer) Away(t testing.TB) {
	t.Helper()
	p.cut()
	p.Notify()
}

// Back links the server again. Open pages are notified.
func (p *Peer) Back(t testing.TB) {
	t.Helper()
	p.attach(t)
	p.Notify()
}

// Hang says whether the server leaves questions without an answer, while its link stands.
func (p *Peer) Hang(yes bool) {
	p.Lock()
	defer p.Unlock()
	p.hung = yes
}

// HangAt names the questions that the server leaves without an answer, while it answers all others.
func (p *Peer) HangAt(methods ...wire.Method) {
	p.Lock()
	defer p.Unlock()
	p.silent = methods
}

// WantUnanswered waits until questions have come that are left without an answer.
func (p *Peer) WantUnanswered(t testing.TB, methods ...wire.Method) {
	t.Helper()
	limit := time.After(patience)
	for len(methods) > 0 {
		select {
		case m := <-p.Unanswered:
			methods = slices.DeleteFunc(methods, func(want wire.Method) bool { return want == m })
		case <-limit:
			t.Fatalf("never asked: %v", methods)
		}
	}
}

// Notify makes open pages look at the server again.
func (p *Peer) Notify() {
	notifier{p.Hub.Relay}.ServerChanged(nil, p.Of.ID, p.Of.Server) //nolint:staticcheck // the context is not used
}

// Nudge does nothing: nothing is sent to this server.
func (p *Peer) Nudge() {}

// Fence does nothing: this server is linked once.
func (p *Peer) Fence(int64) {}
