package support

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// window is a window as it is kept.
type window struct {
	wire.SupportState
	body wire.SupportBody
	text string    // canonical JSON of body
	seen time.Time // when this server last did something with it, by its own clock
}

const columns = `id, body, opened_at, until, coalesce(closed_at, 0), why, by,
	max(opened_at, coalesce((SELECT max(at) FROM support_looks AS l WHERE l.window_id = w.id AND l.refused = ''), 0))`

func scan(row interface{ Scan(...any) error }) (window, error) {
	var v window
	var opened, until, closed, seen int64
	if err := row.Scan(&v.ID, &v.text, &opened, &until, &closed, &v.Why, &v.By, &seen); err != nil {
		return v, err
	}
	v.OpenedAt, v.Until, v.seen = time.UnixMicro(opened).UTC(), time.UnixMicro(until).UTC(), time.UnixMicro(seen).UTC()
	if closed != 0 {
		v.ClosedAt = time.UnixMicro(closed).UTC()
	}
	return v, json.Unmarshal([]byte(v.text), &v.body)
}

// find reads a window; nil when there is none of that id.
func find(ctx context.Context, tx *sql.Tx, id string) (*window, error) {
	v, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM support_windows AS w WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read support window: %w", err)
	}
	return &v, nil
}

// stillOpen reads the windows that nobody has closed.
func stillOpen(ctx context.Context, tx *sql.Tx) (all []window, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT "+columns+" FROM support_windows AS w WHERE closed_at IS NULL ORDER BY id")
	if err != nil {
		return nil, fmt.Errorf("read support windows: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read support windows: %w", err)
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// skew is how far the clocks of a browser and this server may be apart, and how far this server's may be set back.
const skew = 5 * time.Minute

// over says whether a window has run out at now. A clock that was set back since the window was last used would make it longer
// than the owner signed for: then it has run out as well.
func (v window) over(now time.Time) bool {
	return !now.Before(v.Until) || now.Before(v.seen.Add(-skew))
}

// endIfOver ends a window that has run out.
func (w *Windows) endIfOver(ctx context.Context, tx *sql.Tx, v *window) error {
	if v.Why != "" || !v.over(w.d.Now()) {
		return nil
	}
	return w.end(ctx, tx, v, wire.SupportRanOut, "")
}

// end closes a window for good, with its receipt and word to the hub.
func (w *Windows) end(ctx context.Context, tx *sql.Tx, v *window, why, by string) error {
	v.ClosedAt, v.Why, v.By = w.d.Now().UTC().Truncate(time.Microsecond), why, by
	_, err := tx.ExecContext(ctx, "UPDATE support_windows SET closed_at = ?, why = ?, by = ? WHERE id = ?", v.ClosedAt.UnixMicro(),
		why, by, v.ID)
	if err != nil {
		return fmt.Errorf("close support window: %w", err)
	}
	if err := w.note(tx, "support.closed", map[string]any{"window": v.ID, "why": why, "by": by}); err != nil {
		return err
	}
	return w.tell(ctx, tx, v)
}

func (w *Windows) tell(ctx context.Context, tx *sql.Tx, v *window) error {
	if err := w.d.Outbox.Put(ctx, tx, wire.TypeSupportState, v.SupportState); err != nil {
		return fmt.Errorf("report support window: %w", err)
	}
	return nil
}

// open opens a window that a key of the owner has signed.
func (w *Windows) open(ctx context.Context, o wire.SupportOpen) (state wire.SupportState, err error) {
	if why := malformed(o.Body); why != "" {
		return state, &wire.RPCError{Code: "bad_request", Text: "The support window was not opened: " + why + "."}
	}
	var no *wire.RPCError
	err = w.d.DB.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		no = nil
		var err error
		state, err = w.opened(ctx, tx, o)
		if errors.As(err, &no) {
			return w.note(tx, "support.refused", map[string]any{"what": "open", "window": o.Body.ID, "why": no.Text, "by": o.By})
		}
		return err
	})
	if err == nil && no != nil {
		err = no
	}
	return state, err
}

