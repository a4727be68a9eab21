package agentd

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/channel"
	"gatehouse/agentd/command"
	"gatehouse/agentd/config"
	"gatehouse/agentd/container"
	"gatehouse/agentd/demo"
	"gatehouse/agentd/eventrule"
	"gatehouse/agentd/export"
	"gatehouse/agentd/files"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/hook"
	"gatehouse/agentd/link"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/llm/meter"
	"gatehouse/agentd/llm/report"
	"gatehouse/agentd/llm/via"
	"gatehouse/agentd/memory"
	"gatehouse/agentd/memory/desk"
	"gatehouse/agentd/memory/meaning"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/sandbox"
	"gatehouse/agentd/schedule"
	"gatehouse/agentd/schedule/webhook"
	"gatehouse/agentd/store"
	"gatehouse/agentd/support"
	"gatehouse/agentd/team"
	teamdesk "gatehouse/agentd/team/desk"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/envupdate"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/tools/registry"
	"gatehouse/agentd/tools/version"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/counter"
	"gatehouse/agentd/vault/external"
	"gatehouse/agentd/wire"
)

// Deps is what a Daemon gets from outside.
type Deps struct {
	Now func() time.Time
	Log *slog.Logger
}

// Daemon is one agentd.
type Daemon struct {
	cfg Config
	now func() time.Time
	log *slog.Logger

	db       *store.DB
	outbox   *link.Outbox
	receipts *receipt.Log
	live     *config.Live
	keys     *approver.Keys
	vault    *vault.Vault
	external *external.Follower // nil: there is no external vault
	business *registry.Registry
	counter  *counter.Counter
	root     *dataroot.Root
	files    *filewrite.Tool // has staged writes to recover, and is asked about them
	versions *version.Store  // what was deleted or replaced there, for a while
	shelf    *files.Files    // the owner's way to the data folder
	exports  *export.Exporter
	settings *envupdate.Tool // has interrupted changes to recover
	memory   *memory.Book
	meanings *meaning.Keeper // of what stands there
	desk     *desk.Desk      // the owner's way to memory
	sandbox  *sandbox.Sandbox
	gate     *gate.Gate
	team     team.Live
	staff    *teamdesk.Desk // where the owner shapes the team
	model    llm.Provider
	models   modelSet   // by name, beside it
	pauses   pauses     // of agents, by budgets
	way      *via.Way   // nil: the model needs none
	child    *via.Child // the model proxy, where nobody else runs it
	runtime  *runtime.Runtime
	handler  handler

	identity atomic.Pointer[link.Identity] // nil until registered
	client   atomic.Pointer[link.Client]   // nil until then too
	linkKeys atomic.Pointer[link.Keys]     // likewise
	commands *command.Commands
	support  *support.Windows

	schedules *schedule.Schedules
	webhooks  *webhook.Webhooks
	hooks     *hook.Hooks
	rules     *eventrule.Rules
	reach     reach
	channels  *channel.Channels
	restart   chan struct{} // one when the hub commands it
	started   time.Time
	usage     usage
	meter     *meter.Book
	counting  underCount
	reports   *report.Reporter
	engine    *container.Engine
}

// New opens the state and puts the parts together; nothing runs yet. After an error nothing is left open.
func New(ctx context.Context, cfg Config, deps Deps) (*Daemon, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	d := &Daemon{cfg: cfg, now: deps.Now, log: deps.Log, started: deps.Now(), usage: usage{root: "/"}, restart: make(chan struct{}, 1)}
	d.pauses.wake = make(chan struct{}, 1)
	d.engine = container.New(cmp.Or(cfg.DockerSocket, container.DefaultSocket))
	go redact.Current() // its rules take as long to make as the database to open
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.release())
	}
	return d, nil
}

