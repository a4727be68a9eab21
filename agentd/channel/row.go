package channel

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// row is a channel as it stands in the table.
type row struct {
	Name, Agent, Cursor, LastAct string
	State                        wire.ChannelState
	Policy                       wire.ChannelPolicy
	Mail                         wire.MailSettings
	Chat                         wire.ChatSettings
	Approvals                    wire.ChannelApprovals
	Strangers                    wire.StrangerSettings
	Level                        int
	Version                      int64
	By                           wire.DecidedBy
	Created, Updated             time.Time
}

// runs says whether a channel is to run.
func (r row) runs() bool { return r.State == wire.ChannelActive && r.Policy != wire.ChannelDisabled }

const columns = "name, state, agent, policy, settings, level, cursor, origin, last_act, version, created_at, updated_at, chat, approvals, " +
	"strangers"

// micros is how times stand in the tables: Unix microseconds, 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("channel: " + err.Error()) // what is kept always marshals
	}
	return string(b)
}

// scanner is a row of an answer.
type scanner interface{ Scan(dest ...any) error }

var errNone = &wire.RPCError{Code: "not_found", Text: "This channel is not set up on your server."}

func scan(from scanner) (r row, err error) {
	var settings, origin, chat, strangers string
	var created, updated int64
	err = from.Scan(&r.Name, &r.State, &r.Agent, &r.Policy, &settings, &r.Level, &r.Cursor, &origin, &r.LastAct, &r.Version,
		&created, &updated, &chat, &r.Approvals, &strangers)
	if errors.Is(err, sql.ErrNoRows) {
		return r, errNone
	}
	if err != nil {
		return r, fmt.Errorf("read channel: %w", err)
	}
	r.Created, r.Updated = fromMicros(created), fromMicros(updated)
	return r, errors.Join(json.Unmarshal([]byte(settings), &r.Mail), json.Unmarshal([]byte(origin), &r.By),
		json.Unmarshal([]byte(chat), &r.Chat), json.Unmarshal([]byte(strangers), &r.Strangers))
}

// find reads a channel inside a transaction.
func find(t txn, name string) (row, error) {
	return scan(t.db.QueryRow(t.tx, "SELECT "+columns+" FROM channels WHERE name = ?", name))
}

// byName reads a channel outside of a transaction.
func (c *Channels) byName(ctx context.Context, name string) (row, error) {
	return scan(c.d.DB.Read().QueryRowContext(ctx, "SELECT "+columns+" FROM channels WHERE name = ?", name))
}

// all reads the channels, by name.
func (c *Channels) all(ctx context.Context) (all []row, err error) {
	rows, err := c.d.DB.Read().QueryContext(ctx, "SELECT "+columns+" FROM channels ORDER BY name")
	if err != nil {
		return nil, fmt.Errorf("read channels: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// save adds a channel, or stores what may change of it. How far it was taken stays as it is.
func save(t txn, r row) error {
	return t.exec("INSERT INTO channels ("+columns+`) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (name) DO UPDATE SET
		state = excluded.state, agent = excluded.agent, policy = excluded.policy, settings = excluded.settings, level = excluded.level,
		cursor = excluded.cursor, origin = excluded.origin, last_act = excluded.last_act, version = excluded.version,
		updated_at = excluded.updated_at, chat = excluded.chat, approvals = excluded.approvals,
		strangers = excluded.strangers`,
		r.Name, r.State, r.Agent, r.Policy, toJSON(r.Mail), r.Level, r.Cursor, toJSON(r.By), r.LastAct, r.Version, micros(r.Created),
		micros(r.Updated), toJSON(r.Chat), r.Approvals, toJSON(r.Strangers))
}
