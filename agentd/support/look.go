package support

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/wire"
)

// admitted is a look that may go on.
type admitted struct {
	id     string
	window *window
	staff  string
	text   string // what was signed
}

// look shows content to a member of staff. It is on record before anything is read.
func (w *Windows) look(ctx context.Context, l wire.SupportLook) (wire.Boxed, error) {
	if len(l.Ask.See.Of()) == 0 || len(l.Ask.Name) > maxName || len(l.Ask.After) > maxName {
		return wire.Boxed{}, &wire.RPCError{Code: "bad_request", Text: "There is nothing of that kind to look at."}
	}
	a, err := w.admit(ctx, l)
	if err != nil {
		return wire.Boxed{}, err
	}
	raw, err := w.show(ctx, l.Ask)
	if err != nil {
		return wire.Boxed{}, w.failed(ctx, a, err)
	}
	if err := w.stillOpen(ctx, a.window.ID); err != nil {
		return wire.Boxed{}, w.failed(ctx, a, err)
	}
	box, err := wire.SealFile(l.BoxKey, wire.LookPurpose(w.d.ServerID(), l.Window, a.text), raw)
	return wire.Boxed{Result: wire.SupportLooked{Until: a.window.Until}, Box: box}, err
}

const maxName = 4096 // bytes of a path

// admit checks a look and puts it on record: what was let through, and what was refused.
func (w *Windows) admit(ctx context.Context, l wire.SupportLook) (a admitted, err error) {
	var why refusal
	err = w.d.DB.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		why = ""
		v, err := find(ctx, tx, l.Window)
		if err != nil {
			return err
		}
		a, err = w.allowed(ctx, tx, v, l)
		if err != nil && !errors.As(err, &why) {
			return err
		}
		return w.record(ctx, tx, v, a, l, string(why))
	})
	if err == nil && why != "" {
		err = &wire.RPCError{Code: "conflict", Text: "Nothing was shown: " + string(why) + "."}
	}
	return a, err
}

// allowed says who looks, or why nobody may.
func (w *Windows) allowed(ctx context.Context, tx *sql.Tx, v *window, l wire.SupportLook) (admitted, error) {
	a := admitted{id: uuid.Must(uuid.NewV7()).String(), window: v}
	if v == nil {
		return a, refusal("no support window is open; ask the owner for one")
	}
	if err := w.endIfOver(ctx, tx, v); err != nil {
		return a, err
	}
	if err := w.signedBy(ctx, tx, &a, l); err != nil {
		return a, err
	}
	switch {
	case v.Why == wire.SupportClosed:
		return a, refusal("the support window was closed; ask the owner for another one")
	case v.Why != "":
		return a, refusal("the support window has run out; ask the owner for another one")
	case !overlap(v.body.What, l.Ask.See.Of()):
		return a, refusal("this support window is not for that kind of content")
	}
	return a, nil
}

// signedBy checks that a key of the window has signed this look: just now, and for the first time.
func (w *Windows) signedBy(ctx context.Context, tx *sql.Tx, a *admitted, l wire.SupportLook) (err error) {
	if l.Signature == nil {
		return refusal("nobody has signed for it")
	}
	by := keyOf(a.window.body, l.Signature.KeyID)
	if by == nil {
		return refusal("the key that signed it is none of those that the owner let look")
	}
	if _, err := wire.SecretPublic(l.BoxKey); err != nil {
		return refusal("the browser has sent no key to which it could be sealed")
	}
	if a.text, err = wire.LookText(w.d.ServerID(), l, l.Signature.Time); err != nil {
		return err
	}
	if !approver.SignedBy(*by, a.text, *l.Signature) {
		return refusal("its signature does not hold: something differs from what was signed")
	}
	a.staff = by.Label
	if away := w.d.Now().Sub(l.Signature.Time); away > skew || away < -skew {
		return refusal("it took more than 5 minutes to arrive, or a clock is wrong; try again")
	}
	revoked, err := w.d.Signed.Revoked(ctx, tx, l.Signature.KeyID)
	switch {
	case err != nil:
		return err
	case revoked:
		return refusal("the owner has taken this key back")
	}
	return unused(ctx, tx, textID(a.text, l.Signature.KeyID))
}

// keyOf is the key of a window with that id; nil when it has none.
func keyOf(b wire.SupportBody, id string) *wire.ApproverKey {
	for _, s := range b.Staff {
		if wire.ApproverKeyIDOf(s.SPKI) == id {
			return &wire.ApproverKey{KeyID: id, SPKI: s.SPKI, Kind: s.Kind, Holder: wire.HolderStaff, Label: s.Name}
		}
	}
	return nil
}

