package link

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Store is what the link needs of agentd's state; store.DB is one.
type Store interface {
	Read() *store.Reader
	// Write runs fn in a transaction and returns once it is durable.
	Write(ctx context.Context, fn func(tx *sql.Tx) error) error
	// OnCommit runs f once the Write that tx belongs to is durable.
	OnCommit(tx *sql.Tx, f func())
	// Attempt runs fn inside a Write; of one that fails nothing is left in tx or with OnCommit.
	Attempt(tx *sql.Tx, fn func() error) (failed, err error)
}

// maxKept is the largest body that fits in a frame: one that could never be sent would hold up all that follow.
const maxKept = wire.MaxBody - 4<<10

// Outbox keeps reliable frames until the hub says that it has applied them.
type Outbox struct {
	db   Store
	now  func() time.Time
	wake chan struct{} // holds one when there is something new to send
}

// NewOutbox is the outbox in db.
func NewOutbox(db Store, now func() time.Time) *Outbox {
	return &Outbox{db: db, now: now, wake: make(chan struct{}, 1)}
}

// Put adds a frame in the transaction of what it reports, so that either both happen or neither. It is sent as soon
// as that is durable. Only reliable types belong here.
func (o *Outbox) Put(ctx context.Context, tx *sql.Tx, t wire.Type, body any) error {
	ctx = context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
	if !t.Reliable() {
		return fmt.Errorf("put %s in outbox: it is not a reliable type", t)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("put %s in outbox: %w", t, err)
	}
	if raw = redact.Frame(raw); len(raw) > maxKept {
		return fmt.Errorf("put %s of %d bytes in outbox: %w", t, len(raw), wire.ErrTooLarge)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("put %s in outbox: %w", t, err)
	}
	var seq int64
	if err := tx.QueryRowContext(ctx, "UPDATE link_state SET out_seq = out_seq + 1 RETURNING out_seq").Scan(&seq); err != nil {
		return fmt.Errorf("put %s in outbox: %w", t, err)
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO link_out (seq, id, type, time, body) VALUES (?, ?, ?, ?, ?)",
		seq, id.String(), string(t), o.now().UTC().Format(time.RFC3339Nano), raw)
	if err != nil {
		return fmt.Errorf("put %s in outbox: %w", t, err)
	}
	o.db.OnCommit(tx, o.nudge)
	return nil
}

// Waiting says whether a frame of a type waits for the hub.
func (o *Outbox) Waiting(ctx context.Context, t wire.Type) (waits bool, err error) {
	err = o.db.Read().QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM link_out WHERE type = ?)", string(t)).Scan(&waits)
	if err != nil {
		return false, fmt.Errorf("look into outbox: %w", err)
	}
	return waits, nil
}

func (o *Outbox) nudge() {
	select {
	case o.wake <- struct{}{}:
	default: // one is enough
	}
}

// after reads the frames above a number, in order, at most limit.
func (o *Outbox) after(ctx context.Context, seq int64, limit int) ([]wire.Frame, error) {
	rows, err := o.db.Read().QueryContext(ctx, "SELECT seq, id, type, time, body FROM link_out WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit)
	if err != nil {
		return nil, fmt.Errorf("read outbox: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	var out []wire.Frame
	for rows.Next() {
		f, err := scanFrame(rows)
		if err != nil {
			return nil, fmt.Errorf("read outbox: %w", err)
		}
		out = append(out, f)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read outbox: %w", err)
	}
	return out, nil
}

func scanFrame(rows *sql.Rows) (wire.Frame, error) {
	f := wire.Frame{V: wire.Version}
	var t string
	var body []byte
	err := rows.Scan(&f.Seq, &f.ID, &f.Type, &t, &body)
	if err != nil {
		return f, err
	}
	f.Body = redact.Frame(body) // the vault may know more by now; what is clean since Put costs a look at its hash
	f.Time, err = time.Parse(time.RFC3339Nano, t)
	return f, err
}

// drop forgets what the hub has applied.
func (o *Outbox) drop(ctx context.Context, upTo int64) error {
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		_, err := tx.ExecContext(ctx, "DELETE FROM link_out WHERE seq <= ?", upTo)
		return err
	})
	if err != nil {
		return fmt.Errorf("trim outbox: %w", err)
	}
	return nil
}

// resume gives what waits the numbers that follow what the hub has, when they do not follow already: the word that it has
// some of it was lost, or one of the two was set back to an older copy of its data. What the hub has it knows by its id,
// whatever its number.
func (o *Outbox) resume(ctx context.Context, applied int64) error {
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		var n, first, last int64
		err := tx.QueryRowContext(ctx, "SELECT (SELECT out_seq FROM link_state), count(*), coalesce(min(seq), 0) FROM link_out").Scan(&last, &n, &first)
		if err != nil || last == applied+n && (n == 0 || first == applied+1) {
			return err
		}
		return renumber(ctx, tx, applied, n)
	})
	if err != nil {
		return fmt.Errorf("resume outbox: %w", err)
	}
	return nil
}

// renumber gives the n frames that wait the numbers after applied, in two steps: numbers are unique at every moment.
func renumber(ctx context.Context, tx *sql.Tx, applied, n int64) error {
	for _, q := range []string{
		"UPDATE link_out SET seq = -w.place FROM (SELECT id, row_number() OVER (ORDER BY seq) AS place FROM link_out) AS w WHERE link_out.id = w.id",
		"UPDATE link_out SET seq = ?1 - seq WHERE seq < 0",
		"UPDATE link_state SET out_seq = ?1 + ?2",
	} {
		if _, err := tx.ExecContext(ctx, q, applied, n); err != nil {
			return err
		}
	}
	return nil
}
