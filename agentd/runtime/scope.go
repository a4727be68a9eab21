package runtime

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// Scope is who shares a conversation in a messenger.
type Scope string

// The scopes.
const (
	PerSender  Scope = "sender"  // each who writes has one, in a group another than alone with the agent
	PerGroup   Scope = "group"   // all of a group have one; who writes outside a group has one alone
	PerChannel Scope = "channel" // all who write in the channel have one
)

// Place is where a message of a messenger was written.
type Place struct {
	Agent   string
	Channel string // name of the channel
	Sender  string // who wrote, as the channel knows them for good
	Group   string // empty: it was written to the agent alone
	Scope   Scope  // empty: PerSender
}

// key names the conversation of a place: agent:<id>:<scope>. What a stranger chose, such as a name, cannot be read as a part of it.
func (p Place) key() string {
	parts := []string{"agent", p.Agent}
	switch {
	case p.Scope == PerChannel:
		parts = append(parts, string(PerChannel), p.Channel)
	case p.Scope == PerGroup && p.Group != "":
		parts = append(parts, string(PerGroup), p.Channel, p.Group)
	case p.Group != "":
		parts = append(parts, string(PerSender), p.Channel, p.Sender, p.Group)
	default:
		parts = append(parts, string(PerSender), p.Channel, p.Sender)
	}
	for i := range parts {
		parts[i] = url.QueryEscape(parts[i])
	}
	return strings.Join(parts, ":")
}

// Inbound is a message of a messenger. Its conversation is that of the place, and its agent.
type Inbound struct {
	wire.ChatMessage
	Place Place
	Taint []policy.Source // what stands behind it: whoever is not the owner writes from outside
	Level int             // the run and what it delegates stand no higher; 0: no bound of its own
}

// AcceptInbound is Accept for a messenger: it finds the conversation of the place, or begins it, and says which one it is. Two
// messages of one place that come at once have one.
func (r *Runtime) AcceptInbound(ctx context.Context, in *sql.Tx, m Inbound) (session string, err error) {
	tx := txn{in, r.store}
	err = tx.row("SELECT session_id FROM runs WHERE id = ?", m.RunID).Scan(&session)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return session, err
	}
	m.Agent = m.Place.Agent
	if m.SessionID, err = r.sessionAt(ctx, tx, m.Place, isTalk(m.Text)); err != nil {
		return "", err
	}
	if policy.OriginOf(m.From.Channel) != policy.FromChannel {
		return "", fmt.Errorf("%q is no messenger", m.From.Channel)
	}
	if err := checkMessage(m.ChatMessage); err != nil {
		return "", err
	}
	return m.SessionID, r.acceptWith(tx, Scheduled{ChatMessage: m.ChatMessage, Taint: m.Taint, Level: m.Level})
}

// sessionAt finds the conversation of a place, or begins it. Commands are about the conversation that is there.
func (r *Runtime) sessionAt(ctx context.Context, tx txn, p Place, talk bool) (string, error) {
	var id string
	err := tx.row("SELECT session_id FROM session_keys WHERE key = ?", p.key()).Scan(&id)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("read conversation: %w", err)
	}
	now := id
	if now != "" {
		if now, err = r.goesTo(ctx, tx, id, talk); err != nil {
			return "", err
		}
		gone, err := isDeleted(tx, now)
		if err != nil {
			return "", err
		}
		if gone {
			now = ""
		}
	}
	if now == "" {
		if now, err = newID(); err != nil {
			return "", err
		}
	}
	if now == id {
		return id, nil
	}
	return now, tx.exec("keep conversation", `INSERT INTO session_keys (key, session_id) VALUES (?1, ?2)
		ON CONFLICT (key) DO UPDATE SET session_id = ?2`, p.key(), now)
}

// goesTo is the conversation in which a message is answered that was written in another: the newest that goes on from it, or a new
// one where that is over. Where the owner has not set that conversations end, each goes on for ever.
func (r *Runtime) goesTo(ctx context.Context, tx txn, id string, talk bool) (string, error) {
	cfg := r.config()
	if !talk || cfg.Chats.IdleHours == 0 && !cfg.Chats.Daily {
		return id, nil
	}
	var next string
	var updated int64
	for {
		err := tx.row("SELECT next, updated_at FROM sessions WHERE id = ?", id).Scan(&next, &updated)
		if errors.Is(err, sql.ErrNoRows) {
			return id, nil
		}
		if err != nil {
			return "", fmt.Errorf("read conversation: %w", err)
		}
		gone, err := isDeleted(tx, next)
		if err != nil {
			return "", err
		}
		if next == "" || gone {
			break
		}
		id = next
	}
	if !cfg.Chats.Over(fromMicros(updated), r.now(), zoneOf(cfg.TimeZone)) {
		return id, nil
	}
	if open, err := r.isOpen(ctx, tx, id); err != nil || open {
		return id, err
	}
	next, err := newID()
	if err != nil {
		return "", err
	}
	return next, tx.exec("end conversation", "UPDATE sessions SET next = ? WHERE id = ?", next, id)
}

// isOpen says whether anything of a conversation goes on or waits: a run, a request, a sub-agent, or the report of one.
func (r *Runtime) isOpen(ctx context.Context, tx txn, id string) (bool, error) {
	var open int
	err := tx.row(`SELECT (SELECT count(*) FROM runs WHERE session_id = ?1 AND state IN ('queued', 'running', 'parked'))
		+ (SELECT count(*) FROM subagents WHERE parent_session = ?1 AND (state = '' OR told = ''))`, id).Scan(&open)
	if err != nil {
		return false, fmt.Errorf("read runs: %w", err)
	}
	asked, err := r.approvals.Open(ctx, tx.tx, id)
	return open+asked > 0, err
}

func newID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("id: %w", err)
	}
	return id.String(), nil
}

const (
	staleAfter = 30 * 24 * time.Hour
	maxListed  = 500 // conversations that are not archived
)

// archiveStale takes out of the list what nobody looks for there any more: conversations of messengers and those that are over, 30
// days after their last message, and whatever is beyond the newest 500. They stay readable, and what a person has named stays where
// it is. Nothing is deleted: that takes the owner's signature.
func (r *Runtime) archiveStale(ctx context.Context) error {
	now := r.now()
	return write(ctx, r.store, func(tx txn) error {
		return tx.exec("archive conversations", `UPDATE sessions SET archived_at = ?1 WHERE archived_at = 0 AND named = 0
			AND NOT EXISTS (SELECT 1 FROM runs WHERE session_id = sessions.id AND state IN ('queued', 'running', 'parked'))
			AND NOT EXISTS (SELECT 1 FROM subagents WHERE parent_session = sessions.id AND (state = '' OR told = ''))
			AND (updated_at < ?2 AND (next <> '' OR id IN (SELECT session_id FROM session_keys))
				OR id NOT IN (SELECT id FROM sessions WHERE archived_at = 0 ORDER BY updated_at DESC, id DESC LIMIT ?3))`,
			micros(now), micros(now.Add(-staleAfter)), maxListed)
	})
}
