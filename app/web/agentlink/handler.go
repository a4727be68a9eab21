package agentlink

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/web"
	"gatehouse/app/web/once"
)

// Servers is what the endpoint needs to know of servers; server.Service has it.
type Servers interface {
	Find(ctx context.Context, id server.ID) (server.Server, error)
	Register(ctx context.Context, r wire.RegisterRequest, address string) (wire.RegisterResponse, error)
	Heartbeat(ctx context.Context, id server.ID, b wire.Heartbeat) error
	// CommandKey is the public key that servers pin for commands.
	CommandKey() string
}

// Links keeps both directions of the links; db.Links has it.
type Links interface {
	// Open makes a connection the newest one of its server and brings the outbox in line with what the server has.
	Open(ctx context.Context, id server.ID, resume int64, now time.Time) (epoch, applied int64, err error)
	// Apply runs fn for a reliable frame once, in one transaction with the frame's id and number.
	Apply(ctx context.Context, id server.ID, epoch int64, f wire.Frame, now time.Time, fn func(context.Context) error) (relay.Applied, error)
	// Frames reads what waits for a server above a number, in order.
	Frames(ctx context.Context, id server.ID, after int64, limit int) ([]wire.Frame, error)
	// Acked forgets what the server has applied.
	Acked(ctx context.Context, id server.ID, epoch, upTo int64) error
}

// Approvals takes what servers ask people; approval.Service has it. Calls belong to the transaction of ctx.
type Approvals interface {
	Receive(ctx context.Context, from approval.Sender, a wire.Approval) error
	Update(ctx context.Context, from approval.Sender, u wire.ApprovalUpdate) error
}

// Receipts takes checkpoints; receipt.Service has it. Calls belong to the transaction of ctx.
type Receipts interface {
	Keep(ctx context.Context, id server.ID, key ed25519.PublicKey, c wire.Checkpoint) error
	// Kept gives the checkpoints that a server can be asked about.
	Kept(ctx context.Context, id server.ID, key ed25519.PublicKey) ([]wire.Checkpoint, error)
	// Compare looks whether what the server answers is what is kept.
	Compare(ctx context.Context, id server.ID, kept []wire.Checkpoint, has wire.HashesResult) error
}

// Approvers takes what servers say about their approver keys; approver.Service has it. Calls belong to the transaction of
// ctx.
type Approvers interface {
	Report(ctx context.Context, id server.ID, s wire.ApproverState) error
}

// Configs takes what servers say about their settings; team.Service has it. Calls belong to the transaction of ctx.
type Configs interface {
	Report(ctx context.Context, of account.CustomerID, id server.ID, c wire.ConfigState) error
}

// Alerts keeps what a person should know; db.Alerts has it. Calls belong to the transaction of ctx.
type Alerts interface {
	Raise(ctx context.Context, id server.ID, a wire.Alert, at time.Time) error
}

// Support takes what servers say about support windows; support.Service does. Calls belong to the transaction of ctx.
type Support interface {
	Report(ctx context.Context, id server.ID, s wire.SupportState) error
	Looked(ctx context.Context, id server.ID, l wire.SupportLine) error
}

// Usage takes what the meters of servers report; usage.Service does. Calls belong to the transaction of ctx.
type Usage interface {
	Report(ctx context.Context, id server.ID, r wire.UsageReport) error
}

// Deps are the parts that the endpoint works with.
type Deps struct {
	Origin    string // the hub's public origin, part of every signature
	Servers   Servers
	Links     Links
	Approvals Approvals
	Receipts  Receipts
	Configs   Configs
	Approvers Approvers
	Alerts    Alerts
	Support   Support
	Usage     Usage
	Replays   once.Replays // first answers to registrations with an Idempotency-Key
	Relay     *relay.Relay
	Now       func() time.Time
	Log       *slog.Logger
	Limits    Limits
}

// Limits bound what one server may do. Zero values take the usual ones.
type Limits struct {
	Frames   rate.Limit    // frames a second that are read; 10,000. A server that sends more is held back
	Reliable rate.Limit    // reliable frames a second that are applied; 100, after a first 2,000
	Bytes    rate.Limit    // bytes a second that are read; 16 MiB
	Silence  time.Duration // after which a connection counts as gone; 45 s. agentd pings every 15 s
	Shake    time.Duration // for the handshake; 15 s
	Write    time.Duration // for one message; 30 s
	Applying int           // frames applied at once, of all servers; 8
}

func (l Limits) usual() Limits {
	return Limits{
		Frames: usual(l.Frames, 10_000), Reliable: usual(l.Reliable, 100), Bytes: usual(l.Bytes, 16<<20),
		Silence: usual(l.Silence, 45*time.Second), Shake: usual(l.Shake, 15*time.Second), Write: usual(l.Write, 30*time.Second),
		Applying: usual(l.Applying, 8),
	}
}

func usual[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Handler answers servers.
type Handler struct {
	d        Deps
	applying chan struct{} // holds one for each frame that is applied: servers must not take all database connections

	mu    sync.Mutex
	conns map[*conn]struct{} // nil once closed
	wg    sync.WaitGroup
}

// New makes the handler.
func New(d Deps) *Handler {
	d.Limits = d.Limits.usual()
	return &Handler{d: d, applying: make(chan struct{}, d.Limits.Applying), conns: map[*conn]struct{}{}}
}

// Routes are the endpoints for servers.
func (h *Handler) Routes() []web.Route {
	return []web.Route{
		{Method: http.MethodPost, Path: "/api/v1/tenant/register", For: web.Server, Do: h.once().Wrap(h.register), Limit: web.LimitRegister},
		{Method: http.MethodGet, Path: "/agentd/link", For: web.Server, Do: h.link, Stream: true},
	}
}

// Count is how many links are open at this hub.
func (h *Handler) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.conns)
}

// Close ends all links, so that servers look for another hub at once, and waits for the work on them.
func (h *Handler) Close() {
	h.mu.Lock()
	open := h.conns
	h.conns = nil
	h.mu.Unlock()
	for c := range open {
		go c.end(errStopping)
	}
	h.wg.Wait()
}

// enter counts a connection; false when the hub stops.
func (h *Handler) enter(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conns == nil {
		return false
	}
	h.conns[c] = struct{}{}
	h.wg.Add(1)
	return true
}

func (h *Handler) leave(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
	h.wg.Done()
}
