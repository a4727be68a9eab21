package channel

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// stranger is somebody who writes to a channel that is open to everybody, and whom nobody has confirmed.
type stranger struct {
	ID, Channel, Address, Name, Language, Session string
	State                                         wire.StrangerState
	Messages                                      int
	Told, First, Last, Since                      time.Time
}

const strangerColumns = "id, channel, address, name, state, language, session, messages, told_at, first_at, last_at, since"

var errNoStranger = &wire.RPCError{
	Code: "not_found", Text: "Nothing is kept of this person anymore, or they never wrote. Nothing was changed.",
}

func scanStranger(from scanner) (s stranger, err error) {
	var told, first, last, since int64
	err = from.Scan(&s.ID, &s.Channel, &s.Address, &s.Name, &s.State, &s.Language, &s.Session, &s.Messages, &told, &first, &last, &since)
	if errors.Is(err, sql.ErrNoRows) {
		return s, errNoStranger
	}
	if err != nil {
		return s, fmt.Errorf("read strangers: %w", err)
	}
	s.Told, s.First, s.Last, s.Since = fromMicros(told), fromMicros(first), fromMicros(last), fromMicros(since)
	return s, nil
}

// strangerAt is who has an address; no id when nobody has.
func strangerAt(t txn, channel, address string) (stranger, error) {
	s, err := scanStranger(t.db.QueryRow(t.tx, "SELECT "+strangerColumns+" FROM channel_strangers WHERE channel = ? AND address = ?",
		channel, address))
	if errors.Is(err, errNoStranger) {
		return stranger{}, nil
	}
	return s, err
}

func strangerByID(t txn, channel, id string) (stranger, error) {
	return scanStranger(t.db.QueryRow(t.tx, "SELECT "+strangerColumns+" FROM channel_strangers WHERE channel = ? AND id = ?", channel, id))
}

func saveStranger(t txn, s stranger) error {
	return t.exec("INSERT INTO channel_strangers ("+strangerColumns+`) VALUES (?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (channel, address)
		DO UPDATE SET name = excluded.name, state = excluded.state, language = excluded.language, session = excluded.session,
		messages = excluded.messages, told_at = excluded.told_at, last_at = excluded.last_at, since = excluded.since`,
		s.ID, s.Channel, s.Address, s.Name, s.State, s.Language, s.Session, s.Messages, micros(s.Told), micros(s.First),
		micros(s.Last), micros(s.Since))
}

// answered says whether an address is a stranger's, and whether the agent may write to it now. Somebody whom the owner has confirmed is
// none, whatever they were before.
func (c *Channels) answered(t txn, channel, address string) (s stranger, is, may bool, err error) {
	if s, err = strangerAt(t, channel, address); err != nil || s.ID == "" {
		return s, false, true, err
	}
	p, err := personAt(t, channel, address)
	if err != nil || p.State == wire.PersonPaired {
		return s, false, true, err
	}
	return s, true, s.State == wire.StrangerTalking && p.State != wire.PersonBlocked, nil
}
