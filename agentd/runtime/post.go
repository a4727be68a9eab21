package runtime

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// maxMessage is how many characters a message may have.
const maxMessage = 100_000

// Accept takes a message in, inside a Write of the store: it checks it, adds it to its conversation, and starts its run once
// tx is durable. Every source of messages comes this way. A message whose run id is known changes nothing. An error of type
// *wire.RPCError says that no run can answer the message.
func (r *Runtime) Accept(ctx context.Context, tx *sql.Tx, m wire.ChatMessage) error {
	_, err := r.accept(ctx, tx, m)
	return err
}

// accept is Accept, and says in which conversation a new message is answered; empty when it was not new.
func (r *Runtime) accept(ctx context.Context, tx *sql.Tx, m wire.ChatMessage) (session string, err error) {
	if err := checkMessage(m); err != nil {
		return "", err
	}
	m.From.Report, m.From.Owner, m.From.Known, m.From.Rule = false, false, false, ""
	if known, err := isKnown(txn{tx, r.store}, m.RunID); err != nil || known {
		return "", err
	}
	if m.SessionID, err = r.goesTo(ctx, txn{tx, r.store}, m.SessionID, isTalk(m.Text)); err != nil {
		return "", err
	}
	seq, first, err := r.insert(txn{tx, r.store}, m)
	if err != nil || seq == 0 {
		return "", err
	}
	r.store.OnCommit(tx, func() {
		t := r.newTree(m, seq)
		t.first = first
		r.enqueue(t)
	})
	return m.SessionID, nil
}

// Post is Accept for a source that has no transaction of its own. It returns when the message is durable.
func (r *Runtime) Post(ctx context.Context, m wire.ChatMessage) (wire.ChatAck, error) {
	if gone := r.checkFiles(m.Files); gone != nil {
		if ack, err := r.ackIn(ctx, m); err == nil {
			return ack, nil // it came before, and the file was there then
		}
		return wire.ChatAck{}, gone
	}
	var session string
	err := r.store.Write(ctx, func(tx *sql.Tx) (err error) {
		session, err = r.accept(ctx, tx, m)
		return err
	})
	switch {
	case err != nil:
		return wire.ChatAck{}, r.storeError(err)
	case session == "":
		return r.ackIn(ctx, m)
	}
	ack := wire.ChatAck{RunID: m.RunID, State: wire.RunQueued}
	if session != m.SessionID {
		ack.SessionID = session
	}
	return ack, nil
}

// ackIn says how a message stands that came before, and in which conversation, where that is not the one it names.
func (r *Runtime) ackIn(ctx context.Context, m wire.ChatMessage) (wire.ChatAck, error) {
	rows, err := r.runsWhere(ctx, "id = ?", m.RunID)
	if err != nil || len(rows) == 0 {
		return wire.ChatAck{}, cmp.Or(err, error(errNoRun))
	}
	ack := wire.ChatAck{RunID: m.RunID, State: wire.RunState(rows[0].State)}
	if rows[0].SessionID != m.SessionID {
		ack.SessionID = rows[0].SessionID
	}
	return ack, nil
}

// isKnown says whether a message came before.
func isKnown(tx txn, runID string) (bool, error) {
	var there int
	err := tx.row("SELECT count(*) FROM runs WHERE id = ?", runID).Scan(&there)
	if err != nil {
		return false, fmt.Errorf("read runs: %w", err)
	}
	return there > 0, nil
}

// checkMessage refuses what no run can answer. Whether the agent exists, and the files, is checked when the run begins, so that
// a message which waited for this server is answered in words.
func checkMessage(m wire.ChatMessage) error {
	for _, id := range []string{m.RunID, m.SessionID} {
		if _, err := uuid.Parse(id); err != nil {
			return &wire.RPCError{Code: "bad_request", Text: "The message has no valid ID. Nothing was saved."}
		}
	}
	switch {
	case strings.TrimSpace(m.Text) == "" || !utf8.ValidString(m.Text):
		return &wire.RPCError{Code: "bad_request", Text: "The message is empty or is not text. Nothing was sent."}
	case utf8.RuneCountInString(m.Text) > maxMessage:
		const long = "The message is longer than %d characters. Nothing was sent. Send a shorter one."
		return &wire.RPCError{Code: "bad_request", Text: fmt.Sprintf(long, maxMessage)}
	}
	return checkNames(m.Files)
}

