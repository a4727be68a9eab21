package gate

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gatehouse/agentd/config"
	"gatehouse/agentd/gate/limit"
	"gatehouse/agentd/gate/output"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Visibility says whether the agent of a call sees its tool under a configuration, in a run that begins as the call's does, and
// why not, in words that name the layer.
type Visibility interface {
	Visible(s config.State, c Call) (ok bool, why string)
}

// Rules is the owner's configuration in force. config.Live is one.
type Rules interface {
	State() config.State
	// Subscribe calls fn with each version that is put in force from now on.
	Subscribe(fn func(config.State))
	// SetSigned puts in force other rules that a person signed with the decision of an approval.
	SetSigned(ctx context.Context, tx *sql.Tx, p wire.PermissionsSet) (*wire.RPCError, error)
}

// Outbox takes frames for the hub in the transaction that makes them true.
type Outbox interface {
	Put(ctx context.Context, tx *sql.Tx, t wire.Type, body any) error
}

// Machine says what this server has left for work. Every decision asks it, so it answers from memory.
type Machine interface {
	Left() policy.Left
}

// Listener hears of changes once they are durable, in the goroutine that made them. It must not block for long.
type Listener interface {
	// ToolChanged tells where a call of the tree of root stands.
	ToolChanged(root, session string, d wire.ToolData)
	// ApprovalChanged tells that an approval was asked or changed its state or execution.
	ApprovalChanged(a wire.Approval)
}

// Deps is what a Gate needs.
type Deps struct {
	DB       *store.DB
	Receipts *receipt.Log
	Rules    Rules
	Sets     Visibility
	Outbox   Outbox
	Signed   Verifier                  // checks who signed a decision to allow
	Leases   Leases                    // nil: no call may carry a secret
	ServerID func() string             // known once the server is registered
	Identity func() ed25519.PrivateKey // signs approvals; nil until the server is registered
	Now      func() time.Time
	Log      *slog.Logger
	Machine  Machine  // nil: the machine never runs short
	Guardian Guardian // nil: no second look
	// JudgeWithin is how long the guardian may think; 0: 5 s.
	JudgeWithin time.Duration
	Ingress     Ingress  // nil: content from outside is only marked
	Outgoing    Outgoing // nil: what leaves is not scanned
	Asked       Asked    // nil: nobody hears of new requests
	Paired      Paired   // nil: no channel decides
	Replies     Replies  // nil: every answer to somebody outside is asked about
	Root        string   // the data folder, for rules about paths
	Results     string   // folder in the state directory for outputs too long for a model
}

// Asked hears of a new request, in the transaction that makes it.
type Asked = func(tx *sql.Tx, a wire.Approval, from wire.Origin) error

// Gate is the one way from a call to an act.
type Gate struct {
	deps    Deps
	db      *store.DB    // of deps
	log     *slog.Logger // of deps
	clock   *clock
	trees   *limit.Trees
	rates   *limit.Rates
	outputs *output.Folder
	// classifyTimeout is how long a tool may take to classify a call.
	classifyTimeout time.Duration

	mu        sync.Mutex
	tools     map[string]toolEntry
	flights   map[string]*flight         // calls on their way in this process, by id
	waiters   map[string][]chan struct{} // by approval id
	listeners []Listener

	closing   chan struct{} // closed: nothing new starts, parked calls return
	closeOnce sync.Once
	toolsCtx  context.Context // ends when running tools must stop too
	stopTools context.CancelCauseFunc
}

type toolEntry struct {
	tool   Tool
	def    tool.Definition
	schema *jsonschema.Schema
}

// Errors of Do. Both leave the call as its record says: Do continues it in the next process.
var (
	// ErrClosing says that the process is about to end.
	ErrClosing = errors.New("agentd is shutting down")
	// ErrNotRegistered says that this server has no id yet, so nothing can be bound to it.
	ErrNotRegistered = errors.New("this server is not registered yet")
)

// New makes a gate without tools. Call Recover before the first Do, and start Run.
func New(ctx context.Context, d Deps) (*Gate, error) {
	c, err := newClock(ctx, d.DB, d.Now)
	if err != nil {
		return nil, err
	}
	force, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	g := &Gate{
		deps: d, db: d.DB, log: d.Log, clock: c,
		trees: limit.NewTrees(), rates: limit.NewRates(), outputs: output.NewFolder(d.Results),
		classifyTimeout: classifyWithin,
		tools:           map[string]toolEntry{}, flights: map[string]*flight{}, waiters: map[string][]chan struct{}{},
		closing: make(chan struct{}), toolsCtx: force, stopTools: kill,
	}
	d.Rules.Subscribe(func(s config.State) {
		if err := g.closeRevokedWindows(force, s); err != nil {
			d.Log.ErrorContext(force, "windows not closed; tried again", "error", err)
		}
	})
	return g, nil
}

// Add makes a tool callable. Its schema must refuse unknown fields.
func (g *Gate) Add(t Tool) error {
	def := t.Definition()
	schema, err := compileSchema(def)
	if err != nil {
		return fmt.Errorf("tool %q: %w", def.Name, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.tools[def.Name]; ok || def.Name == "" {
		return fmt.Errorf("tool %q: its name is empty or taken", def.Name)
	}
	g.tools[def.Name] = toolEntry{tool: t, def: def, schema: schema}
	return nil
}

// Definitions lists the tools that were added, in no order.
func (g *Gate) Definitions() []tool.Definition {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]tool.Definition, 0, len(g.tools))
	for _, e := range g.tools {
		all = append(all, e.def)
	}
	return all
}

// Listen adds a listener. Add it before the first Do.
func (g *Gate) Listen(l Listener) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.listeners = append(g.listeners, l)
}

// Tier is how risky a call looks before it is measured; forbidden when it does not fit. It decides nothing.
func (g *Gate) Tier(name string, args json.RawMessage) policy.Tier {
	p := &pipeline{Gate: g, call: Call{Tool: name, Args: args}}
	if p.loadTool() != nil || p.checkArgs() != nil || p.classify() != nil {
		return policy.Forbidden
	}
	p.applyOwnerTiers()
	return p.class.Tier
}

func (g *Gate) findTool(name string) (toolEntry, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e, ok := g.tools[name]
	return e, ok
}

// config is the owner's configuration in force.
func (g *Gate) config() config.State { return g.deps.Rules.State() }

// rules gives the owner's rules in force, with their version.
func (g *Gate) rules() (*policy.Manifest, int64) { return g.config().Rules() }