// open builds the parts from the ground up. The vault comes before the data folder: with a wrong key nothing is made there.
func (d *Daemon) open(ctx context.Context) error {
	steps := []func(context.Context) error{
		d.openState, d.beginKeys, d.openMeter, d.openVault, d.openData, d.openMemory, d.openTools, d.openGate, d.openShelf, d.openTeam,
		d.openMeanings, d.openDesk, d.openRuntime, d.openSchedules, d.openHooks, d.openChannels, d.openRules, d.openReports, d.openCommands,
		d.openSupport, d.openHandler,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := d.gate.Recover(ctx); err != nil {
		return err
	}
	return errors.Join(d.gate.EndLeft(ctx, monitors), d.endLeft(ctx))
}

// openState opens what must be right before anything else may be trusted.
func (d *Daemon) openState(ctx context.Context) (err error) {
	if d.db, err = store.Open(d.cfg.State, d.now); err != nil {
		return err
	}
	if err := d.checkAnchors(ctx); err != nil {
		return err
	}
	d.receipts = receipt.New(d.db, d.now)
	d.outbox = link.NewOutbox(d.db, d.now)
	d.live, err = config.Open(ctx, d.db, d.receipts, d.outbox, d.now)
	d.keys = approver.New(approver.Deps{
		DB: d.db, Receipts: d.receipts, Outbox: d.outbox, Dir: d.cfg.State,
		ServerID: d.serverID, Identity: d.identityKey, Origin: d.origin,
		Version: func(tx *sql.Tx) (int64, error) { return config.VersionTx(d.db, tx) }, Now: d.now, Log: d.log,
	})
	if err == nil {
		d.live.RequirePowers(powers{d.keys})
	}
	return err
}

// beginKeys takes the owner's first key on the very first start, before this server registers.
func (d *Daemon) beginKeys(ctx context.Context) error {
	id, err := link.LoadIdentity(d.cfg.State)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.keys.Begin(ctx, id.Registered())
}

// openData opens the data folder, and fills it for the demo.
func (d *Daemon) openData(ctx context.Context) (err error) {
	if err := os.MkdirAll(d.cfg.Data, 0o750); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	if d.cfg.Demo {
		if _, err := demo.Seed(d.cfg.Data, filepath.Join(d.cfg.State, "demo.seeded"), d.now()); err != nil {
			return err
		}
	}
	if d.root, err = dataroot.Open(d.cfg.Data, d.cfg.State); err != nil {
		return err
	}
	d.sandbox, err = sandbox.New(ctx, d.cfg.Data, d.cfg.State)
	return err
}

// openRuntime puts the runtime on top, and hands it to the one tool that starts runs.
func (d *Daemon) openRuntime(context.Context) (err error) {
	if d.model, err = d.openModel(); err != nil {
		return err
	}
	d.runtime, err = runtime.New(runtime.Deps{
		Store: d.db, Model: d.model, ModelOf: d.modelOf, Team: &d.team, Receipts: d.receipts, Approvals: d.gate, Tiers: d.gate, Emitter: d,
		Signed: d.keys, Used: d.usedBy, Remind: d.remind, Shelf: d.shelf, Shown: shown, Config: d.config, Root: d.root.Env().Root,
		Now: d.now, Log: d.log,
		Limits:  runtime.Limits{Spawned: d.cfg.Subagents},
		Forget:  func(tx *sql.Tx, session string) error { return d.webhooks.Forget(tx, session) },
		Deleted: func() { d.exports.Forget() }, // archives hold what was said
		Ended:   d.ended, Over: d.runOver, Paused: d.pausedBy, Sends: d.sendsFiles,
	})
	if err != nil {
		return err
	}
	d.gate.Listen(d.runtime)
	d.receipts.Subscribe(d.runtime.OnReceipt)
	return nil
}

// ended looks at what the end of a run may change.
func (d *Daemon) ended() {
	d.schedules.Wake()
	d.channels.Wake()
	d.pauses.look()
}

// openHandler makes ready what comes over the link.
func (d *Daemon) openHandler(context.Context) (err error) {
	d.exports = export.New(export.Deps{
		Dir: filepath.Join(d.cfg.State, "exports"), DB: d.db, Receipts: d.receipts, Now: d.now, Log: d.log,
		Files: d.shelf, Free: d.free, ServerID: d.serverID,
		Ask: func(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
			return d.handler.RPC(ctx, m, params)
		},
	})
	d.handler, err = d.newHandler()
	return err
}

func (d *Daemon) release() error {
	var errs []error
	if d.exports != nil {
		d.exports.Close()
	}
	if d.sandbox != nil {
		d.sandbox.Protection() // its probe works in the state directory
	}
	if d.root != nil {
		errs = append(errs, d.root.Close())
	}
	d.counting.close()
	if d.memory != nil {
		errs = append(errs, d.memory.Close())
	}
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	return errors.Join(errs...)
}

// config is the owner's configuration in force.
func (d *Daemon) config() wire.Config { return d.live.State().Config() }

// inside are the addresses of the customer's own people.
func (d *Daemon) inside() []string { return d.config().Inside }
