package channel

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Start is a run that a message begins.
type Start struct {
	RunID   string
	Session string
	Agent   string
	Title   string // of a conversation that begins with it
	Text    string
	Files   []string // paths beneath the data folder
	Level   int      // the run stands no higher
	Taint   []policy.Source
	From    wire.Origin
	At      time.Time
	Say     string // the answer, where no model is to be asked
}

// Answer is how a run ended.
type Answer struct {
	Ended bool
	Text  string
	Into  string          // the run that answers in its stead, which took this message up or took its place
	Taint []policy.Source // stands behind it

	Failed bool  // the text says why there is no answer
	Tokens int64 // that models read and wrote for it

	Files []tool.Attachment // go with it
}

// Runs begins runs; the daemon does.
type Runs interface {
	// Begin puts a run on record inside tx; it is at work once tx is durable. An error of type *wire.RPCError says that there
	// can be no run in this conversation.
	Begin(tx *sql.Tx, s Start) error
	// Stop stops a run for a person, once tx is durable.
	Stop(ctx context.Context, tx *sql.Tx, runID string, by wire.Origin) error
	// Answer says how a run stands.
	Answer(ctx context.Context, runID string) (Answer, error)
	// Erase deletes a conversation with all that was said and done in it, what the gate keeps of its calls included, and says whether it
	// did: nothing of it may be under way. In one that is not there, only calls were made.
	Erase(ctx context.Context, session string) (done bool, err error)
}

// Receipts is the log; receipt.Log is one.
type Receipts interface {
	Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error)
}

// Approvers checks what people sign; approver.Keys is one.
type Approvers interface {
	// Change checks the signature of a change and uses it up in tx. It says whose key it was. Its errors that a person may
	// read are *wire.RPCError.
	Change(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, s *wire.Signature) (by string, err error)
}

// Passwords keeps the passwords of channels; the daemon's vault does.
type Passwords interface {
	// Unseal opens the box that a browser has made for MethodChannelChange and this name.
	Unseal(ctx context.Context, name, nonce string, box wire.SecretBox) (secret.Value, error)
	// Keep keeps a value under a name; also runs in the same transaction.
	Keep(ctx context.Context, name string, v secret.Value, by wire.DecidedBy, also func(tx *sql.Tx) error) error
	// Key gives a value that is kept; empty: there is none.
	Key(ctx context.Context, name string) (secret.Value, error)
	// Drop takes a value out of use. That there is none is no error.
	Drop(ctx context.Context, name string, by wire.DecidedBy) error
}

// ErrName is within the error of a Shelf that cannot keep a file because of how it is called.
var ErrName = errors.New("a file cannot be kept under its name")

// Shelf keeps attached files in the data folder.
type Shelf interface {
	// Save keeps the files of one message and gives their paths beneath the data folder.
	Save(ctx context.Context, channel, id string, files []File) ([]string, error)
	// Drop removes what Save kept, after the message was not taken.
	Drop(paths []string)
	// Kept gives the ids of the messages whose files lie there.
	Kept(ctx context.Context, channel string) ([]string, error)
	// Forget removes the files of a message.
	Forget(ctx context.Context, channel, id string) error
	// Mark marks a file as content from outside, inside a Write.
	Mark(tx *sql.Tx, path string, by policy.Source) error
}

// Deps is what channels stand on.
type Deps struct {
	DB       *store.DB
	Receipts Receipts
	Runs     Runs
	Gate     gate.Doer
	// Approvals are the requests that owners may get by a channel.
	Approvals Approvals
	// Page gives the address of a page of the portal; nil: nobody knows it.
	Page   func(path string) string
	Signed Approvers
	Keys   Passwords
	Shelf  Shelf
	Kinds  map[string]Kind // by name
	// BaseURL is what stands in for the address of a provider; empty: nothing does. Nil: for none.
	BaseURL func(channel string) string
	// Outgoing is a folder of this program alone, for copies of the files that wait to be sent; empty: none are sent.
	Outgoing string
	// ReadFile reads a file of the data folder as agents may, of at most limit bytes. Nil: no files are sent.
	ReadFile func(path string, limit int64) ([]byte, error)
	// Wrap marks a text as content from outside and says which known tricks it holds.
	Wrap     func(source, sender, id, text string) (block string, flagged []string)
	HasAgent func(id string) bool             // also of one that is broken
	Broken   func(id string) bool             // its files cannot be read, so it cannot work
	Paused   func(id string) *wire.AgentPause // the budget that keeps it from working; nil: none does
	Config   func() wire.Config
	Alert    func(ctx context.Context, text string) // tells the owner
	Now      func() time.Time
	Log      *slog.Logger
}

// Channels are the channels of one server.
type Channels struct {
	d      Deps
	kick   chan struct{} // one when something may have to be done
	owners owners
	fates  fates
	early  early
	copies copies

	mu     sync.Mutex
	lives  map[string]*life
	flying map[string]string // ids of the outbox that are with the gate; among which they are counted
	parked map[string]func() // takes back a letter about which a person is asked
}

