package desk

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/memory"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Store is the SQLite state; store.DB is one.
type Store interface {
	Read() *store.Reader
	Write(ctx context.Context, fn func(tx *sql.Tx) error) error
	Exec(tx *sql.Tx, query string, args ...any) (sql.Result, error)
}

// Receipts is the log of this server; receipt.Log is one.
type Receipts interface {
	Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error)
}

// Approvers checks what people sign; approver.Keys is one.
type Approvers interface {
	// Change checks the signature of a change and uses it up in tx. It says whose key it was. Its errors that a person may
	// read are *wire.RPCError.
	Change(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, s *wire.Signature) (by string, err error)
}

// Deps is what a Desk stands on.
type Deps struct {
	Store    Store
	Receipts Receipts
	Signed   Approvers
	Book     *memory.Book
	Agents   func() []string // the ids of the team
	// Meaning says how the search by meaning stands. nil: there is none.
	Meaning func(context.Context) (*wire.MemoryMeaning, error)
	Now     func() time.Time
	Zone    func() *time.Location // of the business
}

// Desk answers the owner.
type Desk struct{ d Deps }

// New makes a desk.
func New(d Deps) *Desk { return &Desk{d} }

// Methods are the questions that the desk answers.
func (d *Desk) Methods() rpc.Methods {
	how := rpc.Params{Unreadable: "This question about memory cannot be read.", Strict: true}
	return rpc.Methods{
		wire.MethodMemoryList:   rpc.With(how, d.list),
		wire.MethodMemoryChange: rpc.With(how, d.change),
	}
}

const (
	usual = 50
	most  = 200
)

func (d *Desk) list(ctx context.Context, p wire.MemoryParams) (wire.MemoryResult, error) {
	if p.Limit <= 0 || p.Limit > most {
		p.Limit = usual
	}
	all := append(d.d.Agents(), wire.MemoryShared)
	held, err := d.d.Book.Held(ctx, all)
	if err != nil {
		return wire.MemoryResult{}, err
	}
	of := all
	if p.Agent != "" {
		of = []string{p.Agent}
	}
	r := wire.MemoryResult{Held: held, LeftOut: d.d.Book.LeftOut()}
	r.LeftOut = r.LeftOut[:min(len(r.LeftOut), most)]
	if d.d.Meaning != nil {
		if r.Meaning, err = d.d.Meaning(ctx); err != nil {
			return wire.MemoryResult{}, err
		}
	}
	if p.Query != "" {
		r.Items, err = d.search(ctx, p, of)
		return r, err
	}
	notes, err := d.d.Book.List(ctx, memory.Shelf{Of: of, From: p.Origin, Held: p.Held, After: p.After, Limit: p.Limit + 1})
	if err != nil {
		return wire.MemoryResult{}, err
	}
	if len(notes) > p.Limit {
		notes = notes[:p.Limit]
		r.Next = notes[p.Limit-1].ID
	}
	r.Items = make([]wire.MemoryNote, len(notes))
	for i, n := range notes {
		r.Items[i] = shown(n)
	}
	return r, nil
}

func (d *Desk) search(ctx context.Context, p wire.MemoryParams, of []string) ([]wire.MemoryNote, error) {
	hits, err := d.d.Book.Find(ctx, memory.Question{Text: p.Query, Of: of, Held: p.Held, From: p.Origin, Limit: p.Limit})
	if err != nil {
		return nil, err
	}
	all := make([]wire.MemoryNote, 0, len(hits))
	for _, h := range hits {
		n := shown(h.Note)
		n.Score = h.Score
		all = append(all, n)
	}
	return all, nil
}

// shown is a note as it leaves the server: a file may hold what no note should.
func shown(n memory.Note) wire.MemoryNote {
	return wire.MemoryNote{
		ID: n.ID, Agent: n.Of, Text: redact.Text(n.Text), Origin: n.From, Trust: n.Trust(), Core: n.Core, File: n.File,
		Line: n.Line, Day: n.Day, At: n.At, RunID: n.Run, By: n.By, Held: n.Held,
	}
}

// hash is what a signature vouches for.
func hash(n memory.Note) string {
	sum := sha256.Sum256([]byte(n.Of + "\n" + n.Text))
	return hex.EncodeToString(sum[:])
}

// Vouched says whether the owner has signed for what a note says.
func Vouched(ctx context.Context, s Store, n memory.Note) (signed bool, err error) {
	const query = `SELECT EXISTS (SELECT 1 FROM memory_signed WHERE note_id = ? AND hash = ?)`
	if err := s.Read().QueryRowContext(ctx, query, n.ID, hash(n)).Scan(&signed); err != nil {
		return false, fmt.Errorf("look up a signed note: %w", err)
	}
	return signed, nil
}

// known says whether an agent can have notes.
func (d *Desk) known(agent string) bool {
	return agent == wire.MemoryShared || slices.Contains(d.d.Agents(), agent)
}
