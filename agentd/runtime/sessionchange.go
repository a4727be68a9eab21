package runtime

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

var (
	errDeleted = &wire.RPCError{Code: "conflict", Text: "This conversation was deleted. Nothing was sent; start a new one."}
	errAtWork  = &wire.RPCError{
		Code: "conflict", Text: "The team is still at work in this conversation, or a request of it waits for an answer. " +
			"Nothing was deleted. Wait for the end, or press Stop, then delete it.",
	}
	errUnsigned = &wire.RPCError{
		Code: "signature_required", Text: "Only a device that may approve can delete a conversation. Nothing was deleted.",
	}
)

// renameSession gives a conversation another name.
func (r *Runtime) renameSession(ctx context.Context, p wire.SessionRename) (wire.SessionInfo, error) {
	title := strings.Join(strings.Fields(p.Title), " ")
	switch n := utf8.RuneCountInString(title); {
	case !utf8.ValidString(title):
		return wire.SessionInfo{}, &wire.RPCError{Code: "bad_request", Text: "The name is not text. Nothing was changed."}
	case n == 0:
		return wire.SessionInfo{}, &wire.RPCError{Code: "bad_request", Text: "The name is empty. Nothing was changed."}
	case n > wire.MaxTitle:
		const long = "The name is longer than %d characters. Nothing was changed."
		return wire.SessionInfo{}, &wire.RPCError{Code: "bad_request", Text: fmt.Sprintf(long, wire.MaxTitle)}
	}
	return r.changeSession(ctx, p.SessionID, "named = 1, title = ?", redact.Text(title))
}

// archiveSession takes a conversation out of the list, or puts it back.
func (r *Runtime) archiveSession(ctx context.Context, p wire.SessionArchive) (wire.SessionInfo, error) {
	at := int64(0)
	if p.Archived {
		at = micros(r.now())
	}
	return r.changeSession(ctx, p.SessionID, "archived_at = ?", at)
}

// changeSession sets one column of a conversation. Its place in the list, which is by the last message, stays.
func (r *Runtime) changeSession(ctx context.Context, id, set string, value any) (wire.SessionInfo, error) {
	err := write(ctx, r.store, func(tx txn) error {
		return tx.exec("change conversation", "UPDATE sessions SET "+set+" WHERE id = ?", value, id)
	})
	if err != nil {
		return wire.SessionInfo{}, err
	}
	found, err := r.sessionsWhere(ctx, "id = ?", id)
	if err == nil && len(found) == 0 {
		err = errNoSession
	}
	if err != nil {
		return wire.SessionInfo{}, err
	}
	return found[0], nil
}

// deleteSession deletes a conversation: its messages, answers and steps, and what was said in its calls and requests. That it
// was deleted, by whom and with which key stays in the log, and so does what the log holds of its calls.
func (r *Runtime) deleteSession(ctx context.Context, p wire.SessionDelete) (wire.SessionDeleted, error) {
	out := wire.SessionDeleted{SessionID: p.SessionID}
	r.syncSession(p.SessionID)
	err := r.store.Write(ctx, func(in *sql.Tx) error {
		tx := txn{in, r.store}
		if gone, err := isDeleted(tx, p.SessionID); err != nil || gone {
			return err
		}
		all, err := sessionsBelow(ctx, tx, p.SessionID)
		if err != nil {
			return err
		}
		for _, id := range all {
			if err := r.mayDelete(ctx, tx, id); err != nil {
				return err
			}
		}
		key, err := r.signedDelete(ctx, in, p)
		if err != nil {
			return err
		}
		runs, err := r.dropSessions(ctx, tx, all)
		if err != nil {
			return err
		}
		body := map[string]any{"session_id": p.SessionID, "messages": runs, "by": p.By, "key_id": key}
		if _, err := r.receipts.Append(in, receipt.Entry{Type: "conversation.deleted", Body: body}); err != nil {
			return fmt.Errorf("receipt of a deletion: %w", err)
		}
		return nil
	})
	if err != nil {
		return wire.SessionDeleted{}, err
	}
	if r.deleted != nil {
		r.deleted()
	}
	if err := r.store.Erase(ctx); err != nil { // it is tried again until it is done
		r.log.Warn("deleted conversation not taken out of the log of the database yet", "error", err)
	}
	return out, nil
}

// EraseSession deletes a conversation for somebody outside whose it was, as deleteSession does for the owner. It says whether it did:
// while anything of it goes on, it does not. The receipt names nobody.
func (r *Runtime) EraseSession(ctx context.Context, session string) (done bool, err error) {
	r.syncSession(session)
	err = r.store.Write(ctx, func(in *sql.Tx) error {
		tx := txn{in, r.store}
		done = false
		if gone, err := isDeleted(tx, session); err != nil || gone {
			done = gone
			return err
		}
		err := r.mayDelete(ctx, tx, session)
		switch {
		case errors.Is(err, errAtWork):
			return nil
		case errors.Is(err, errNoSession): // it holds what a channel has said by itself, and no turn
			open, err := r.approvals.Open(ctx, in, session)
			if done = open == 0; err != nil || !done {
				return err
			}
			err = tx.exec("delete conversation", "INSERT INTO deleted_sessions (id, at) VALUES (?,?)", session, micros(r.now()))
			return cmp.Or(err, r.forgotten(ctx, in, session))
		case err != nil:
			return err
		}
		messages, err := r.dropSessions(ctx, tx, []string{session})
		if err != nil {
			return err
		}
		body := map[string]any{"session_id": session, "messages": messages, "by": "stranger"}
		if _, err := r.receipts.Append(in, receipt.Entry{Type: "conversation.deleted", Body: body}); err != nil {
			return fmt.Errorf("receipt of a deletion: %w", err)
		}
		done = true
		return nil
	})
	if err == nil && done && r.deleted != nil {
		r.deleted()
	}
	return done, err
}

