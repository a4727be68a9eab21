package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/runtime/event"
	"gatehouse/agentd/store"
	"gatehouse/agentd/team"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Store is the SQLite state; agentd/store.DB is one.
type Store interface {
	Read() *store.Reader
	// Write runs fn in a transaction and returns when it is durable. Concurrent writes share a commit.
	Write(ctx context.Context, fn func(tx *sql.Tx) error) error
	// OnCommit runs f once the Write that tx belongs to is durable, in the goroutine that called Write. Only inside its fn.
	OnCommit(tx *sql.Tx, f func())
	// Exec and QueryRow are those of tx, for queries that come again and again. Only inside the fn of a Write.
	Exec(tx *sql.Tx, query string, args ...any) (sql.Result, error)
	QueryRow(tx *sql.Tx, query string, args ...any) *sql.Row
	// Erase takes what was deleted out of the files.
	Erase(ctx context.Context) error
}

// Receipts is the log; agentd/receipt.Log is one.
type Receipts interface {
	// Append adds a record in the transaction that makes it true.
	Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error)
	// OfRuns gives the receipts of these runs in the order of Seq.
	OfRuns(ctx context.Context, runIDs ...string) ([]wire.Receipt, error)
	// Result is OfRuns together with whether the chain up to the last of them holds.
	Result(ctx context.Context, runIDs ...string) (wire.ReceiptsResult, error)
}

// Approvals are the questions that the gate has asked, and what became of the calls; agentd/gate.Gate is one.
type Approvals interface {
	// OfRuns gives every approval of these runs, oldest first, arguments included.
	OfRuns(ctx context.Context, runs []string) ([]*wire.Approval, error)
	// Made gives a call with the arguments that it was made with, which a person may have edited; nil when there is none.
	// It need not be one of a run.
	Made(ctx context.Context, callID string) (*gate.Call, error)
	// EndLeft ends calls that nobody will ask for again, but none that is on its way in this process.
	EndLeft(ctx context.Context, left func(gate.Call) bool) error
	// Open counts the calls of a conversation that have not ended. Only inside a Write.
	Open(ctx context.Context, tx *sql.Tx, session string) (int, error)
	// Forget drops what was said in the calls and requests of a conversation, inside the Write that deletes it.
	Forget(ctx context.Context, tx *sql.Tx, session string) error
}

// Signers check what people sign; agentd/approver.Keys is one.
type Signers interface {
	// Change checks the signature of a change and uses it up in tx. It says whose key it was. Its errors that a person may
	// read are *wire.RPCError.
	Change(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, s *wire.Signature) (by string, err error)
}

// Tiers says how risky a call looks before it is measured, so that harmless calls can run side by side.
type Tiers interface {
	Tier(tool string, args json.RawMessage) policy.Tier
}

// Team is who works here, as of now; team.Live is one.
type Team interface {
	Agents() []team.Agent
	Broken() []team.Broken
	// Agent finds one by id, or answers team.ErrUnknown or team.ErrBroken.
	Agent(id string) (team.Agent, error)
	// Tools are those that an agent sees in a run, See all of this server with the layer that removed it.
	Tools(v team.View) []tool.Definition
	See(v team.View) []team.Sight
}

// Used gives what a root run used of models, with all that was delegated for it.
type Used = func(ctx context.Context, root string) ([]wire.RunUse, error)

// Remind gives what an agent is reminded of before it answers a text: words for its prompt, and the notes that fit the text.
type Remind = func(ctx context.Context, agent, text string) (prompt string, fits []wire.MemoryUse, err error)

// Over hears in the transaction that ends a run how it ended. An error has the end written again later.
type Over = func(tx *sql.Tx, e Ending) error

// Forget hears in the transaction that deletes a conversation that it does, for what other parts keep of it. An error keeps it.
type Forget = func(tx *sql.Tx, session string) error

// Emitter sends an event to whoever watches.
type Emitter = event.Emitter