// insert adds the message to its conversation: its number, 0 when it is there already, and whether it is the first.
func (r *Runtime) insert(tx txn, m wire.ChatMessage) (seq int64, first bool, err error) {
	if known, err := isKnown(tx, m.RunID); err != nil || known {
		return 0, false, err
	}
	if gone, err := isDeleted(tx, m.SessionID); err != nil || gone {
		return 0, false, cmp.Or(err, error(errDeleted))
	}
	now, line := r.now(), preview(m.Text)
	var messages int
	err = tx.row(`INSERT INTO sessions (id, agent, title, last_line, state, verdict, runs, fresh_after, created_at, updated_at)
		VALUES (?1,?2,?3,?4,'queued','',1,0,?5,?5)
		ON CONFLICT (id) DO UPDATE SET last_line = ?4, state = 'queued', runs = runs + 1, updated_at = ?5, archived_at = 0 RETURNING runs`,
		m.SessionID, m.Agent, truncate(line, 60), line, micros(now)).Scan(&messages)
	if err != nil {
		return 0, false, fmt.Errorf("keep conversation: %w", err)
	}
	seq, err = insertRun(tx, runRow{
		ID: m.RunID, RootID: m.RunID, SessionID: m.SessionID, Agent: m.Agent, Text: m.Text, Origin: []byte(toJSON(m.From)),
		SentAt: m.Time, CreatedAt: now, Files: m.Files,
	})
	return seq, messages == 1, err
}

// preview is what a list shows of a text: the beginning of its first line. It is redacted whole, for half a secret is known
// for none.
func preview(text string) string {
	line, _ := firstLine(redact.Text(text))
	return truncate(line, 200)
}

// lastLine is the preview of an answer. A line that ends in a colon announces what follows, as "The IT admin reports:" does,
// and is not what was said.
func lastLine(text string) string {
	line, rest := firstLine(redact.Text(text))
	if more, _ := firstLine(rest); more != "" && strings.HasSuffix(line, ":") {
		line = more
	}
	return truncate(line, 200)
}

// storeError turns a failed write into words: the sender keeps the message. A refusal stays as it is.
func (r *Runtime) storeError(err error) error {
	var refused *wire.RPCError
	if errors.As(err, &refused) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	r.log.Error("message not stored", "error", err)
	const text = "The server could not save the message. Nothing was started. It tries again by itself."
	return &wire.RPCError{Code: "unavailable", Text: text}
}

func (r *Runtime) ack(ctx context.Context, runID string) (wire.ChatAck, error) {
	rows, err := r.runsWhere(ctx, "id = ?", runID)
	if err != nil {
		return wire.ChatAck{}, err
	}
	if len(rows) == 0 {
		return wire.ChatAck{}, errNoRun
	}
	return wire.ChatAck{RunID: runID, State: wire.RunState(rows[0].State)}, nil
}

var errNoRun = &wire.RPCError{Code: "not_found", Text: "This task is not on your server. It may have been removed."}

// newTree makes the tree of a message that nobody works on yet.
func (r *Runtime) newTree(m wire.ChatMessage, seq int64) *tree {
	t := &tree{
		rt: r, session: m.SessionID, seq: seq, origin: m.From, came: r.now(), events: r.events.Stream(m.RunID, m.SessionID),
		done: make(chan struct{}), receipts: map[int64]bool{},
	}
	t.ctx, t.cancel = context.WithCancelCause(r.base)
	lane := r.main
	switch {
	case m.From.Channel == hookChannel, m.From.Channel == scheduleChannel && m.From.Rule != "",
		wire.IsMessaging(m.From.Channel) && !m.From.Owner:
		lane = r.hook // nobody outside holds up a conversation of the owner
	case m.From.Channel == scheduleChannel:
		lane = r.cron
	}
	t.root = &run{rt: r, t: t, id: m.RunID, agent: m.Agent, text: m.Text, attached: m.Files, attempt: 1, lane: lane}
	t.root.initClock(t.ctx, 0)
	t.runs = []*run{t.root}
	return t
}