// unused refuses a text that was signed for a look before.
func unused(ctx context.Context, tx *sql.Tx, id string) error {
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM support_looks WHERE text_id = ? AND refused = ''", id).Scan(&n); err != nil {
		return fmt.Errorf("read looks: %w", err)
	}
	if n > 0 {
		return refusal("its signature was used before")
	}
	return nil
}

// textID names a signed text together with its signer. Not the signature: of that there are many for one text.
func textID(text, keyID string) string {
	sum := sha256.Sum256([]byte(text + "\n" + keyID))
	return hex.EncodeToString(sum[:])
}

func overlap(have, want []wire.SupportKind) bool {
	return slices.ContainsFunc(want, func(k wire.SupportKind) bool { return slices.Contains(have, k) })
}

// record puts a look on record, let through or refused, and tells the hub of it.
func (w *Windows) record(ctx context.Context, tx *sql.Tx, v *window, a admitted, l wire.SupportLook, refused string) error {
	kind, body := "support.looked", map[string]any{"look": a.id, "window": l.Window, "staff": a.staff, "see": l.Ask.See, "name": l.Ask.Name}
	if l.Signature != nil {
		body["key_id"] = l.Signature.KeyID
	}
	if refused != "" {
		kind = "support.refused"
		body["what"], body["why"] = "look", refused
	}
	if err := w.note(tx, kind, body); err != nil || v == nil {
		return err
	}
	line := wire.SupportLine{
		ID: a.id, Window: l.Window, Staff: a.staff, See: l.Ask.See, At: w.d.Now().UTC().Truncate(time.Microsecond), Refused: refused,
	}
	text := sql.NullString{Valid: refused == ""}
	if text.Valid {
		text.String = textID(a.text, l.Signature.KeyID)
	}
	_, err := tx.ExecContext(ctx,
		"INSERT INTO support_looks (id, text_id, window_id, staff, see, name, at, refused) VALUES (?,?,?,?,?,?,?,?)",
		a.id, text, l.Window, a.staff, string(l.Ask.See), l.Ask.Name, line.At.UnixMicro(), refused)
	if err != nil {
		return fmt.Errorf("keep look: %w", err)
	}
	if err := w.d.Outbox.Put(ctx, tx, wire.TypeSupportLine, line); err != nil {
		return fmt.Errorf("report look: %w", err)
	}
	return nil
}

// stillOpen refuses what was read while its window was closed.
func (w *Windows) stillOpen(ctx context.Context, id string) error {
	var closed bool
	err := w.d.DB.Read().QueryRowContext(ctx, "SELECT closed_at IS NOT NULL FROM support_windows WHERE id = ?", id).Scan(&closed)
	if err == nil && closed {
		err = &wire.RPCError{Code: "conflict", Text: "Nothing was shown: the support window was closed; ask the owner for another one."}
	}
	return err
}

// failed puts on record that nothing was shown after all, and gives why.
func (w *Windows) failed(ctx context.Context, a admitted, why error) error {
	said := "something went wrong on the server"
	var no *wire.RPCError
	if errors.As(why, &no) {
		said = no.Text
	}
	err := w.d.DB.Write(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
		return w.note(tx, "support.failed", map[string]any{"look": a.id, "window": a.window.ID, "staff": a.staff, "why": said})
	})
	if err != nil {
		w.d.Log.ErrorContext(ctx, "failed look is not on record", "look", a.id, "error", err)
	}
	return why
}

// mostLooks is how many looks of a window are listed.
const mostLooks = 200

// looks lists what was looked at in a window, newest first.
func (w *Windows) looks(ctx context.Context, p wire.SupportLooksParams) (out wire.SupportLooks, err error) {
	out.Items = []wire.SupportSeen{}
	rows, err := w.d.DB.Read().QueryContext(ctx,
		"SELECT id, staff, see, name, at, refused FROM support_looks WHERE window_id = ? ORDER BY id DESC LIMIT ?", p.Window, mostLooks)
	if err != nil {
		return out, fmt.Errorf("read looks: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		s := wire.SupportSeen{SupportLine: wire.SupportLine{Window: p.Window}}
		var at int64
		if err := rows.Scan(&s.ID, &s.Staff, &s.See, &s.Name, &at, &s.Refused); err != nil {
			return out, fmt.Errorf("read looks: %w", err)
		}
		s.At = time.UnixMicro(at).UTC()
		out.Items = append(out.Items, s)
	}
	return out, rows.Err()
}
