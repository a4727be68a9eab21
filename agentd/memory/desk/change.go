package desk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"gatehouse/agentd/memory"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// Refusals that people read.
var (
	errAct      = &wire.RPCError{Code: "bad_request", Text: "This is nothing that can be done to a note. Nothing was changed."}
	errAgent    = &wire.RPCError{Code: "bad_request", Text: "There is no agent with this id. Nothing was kept."}
	errUnsigned = &wire.RPCError{
		Code: "signature_required", Text: "This needs the signature of a device that may approve. Nothing was changed.",
	}
	errGone   = &wire.RPCError{Code: "not_found", Text: "This note is not there any more. Nothing was changed."}
	errOther  = &wire.RPCError{Code: "conflict", Text: "This note was changed meanwhile. Nothing was done to it; look at what it says now."}
	errSecret = &wire.RPCError{
		Code: "bad_request",
		Text: "This text holds what looks like a password or a key. Put it into the credentials instead; nothing was kept.",
	}
)

// change carries out an act of a person.
func (d *Desk) change(ctx context.Context, c wire.MemoryChange) (wire.MemoryNote, error) {
	a := c.Act
	if uuid.Validate(a.ID) != nil {
		return wire.MemoryNote{}, errAct
	}
	if redact.Text(a.Text) != a.Text {
		return wire.MemoryNote{}, errSecret
	}
	do := map[wire.MemoryDo]func(context.Context, wire.MemoryChange) (memory.Note, error){
		wire.MemoryDoState: d.state, wire.MemoryDoCorrect: d.correct, wire.MemoryDoConfirm: d.confirm,
		wire.MemoryDoHold: d.hold, wire.MemoryDoDelete: d.remove,
	}[a.Do]
	if do == nil {
		return wire.MemoryNote{}, errAct
	}
	n, err := do(ctx, c)
	if err != nil {
		return wire.MemoryNote{}, worded(err)
	}
	return shown(n), nil
}

// worded gives the errors of memory the words and codes that people and programs read.
func worded(err error) error {
	switch {
	case errors.Is(err, memory.ErrUnknown):
		return errGone
	case errors.Is(err, memory.ErrEmpty), errors.Is(err, memory.ErrLong), errors.Is(err, memory.ErrPart):
		return &wire.RPCError{Code: "bad_request", Text: plainly(err)}
	}
	return err
}

// plainly says why a text cannot be a note.
func plainly(err error) string {
	switch {
	case errors.Is(err, memory.ErrLong):
		return "A note is at most 2,000 characters long. Nothing was changed; say it in fewer words, or in several notes."
	case errors.Is(err, memory.ErrPart):
		return "This note is part of a longer paragraph in its file. Nothing was changed; change it in the file."
	}
	return "There is nothing to remember in an empty text. Nothing was changed."
}

// state makes a core note of what the owner says. It is vouched for before it is written, so that a crash leaves a signed text that
// nobody wrote, and never an unsigned one.
func (d *Desk) state(ctx context.Context, c wire.MemoryChange) (memory.Note, error) {
	if !d.known(c.Act.Agent) {
		return memory.Note{}, errAgent
	}
	n, err := memory.Checked(memory.Note{
		ID: c.Act.ID, Of: c.Act.Agent, Text: c.Act.Text, About: memory.About{From: memory.Owner, Core: true, Sign: c.Act.ID},
	})
	if err != nil {
		return memory.Note{}, err
	}
	old, err := d.d.Book.Get(ctx, n.ID)
	switch {
	case err == nil && old.Sign == n.Sign && old.Of == n.Of && old.Text == n.Text:
		return old, nil // a repeat, whose first answer was lost
	case !errors.Is(err, memory.ErrUnknown): // a new note takes nobody's place
		return memory.Note{}, errors.Join(errOther, err)
	}
	if err := d.vouch(ctx, c, n); err != nil {
		return memory.Note{}, err
	}
	return d.d.Book.Write(ctx, n, true, d.d.Zone())
}

// correct gives a note another text: the owner's.
func (d *Desk) correct(ctx context.Context, c wire.MemoryChange) (memory.Note, error) {
	return d.lift(ctx, c, func(n *memory.Note) { n.Text = c.Act.Text })
}

// confirm makes the owner vouch for a note.
func (d *Desk) confirm(ctx context.Context, c wire.MemoryChange) (memory.Note, error) {
	return d.lift(ctx, c, func(*memory.Note) {})
}