func (w *Windows) opened(ctx context.Context, tx *sql.Tx, o wire.SupportOpen) (wire.SupportState, error) {
	text, err := canonical.Of(o.Body)
	if err != nil {
		return wire.SupportState{}, err
	}
	known, err := find(ctx, tx, o.Body.ID)
	switch {
	case err != nil:
		return wire.SupportState{}, err
	case known != nil && known.text == string(text):
		return known.SupportState, nil // a repeat, whose first answer was lost
	case known != nil:
		return wire.SupportState{}, &wire.RPCError{Code: "conflict", Text: "Another support window has this number. Ask for a new one."}
	case o.Signature == nil:
		return wire.SupportState{}, errUnsigned
	}
	key, err := w.d.Signed.Change(ctx, tx, wire.ChangeSupport, o.Body, o.Signature)
	if err != nil {
		return wire.SupportState{}, err
	}
	now := w.d.Now().UTC().Truncate(time.Microsecond)
	v := &window{body: o.Body, text: string(text)}
	v.ID, v.OpenedAt, v.Until = o.Body.ID, now, now.Add(time.Duration(o.Body.Hours)*time.Hour)
	_, err = tx.ExecContext(ctx, "INSERT INTO support_windows (id, body, key_id, opened_at, until) VALUES (?,?,?,?,?)",
		v.ID, v.text, key, v.OpenedAt.UnixMicro(), v.Until.UnixMicro())
	if err != nil {
		return wire.SupportState{}, fmt.Errorf("keep support window: %w", err)
	}
	body := map[string]any{"window": v.ID, "body": o.Body, "until": v.Until, "key_id": key, "by": o.By}
	if err := w.note(tx, "support.opened", body); err != nil {
		return wire.SupportState{}, err
	}
	return v.SupportState, w.tell(ctx, tx, v)
}

var errUnsigned = &wire.RPCError{
	Code: "signature_required", Text: "A support window is opened by a device that may approve. No window was opened.",
}

// malformed says what is wrong with the form of a window.
func malformed(b wire.SupportBody) string {
	switch n := utf8.RuneCountInString(b.Purpose); {
	case uuid.Validate(b.ID) != nil:
		return "it has no number"
	case b.Hours < wire.MinSupportHours || b.Hours > wire.MaxSupportHours:
		return fmt.Sprintf("it can be open for %d to %d hours", wire.MinSupportHours, wire.MaxSupportHours)
	case strings.TrimSpace(b.Purpose) == "" || n > wire.MaxSupportPurpose || strings.ContainsFunc(b.Purpose, unshown):
		return fmt.Sprintf("its purpose must be one line of at most %d characters", wire.MaxSupportPurpose)
	case len(b.Staff) == 0 || len(b.Staff) > wire.MaxSupportStaff:
		return fmt.Sprintf("it must name 1 to %d of our staff", wire.MaxSupportStaff)
	}
	for _, s := range b.Staff {
		if why := misfit(s); why != "" {
			return why
		}
	}
	return unknownKinds(b.What)
}

// misfit says what is wrong with one of the staff that a window names.
func misfit(s wire.SupportStaff) string {
	n := utf8.RuneCountInString(s.Name)
	_, err := wire.ParseApproverKey(s.Kind, s.SPKI)
	switch {
	case n == 0 || n > 254 || strings.ContainsFunc(s.Name, unshown):
		return "one of the staff has no name that can be shown"
	case err != nil || s.Kind != wire.BrowserKey && s.Kind != wire.SoftwareKey:
		return "the key of " + s.Name + " is none that can be used here"
	}
	return ""
}

// unknownKinds says what is wrong with a list of kinds of content: each stands in it once, in one order.
func unknownKinds(what []wire.SupportKind) string {
	all := wire.SupportKinds()
	at := -1
	for _, k := range what {
		i := slices.Index(all, k)
		if i <= at {
			return "it names a kind of content that there is not, or one twice"
		}
		at = i
	}
	if at < 0 {
		return "it names no kind of content"
	}
	return ""
}

// unshown are the characters that would make one text look like another.
func unshown(r rune) bool { return !unicode.IsPrint(r) }

// Close closes a window at once, in tx. Nobody signs that: it only takes power away. Of one that was never opened here nothing is to
// be closed: the owner has sent away who asked for it.
func (w *Windows) Close(ctx context.Context, tx *sql.Tx, c wire.SupportClose) error {
	v, err := find(ctx, tx, c.ID)
	if err != nil || v == nil {
		return err
	}
	if err := w.endIfOver(ctx, tx, v); err != nil || v.Why != "" {
		return err
	}
	return w.end(ctx, tx, v, wire.SupportClosed, c.By.Name)
}