// Deps is what a Runtime stands on.
type Deps struct {
	Store     Store
	Model     llm.Provider
	ModelOf   func(agent string) llm.Provider // the model that an agent asks now; nil: Model for all
	Team      Team
	Receipts  Receipts
	Approvals Approvals
	Tiers     Tiers                               // nil: calls of one step run one after the other
	Signed    Signers                             // nil: nothing that needs a signature happens
	Paused    func(agent string) *wire.AgentPause // the budget that keeps an agent from working; nil: none ever does
	Used      Used                                // nil: what runs used is not told
	Remind    Remind                              // nil: nothing is remembered
	Shelf     Shelf                               // nil: no file goes with a message, and no answer offers one
	Shown     Shown                               // nil: people are shown what an agent reads
	Forget    Forget                              // nil: no other part keeps anything of a conversation
	Deleted   func()                              // called when a conversation was deleted, for copies that lie elsewhere; may be nil
	Ended     func()                              // called when a root run has ended; may be nil
	Over      Over                                // nil: nobody hears how runs end
	Sends     Sends                               // nil: files go with every answer
	Emitter   Emitter
	Config    func() wire.Config // what the owner has set, as of now
	Root      string             // the data folder, absolute, links resolved
	Limits    Limits             // zero values: DefaultLimits
	Now       func() time.Time
	Log       *slog.Logger
}

// Sends says whether files go with the answer to a message that came by a channel.
type Sends func(ctx context.Context, channel string) (bool, error)

// Shown is what people are shown of a message that an agent reads.
type Shown func(text string, from wire.Origin) string

func (d Deps) check() error {
	for name, missing := range map[string]bool{
		"store": d.Store == nil, "model": d.Model == nil, "team": d.Team == nil, "receipts": d.Receipts == nil,
		"approvals": d.Approvals == nil, "emitter": d.Emitter == nil, "config": d.Config == nil, "root": d.Root == "",
		"now": d.Now == nil, "log": d.Log == nil,
	} {
		if missing {
			return errors.New("runtime: it needs a part that is missing: " + name)
		}
	}
	return nil
}

// Limits bound what one server and one run may take.
type Limits struct {
	Main     int // conversation runs at once
	Subagent int // delegated runs at once
	Cron     int // runs of schedules at once, so that they never hold up a conversation
	Hook     int // runs of hooks at once, likewise

	Background int           // sub-agents at once, in a lane of their own
	Spawned    int           // sub-agents that have not ended, waiting ones included; half of them at most for schedules and hooks
	SpawnedOf  int           // likewise, of one message
	SubWall    time.Duration // of one sub-agent, likewise
	SubTokens  int64         // of one sub-agent

	Steps  int           // model calls of one run
	Calls  int           // tool calls of one run
	Wall   time.Duration // of one run, without the time it waits for people or a free place
	Depth  int           // of delegation
	Handed int           // delegated runs of one message, all agents together
	Tokens int64         // read and written by the model for one message, all agents together
}

// DefaultLimits are the limits of the design. Runs mostly wait for a model, and those that write at the same time share a
// commit: with 32 at once 50 conversations take turns a third faster than with 4, for 5 MB more.
var DefaultLimits = Limits{
	Main: 32, Subagent: 8, Cron: 1, Hook: 2, Steps: 25, Calls: 50, Wall: 10 * time.Minute, Depth: 5, Handed: 30,
	Tokens: 3_000_000, Background: 8, Spawned: 14, SpawnedOf: 5, SubWall: 30 * time.Minute, SubTokens: 1_000_000,
}

func (l Limits) orDefault() Limits {
	pick := func(n *int, otherwise int) {
		if *n <= 0 {
			*n = otherwise
		}
	}
	pick(&l.Main, DefaultLimits.Main)
	pick(&l.Subagent, DefaultLimits.Subagent)
	pick(&l.Cron, DefaultLimits.Cron)
	pick(&l.Hook, DefaultLimits.Hook)
	pick(&l.Steps, DefaultLimits.Steps)
	pick(&l.Calls, DefaultLimits.Calls)
	pick(&l.Depth, DefaultLimits.Depth)
	pick(&l.Handed, DefaultLimits.Handed)
	pick(&l.Background, DefaultLimits.Background)
	pick(&l.Spawned, DefaultLimits.Spawned)
	pick(&l.SpawnedOf, DefaultLimits.SpawnedOf)
	if l.SubTokens <= 0 {
		l.SubTokens = DefaultLimits.SubTokens
	}
	if l.SubWall <= 0 {
		l.SubWall = DefaultLimits.SubWall
	}
	if l.Tokens <= 0 {
		l.Tokens = DefaultLimits.Tokens
	}
	if l.Wall <= 0 {
		l.Wall = DefaultLimits.Wall
	}
	return l
}