// New gives the channels in d.DB.
func New(ctx context.Context, d Deps) (*Channels, error) {
	c := &Channels{
		d: d, kick: make(chan struct{}, 1), lives: map[string]*life{}, flying: map[string]string{},
		parked: map[string]func(){}, owners: owners{of: map[string]bool{}}, fates: fates{of: map[string]fate{}},
		copies: copies{d.Outgoing},
	}
	return c, c.loadOwners(ctx)
}

// Methods answers questions about channels.
func (c *Channels) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The question about a channel cannot be read.", Optional: true, Strict: true}
	return rpc.Methods{
		wire.MethodChannelsList:  rpc.With(in, c.list),
		wire.MethodChannelChange: rpc.With(in, c.change),
		wire.MethodChannelTest:   rpc.With(in, c.test),

		wire.MethodChannelStrangers: rpc.With(in, c.strangers),
		wire.MethodChannelDeliver:   rpc.With(in, c.deliver),
	}
}

// Wake has the channels look at once whether there is something to be done.
func (c *Channels) Wake() {
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

const (
	lookEvery = 15 * time.Second
	tidyEvery = 12 * time.Hour
)

// Run keeps the channels running, answers what was done and sends what waits, until ctx ends. It returns when nothing of it is at the
// gate anymore, which has to end before.
func (c *Channels) Run(ctx context.Context) error {
	var sending sync.WaitGroup
	look, tidy := time.NewTicker(lookEvery), time.NewTicker(tidyEvery)
	defer look.Stop()
	defer tidy.Stop()
	c.said(ctx, "tidy", c.Tidy(ctx))
	sending.Go(func() { c.keepTyping(ctx) })
	c.said(ctx, "tidy files", c.tidyFiles(ctx))
	for {
		c.said(ctx, "confirm", c.pairAll(ctx))
		c.said(ctx, "keep channels running", c.reconcile(ctx))
		c.said(ctx, "answer", c.answerAll(ctx))
		c.said(ctx, "delete", c.eraseAll(ctx))
		c.said(ctx, "tell of approvals", c.tellAll(ctx))
		c.said(ctx, "send", c.sendAll(ctx, &sending))
		c.said(ctx, "remove sent files", c.tidyCopies(ctx))
		select {
		case <-ctx.Done():
			c.stopAll()
			sending.Wait()
			return nil
		case <-look.C:
		case <-c.kick:
		case <-tidy.C:
			c.said(ctx, "tidy", c.Tidy(ctx))
		}
	}
}

func (c *Channels) said(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		c.d.Log.ErrorContext(ctx, "channels not looked after", "step", what, "error", err)
	}
}

// How long what is over is kept.
const (
	keepMessages = 90 * 24 * time.Hour
	keepRefs     = 365 * 24 * time.Hour
)

// Tidy drops what is over for long.
func (c *Channels) Tidy(ctx context.Context) error {
	now := c.now()
	return c.write(ctx, func(t txn) error {
		return errors.Join(
			t.exec("DELETE FROM channel_messages WHERE open = 0 AND at < ?", micros(now.Add(-keepMessages))),
			t.exec("DELETE FROM channel_refs WHERE at < ?", micros(now.Add(-keepRefs))),
			t.exec("DELETE FROM channel_outbox WHERE state <> 'waiting' AND ended_at < ?", micros(now.Add(-keepMessages))),
			t.exec("DELETE FROM channel_people WHERE state = 'waiting' AND until < ?", micros(now)),
			t.exec("DELETE FROM channel_pairs WHERE at < ?", micros(now.Add(-wire.ChannelCodeLife))),
			t.exec("DELETE FROM channel_asks WHERE open = 0 AND at < ?", micros(now.Add(-keepMessages))),
			t.exec("DELETE FROM channel_erasures WHERE at < ?", micros(now.Add(-keepMessages))),
			t.exec("DELETE FROM channel_chats WHERE at < ?", micros(now.Add(-chatLife))),
		)
	})
}

// now is the time on the clock, which may have been set.
func (c *Channels) now() time.Time { return c.d.Now().UTC().Round(0).Truncate(time.Microsecond) }

func badRequest(text string) error { return &wire.RPCError{Code: "bad_request", Text: text} }

func conflict(text string) error { return &wire.RPCError{Code: "conflict", Text: text} }

// txn is a transaction with the one who writes in it.
type txn struct {
	tx *sql.Tx
	db *store.DB
}

// write runs fn in a durable transaction.
func (c *Channels) write(ctx context.Context, fn func(t txn) error) error {
	return c.d.DB.Write(ctx, func(tx *sql.Tx) error { return fn(txn{tx, c.d.DB}) })
}

func (t txn) exec(query string, args ...any) error {
	if _, err := t.db.Exec(t.tx, query, args...); err != nil {
		return fmt.Errorf("keep channel: %w", err)
	}
	return nil
}

func (t txn) count(query string, args ...any) (n int, err error) {
	if err := t.db.QueryRow(t.tx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("read channel: %w", err)
	}
	return n, nil
}

// receipt puts on record what became of a channel.
func (c *Channels) receipt(t txn, what, runID string, body map[string]any) error {
	if _, err := c.d.Receipts.Append(t.tx, receipt.Entry{Type: what, RunID: runID, Body: body}); err != nil {
		return fmt.Errorf("record %s: %w", what, err)
	}
	return nil
}
