package meaning

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"log/slog"
	"sync"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/memory/recall"
	"gatehouse/agentd/store"
)

// Agent is the name under which the meter counts what is used for memory.
const Agent = "memory"

// Store is the SQLite state; store.DB is one.
type Store interface {
	Read() *store.Reader
	Write(ctx context.Context, fn func(tx *sql.Tx) error) error
	Exec(tx *sql.Tx, query string, args ...any) (sql.Result, error)
}

// Notes are the notes of the team; memory.Book is them.
type Notes interface {
	Changed() <-chan struct{}
	Unmeant(ctx context.Context, behind int64, limit int) ([]recall.Unmeant, int64, error)
	Mean(ctx context.Context, in recall.Space, all []recall.Meant) error
	Forget(ctx context.Context) error
	In(ctx context.Context) (recall.Space, error)
	Known(ctx context.Context) (known, all int, err error)
	Hashes(ctx context.Context) (map[[sha256.Size]byte]bool, error)
}

// Model is a model that turns texts into vectors, with its name.
type Model struct {
	Name string // empty: the owner has not signed for one
	llm.Embedder
}

// Deps is what a Keeper stands on.
type Deps struct {
	Store Store
	Notes Notes
	Model func() Model  // the one in force
	Wait  time.Duration // for what a question means; 0: the usual
	Long  time.Duration // for what notes mean; 0: the usual
	First time.Duration // until a model that did not answer is tried again; 0: the usual
	Now   func() time.Time
	Log   *slog.Logger
}

const (
	wait  = 300 * time.Millisecond
	long  = 30 * time.Second // a model on a slow machine may have to be loaded first
	first = 5 * time.Second  // until the first try after a failure; each further one takes twice as long
	last  = 10 * time.Minute // but no longer
	slow  = 3                // questions that may run out of time one after the other until the model counts as down
)

// Keeper knows what notes mean. It is safe for use by many goroutines.
type Keeper struct {
	d      Deps
	wake   chan struct{}
	recent recent

	size    int                        // how many notes are asked for at once; of Run alone
	refused map[[sha256.Size]byte]bool // texts that the model does not take, likewise

	mu    sync.Mutex
	since time.Time    // when the pause began; zero: there is none
	next  time.Time    // when the model is tried again
	why   *llm.Error   // of the pause
	tries int          // that failed one after the other
	late  int          // questions that ran out of time one after the other
	seen  recall.Space // whose word the answer to a question was that did not fit what is kept; zero: none was
}

// New makes a Keeper; Run has it ask.
func New(d Deps) *Keeper {
	d.Wait, d.Long, d.First = cmp.Or(d.Wait, wait), cmp.Or(d.Long, long), cmp.Or(d.First, first)
	return &Keeper{d: d, wake: make(chan struct{}, 1), size: batch, refused: map[[sha256.Size]byte]bool{}}
}

// Wake says that another model may be in force.
func (k *Keeper) Wake() {
	select {
	case k.wake <- struct{}{}:
	default: // it is awake
	}
}

// Run asks what notes mean until ctx ends.
func (k *Keeper) Run(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	model := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-k.wake:
		case <-k.d.Notes.Changed():
		case <-due.C:
		}
		if now := k.d.Model().Name; now != model {
			model = now
			k.resume() // what another model did says nothing about this one
			k.size = batch
			clear(k.refused)
		}
		again, err := k.pass(ctx)
		if err != nil && ctx.Err() == nil {
			k.d.Log.WarnContext(ctx, "what notes mean not kept", "error", err)
			again = last
		}
		if again > 0 {
			due.Reset(again)
		}
	}
}

// pass asks for everything that is not known, and says in how long it is to be done again; 0: when something changes.
func (k *Keeper) pass(ctx context.Context) (again time.Duration, err error) {
	m := k.d.Model()
	if m.Name == "" {
		return 0, k.only(ctx, recall.Space{})
	}
	if wait := k.rests(); wait > 0 {
		return wait, nil
	}
	err = k.all(ctx, m)
	var no *llm.Error
	switch {
	case errors.As(err, &no) && no.Kind == llm.Away:
		return k.d.First, nil // this server's own way: the model has not failed
	case errors.As(err, &no):
		return k.pause(ctx, no), nil
	case err != nil:
		return 0, err
	}
	k.resume()
	return 0, nil
}

// all asks for everything that is not known. With nothing to ask for, a model that did not answer is asked anyway.
func (k *Keeper) all(ctx context.Context, m Model) error {
	in, err := k.settled(ctx, m.Name)
	if err != nil {
		return err
	}
	if in, err = k.probed(ctx, m, in); err == nil {
		err = k.only(ctx, in)
	}
	if err != nil {
		return err
	}
	for behind := int64(0); ; {
		notes, next, err := k.d.Notes.Unmeant(ctx, behind, batch)
		if err != nil {
			return err
		}
		if next == 0 {
			return k.tidy(ctx, m.Name)
		}
		now, err := k.some(ctx, m, in, notes)
		if err != nil {
			return err
		}
		if k.d.Model().Name != m.Name {
			k.Wake()
			return nil
		}
		if behind = next; now != in {
			in, behind = now, 0 // what was known is gone
		}
	}
}

// only has the index know meanings of one space alone.
func (k *Keeper) only(ctx context.Context, in recall.Space) error {
	have, err := k.d.Notes.In(ctx)
	if err != nil || have == in || have == (recall.Space{}) {
		return err
	}
	return k.d.Notes.Forget(ctx)
}

// probed asks again a model that did not answer, or that answered a question in another way than before.
func (k *Keeper) probed(ctx context.Context, m Model, in recall.Space) (recall.Space, error) {
	k.mu.Lock()
	down, other, hurry := !k.since.IsZero(), k.seen != (recall.Space{}) && k.seen != in, k.late >= slow
	k.seen = recall.Space{}
	k.mu.Unlock()
	if !down && !other {
		return in, nil
	}
	within := k.d.Long
	if hurry { // one that is too slow for questions has to answer as fast as they need it
		within = k.d.Wait
	}
	v, err := k.embed(ctx, m, within, probe)
	if err != nil {
		return in, err
	}
	now := space(m, v)
	return now, k.enter(ctx, in, now)
}

// probe is next to nothing: whether the model answers at all.
var probe = []string{"memory"}

// embed asks for so long at most.
func (k *Keeper) embed(ctx context.Context, m Model, within time.Duration, texts []string) (llm.Vectors, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, tooSlow)
	defer cancel()
	return llm.Embed(ctx, m, Agent, texts)
}

// tooSlow is why a model counts as down that may answer in the end.
var tooSlow = &llm.Error{Kind: llm.Timeout, Detail: "no answer while somebody waited"}
