package receipt

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

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Genesis is the PrevHash of the first record.
const Genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// Entry is what a caller adds to the log; number, time and hashes are the log's.
type Entry struct {
	Type   string // call.requested … config.applied
	RunID  string
	CallID string
	Tool   string
	Tier   string
	Body   any // marshalled to JSON, redacted, then hashed; nil is {}
}

// Outbox takes frames for the hub in the transaction that makes them true.
type Outbox interface {
	Put(ctx context.Context, tx *sql.Tx, t wire.Type, body any) error
}

// Log is the log of one server.
type Log struct {
	db  *store.DB
	now func() time.Time

	newest newest // used by Writes alone
	text   []byte // what was hashed last, written over by the next record; used by Writes alone

	mu        sync.Mutex
	listeners []func(wire.Receipt)
	signer    *signer // nil until Anchor was called
	due       chan struct{}
	since     int // receipts since the last checkpoint

	checking sync.Mutex
	verified Head // the newest record that Check has found good
}

// newest is the last record that was added at a point of a Write.
type newest struct {
	at store.Point
	Head
}

type signer struct {
	server string
	key    ed25519.PrivateKey
	out    Outbox
	log    *slog.Logger
}

// New makes the log of db.
func New(db *store.DB, now func() time.Time) *Log {
	return &Log{db: db, now: now, due: make(chan struct{}, 1)}
}

// Subscribe calls fn with every record once it is durable, in the goroutine of the Write that made it. fn must not
// block for long. Subscribe before the log is in use.
func (l *Log) Subscribe(fn func(wire.Receipt)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners = append(l.listeners, fn)
}

// Append adds e to the log, inside the Write that tx belongs to.
func (l *Log) Append(tx *sql.Tx, e Entry) (wire.Receipt, error) {
	r, err := l.record(tx, e)
	if err != nil {
		return wire.Receipt{}, fmt.Errorf("receipt %s: %w", e.Type, err)
	}
	_, err = l.db.Exec(tx, `INSERT INTO receipts (seq, time, type, run_id, call_id, tool, tier, body, prev_hash, hash) VALUES (?,?,?,?,?,?,?,?,?,?)`,
		r.Seq, stamp(r.Time), r.Type, r.RunID, r.CallID, r.Tool, r.Tier, string(r.Body), r.PrevHash, r.Hash)
	if err != nil {
		return wire.Receipt{}, fmt.Errorf("receipt %s: %w", e.Type, err)
	}
	l.newest = newest{l.db.Point(tx), Head{Seq: r.Seq, Hash: r.Hash}}
	l.db.OnCommit(tx, func() { l.tell(r) })
	return r, nil
}

// record makes the next record of the chain.
func (l *Log) record(tx *sql.Tx, e Entry) (wire.Receipt, error) {
	body, err := bodyOf(e.Body)
	if err != nil {
		return wire.Receipt{}, err
	}
	seq, prev, err := l.head(tx)
	if err != nil {
		return wire.Receipt{}, err
	}
	r := wire.Receipt{
		Seq: seq + 1, Time: l.now().UTC().Truncate(time.Microsecond), Type: e.Type, RunID: e.RunID, CallID: e.CallID,
		Tool: e.Tool, Tier: e.Tier, Body: body, PrevHash: prev,
	}
	if l.text, err = appendChained(l.text[:0], r); err != nil {
		return wire.Receipt{}, err
	}
	r.Hash = hashText(l.text)
	return r, nil
}

// bodyOf marshals, redacts and brings a body to its canonical form.
func bodyOf(v any) (json.RawMessage, error) {
	if v == nil {
		return json.RawMessage("{}"), nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	return canonical.JSON(redact.Frame(text))
}

// head gives number and hash of the newest record; 0 and Genesis when there is none.
func (l *Log) head(tx *sql.Tx) (int64, string, error) {
	if l.newest.at == l.db.Point(tx) {
		return l.newest.Seq, l.newest.Hash, nil
	}
	var seq int64
	var hash string
	err := l.db.QueryRow(tx, "SELECT seq, hash FROM receipts ORDER BY seq DESC LIMIT 1").Scan(&seq, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, Genesis, nil
	}
	if err != nil {
		return 0, "", fmt.Errorf("newest receipt: %w", err)
	}
	return seq, hash, nil
}

// tell hands a durable record to whoever listens, and asks for a checkpoint when enough were written.
func (l *Log) tell(r wire.Receipt) {
	l.mu.Lock()
	listeners := l.listeners
	l.since++
	full := l.since >= perCheckpoint
	l.mu.Unlock()
	if full {
		select {
		case l.due <- struct{}{}:
		default:
		}
	}
	for _, fn := range listeners {
		fn(r)
	}
}

// stamp is the form of times in the table, the same as in JSON.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