// lift makes a note the owner's word. Once it stands in the file, what was signed before counts no more.
func (d *Desk) lift(ctx context.Context, c wire.MemoryChange, edit func(*memory.Note)) (memory.Note, error) {
	n, err := d.d.Book.Change(ctx, c.Act.Note, func(n *memory.Note) error {
		if n.Text != c.Act.Seen {
			return errOther
		}
		edit(n)
		n.From, n.Sign, n.Held = memory.Owner, c.Act.ID, ""
		checked, err := memory.Checked(*n)
		if err != nil {
			return err
		}
		*n = checked
		return d.vouch(ctx, c, *n)
	})
	if err != nil {
		return memory.Note{}, err
	}
	err = d.d.Store.Write(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
		_, err := d.d.Store.Exec(tx, `DELETE FROM memory_signed WHERE note_id = ? AND hash <> ?`, n.ID, hash(n))
		return err
	})
	return n, err
}

// hold puts a note aside. A core note stays the owner's word, and needs it for this.
func (d *Desk) hold(ctx context.Context, c wire.MemoryChange) (memory.Note, error) {
	return d.d.Book.Change(ctx, c.Act.Note, func(n *memory.Note) error {
		if !seen(*n, c.Act) {
			return errOther
		}
		n.Held = "Somebody put it aside."
		return d.less(ctx, c, *n)
	})
}

// remove takes a note away and gives it as it stood.
func (d *Desk) remove(ctx context.Context, c wire.MemoryChange) (stood memory.Note, err error) {
	err = d.d.Book.Remove(ctx, c.Act.Note, func(n memory.Note) error {
		if c.Act.Seen != "" && !seen(n, c.Act) {
			return errOther
		}
		stood = n
		return d.less(ctx, c, n)
	})
	return stood, err
}

// seen says whether a person saw what a note says: as it stands, or without what looks like a secret, as it is shown.
func seen(n memory.Note, a wire.MemoryAct) bool {
	return a.Seen == n.Text || a.Seen == redact.Text(n.Text)
}

// vouch checks the signature of an act and keeps that the owner stands behind the text of a note.
func (d *Desk) vouch(ctx context.Context, c wire.MemoryChange, n memory.Note) error {
	if c.Signature == nil {
		return errUnsigned
	}
	return d.d.Store.Write(ctx, func(tx *sql.Tx) error {
		key, err := d.d.Signed.Change(context.WithoutCancel(ctx), tx, wire.ChangeMemory, c.Act, c.Signature)
		if err != nil {
			return err
		}
		_, err = d.d.Store.Exec(tx, `INSERT INTO memory_signed (note_id, hash, act_id, key_id, signed_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (note_id, hash) DO UPDATE SET act_id = excluded.act_id, key_id = excluded.key_id,
			signed_at = excluded.signed_at`, n.ID, hash(n), c.Act.ID, key, d.d.Now().Unix())
		if err != nil {
			return fmt.Errorf("keep what was signed: %w", err)
		}
		// The owner stands behind it: it is not put aside any more.
		if _, err := d.d.Store.Exec(tx, `DELETE FROM memory_held WHERE note_id = ? OR hash = ?`, n.ID, hash(n)); err != nil {
			return fmt.Errorf("take a note back: %w", err)
		}
		return d.note(tx, c, n, key)
	})
}

// less puts on record that somebody takes weight from a note, with a signature where it is a core one.
func (d *Desk) less(ctx context.Context, c wire.MemoryChange, n memory.Note) error {
	if c.Signature == nil && c.Act.Do.Signed(n.Core) {
		return errUnsigned
	}
	return d.d.Store.Write(ctx, func(tx *sql.Tx) (err error) {
		key := ""
		if c.Signature != nil {
			if key, err = d.d.Signed.Change(context.WithoutCancel(ctx), tx, wire.ChangeMemory, c.Act, c.Signature); err != nil {
				return err
			}
		}
		if c.Act.Do == wire.MemoryDoDelete { // should the line come back, nobody stands behind it any more
			if _, err := d.d.Store.Exec(tx, `DELETE FROM memory_signed WHERE note_id = ?`, n.ID); err != nil {
				return fmt.Errorf("forget what was signed: %w", err)
			}
		}
		if c.Act.Do == wire.MemoryDoHold {
			if err := keepAside(tx, d.d.Store, n, n.Held, d.d.Now()); err != nil {
				return err
			}
		}
		return d.note(tx, c, n, key)
	})
}

// note puts an act on record: which note, by whom, and the hash of what it says. What it says stays out of the log.
func (d *Desk) note(tx *sql.Tx, c wire.MemoryChange, n memory.Note, key string) error {
	_, err := d.d.Receipts.Append(tx, receipt.Entry{Type: "memory.changed", Body: map[string]any{
		"act": c.Act.ID, "do": c.Act.Do, "note": n.ID, "agent": n.Of, "hash": hash(n), "by": c.By, "key_id": key,
	}})
	return err
}