// signedDelete checks who signed the deletion: what it destroys nobody can bring back, so the hub's word is not enough.
func (r *Runtime) signedDelete(ctx context.Context, tx *sql.Tx, p wire.SessionDelete) (key string, err error) {
	if r.signed == nil || p.Signature == nil {
		return "", errUnsigned
	}
	body := wire.SessionDeleteBody{SessionID: p.SessionID}
	return r.signed.Change(context.WithoutCancel(ctx), tx, wire.ChangeSessionDelete, body, p.Signature)
}

// mayDelete refuses while anything of the conversation goes on or waits.
func (r *Runtime) mayDelete(ctx context.Context, tx txn, id string) error {
	var there int
	if err := tx.row("SELECT count(*) FROM sessions WHERE id = ?", id).Scan(&there); err != nil {
		return fmt.Errorf("read conversation: %w", err)
	}
	if there == 0 {
		return errNoSession
	}
	var open int
	const atWork = "SELECT count(*) FROM runs WHERE session_id = ? AND state IN ('queued', 'running', 'parked')"
	if err := tx.row(atWork, id).Scan(&open); err != nil {
		return fmt.Errorf("read runs: %w", err)
	}
	calls, err := r.approvals.Open(ctx, tx.tx, id)
	if err == nil && open+calls > 0 {
		err = errAtWork
	}
	return err
}

// sessionsBelow is a conversation, and those of the sub-agents that were begun in it.
func sessionsBelow(ctx context.Context, tx txn, id string) ([]string, error) {
	rows, err := tx.tx.QueryContext(ctx, `WITH RECURSIVE below (id) AS (VALUES (?1) UNION SELECT r.session_id FROM below b
		JOIN subagents s ON s.parent_session = b.id JOIN runs r ON r.id = s.id) SELECT id FROM below`, id)
	if err != nil {
		return nil, fmt.Errorf("read conversations: %w", err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, fmt.Errorf("read conversations: %w", err)
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// dropSessions deletes conversations, and says how many messages the first of them had.
func (r *Runtime) dropSessions(ctx context.Context, tx txn, all []string) (messages int, err error) {
	for i, id := range all {
		n, err := r.dropSession(tx, id)
		if err == nil {
			err = r.forgotten(ctx, tx.tx, id)
		}
		if err != nil {
			return 0, err
		}
		if i == 0 {
			messages = n
		}
	}
	return messages, nil
}

// forgotten has the other parts forget a conversation. The gate comes last: files that it removes do not come back.
func (r *Runtime) forgotten(ctx context.Context, tx *sql.Tx, id string) error {
	if r.forgets != nil {
		if err := r.forgets(tx, id); err != nil {
			return err
		}
	}
	return r.approvals.Forget(ctx, tx, id)
}

// dropSession deletes the rows of a conversation and says how many messages of people it had.
func (r *Runtime) dropSession(tx txn, id string) (messages int, err error) {
	if err := tx.row("SELECT runs FROM sessions WHERE id = ?", id).Scan(&messages); err != nil {
		return 0, fmt.Errorf("read conversation: %w", err)
	}
	const ofIt = " IN (SELECT id FROM runs WHERE session_id = ?)"
	for _, query := range []string{
		"DELETE FROM run_entries WHERE run_id" + ofIt, "DELETE FROM run_events WHERE root_id" + ofIt,
		"DELETE FROM run_calls WHERE run_id" + ofIt, "DELETE FROM run_cancels WHERE run_id" + ofIt,
		"DELETE FROM run_taint WHERE run_id" + ofIt, "DELETE FROM subagents WHERE id" + ofIt,
		"DELETE FROM runs WHERE session_id = ?", "DELETE FROM session_keys WHERE session_id = ?", "DELETE FROM sessions WHERE id = ?",
	} {
		if err := tx.exec("delete conversation", query, id); err != nil {
			return 0, err
		}
	}
	return messages, tx.exec("delete conversation", "INSERT INTO deleted_sessions (id, at) VALUES (?,?)", id, micros(r.now()))
}

// isDeleted reports whether a conversation was deleted.
func isDeleted(tx txn, id string) (bool, error) {
	var at int64
	err := tx.row("SELECT at FROM deleted_sessions WHERE id = ?", id).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read deleted conversations: %w", err)
	}
	return true, nil
}
