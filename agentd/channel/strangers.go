package channel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

var (
	errCursor       = badRequest("This page of the list cannot be read. Begin at the first one.")
	errStrangerOut  = conflict("They wrote STOP, so nothing is sent to them until they write START. Nothing was changed.")
	errStrangerGone = conflict("What is kept of them is being deleted. Nothing was changed.")
	errStrangerText = badRequest(fmt.Sprintf("The answer is empty, or longer than %d characters. Nothing was sent.", wire.MaxStrangerText))
)

// strangers lists who wrote to a channel that is or was open to everybody, who wrote last first.
func (c *Channels) strangers(ctx context.Context, p wire.ChannelStrangersParams) (out wire.ChannelStrangersResult, err error) {
	out.Items = []wire.ChannelStranger{}
	last, id, ok := cursorOf(p.After)
	if !ok {
		return out, errCursor
	}
	limit := p.Limit
	if limit < 1 || limit > wire.MaxStrangersPage {
		limit = wire.MaxStrangersPage
	}
	const columns = "s.id, s.channel, s.address, s.name, iif(p.state IS 'blocked', 'blocked', s.state) AS state, s.language, s.session, " +
		"s.messages, s.told_at, s.first_at, s.last_at, s.since"
	rows, err := c.d.DB.Read().QueryContext(ctx, "SELECT * FROM (SELECT "+columns+` FROM channel_strangers s LEFT JOIN channel_people p
		ON p.channel = s.channel AND p.address = s.address WHERE s.channel = ?1 AND p.state IS NOT 'paired'
		AND (?3 = '' OR (s.last_at, s.id) < (?2, ?3))) WHERE ?4 = '' OR state = ?4 ORDER BY last_at DESC, id DESC LIMIT ?5`,
		p.Channel, last, id, p.State, limit+1)
	if err != nil {
		return out, fmt.Errorf("read strangers: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		s, err := scanStranger(rows)
		if err != nil {
			return out, err
		}
		if len(out.Items) == limit {
			before := out.Items[limit-1]
			out.Next = strconv.FormatInt(micros(before.Last), 10) + "." + before.ID
			break
		}
		out.Items = append(out.Items, s.view())
	}
	return out, rows.Err()
}

// cursorOf reads where a page begins.
func cursorOf(after string) (last int64, id string, ok bool) {
	if after == "" {
		return 0, "", true
	}
	at, id, _ := strings.Cut(after, ".")
	last, err := strconv.ParseInt(at, 10, 64)
	return last, id, err == nil && uuid.Validate(id) == nil
}

func (s stranger) view() wire.ChannelStranger {
	return wire.ChannelStranger{
		ID: s.ID, Channel: s.Channel, Address: s.Address, Name: s.Name, State: s.State, Told: !s.Told.IsZero(), Messages: s.Messages,
		Session: s.Session, Language: s.Language, First: s.First, Last: s.Last, Since: s.Since,
	}
}

// wrote counts the strangers of a channel.
func (c *Channels) wrote(ctx context.Context, channel string) (n wire.StrangerCounts, err error) {
	var last int64
	err = c.d.DB.Read().QueryRowContext(ctx, `SELECT coalesce(sum(state = 'talking'), 0), coalesce(sum(state = 'person'), 0),
		coalesce(sum(state = 'out'), 0) FROM channel_strangers WHERE channel = ?`, channel).Scan(&n.Talking, &n.Person, &n.Out)
	if err == nil {
		err = c.d.DB.Read().QueryRowContext(ctx, "SELECT count(*), coalesce(max(at), 0) FROM channel_erasures WHERE channel = ?", channel).
			Scan(&n.Erased, &last)
	}
	if err != nil {
		return n, fmt.Errorf("count strangers: %w", err)
	}
	n.LastErased = fromMicros(last)
	return n, nil
}

// withStranger carries out what a person does with a stranger.
func (c *Channels) withStranger(t txn, r row, ch wire.ChannelChange) (who person, err error) {
	s, err := strangerByID(t, r.Name, ch.Act.Person)
	if err != nil {
		return who, err
	}
	who.Address = s.Address
	blocked, err := t.count("SELECT count(*) FROM channel_people WHERE channel = ? AND address = ? AND state = 'blocked'", s.Channel, s.Address)
	switch do := ch.Act.Do; {
	case err != nil:
		return who, err
	case s.State == wire.StrangerErasing:
		return who, errStrangerGone
	case do == wire.ChannelDoErase:
		return who, c.turn(t, &s, wire.StrangerErasing, "Their data is being deleted.")
	case s.State == wire.StrangerOut:
		return who, errStrangerOut
	case do == wire.ChannelDoTake:
		return who, c.turn(t, &s, wire.StrangerPerson, "A person has the conversation.")
	case do == wire.ChannelDoBack:
		return who, c.turn(t, &s, wire.StrangerTalking, "")
	case blocked > 0:
		return who, errBlocked
	}
	return who, c.writeTo(t, r, s, ch)
}

// blockStranger turns a stranger away for good.
func (c *Channels) blockStranger(t txn, r row, a wire.ChannelAct) (person, error) {
	s, err := strangerByID(t, r.Name, a.Person)
	if err != nil {
		return person{}, err
	}
	p, err := personAt(t, r.Name, s.Address)
	if err != nil {
		return p, err
	}
	if p.ID == "" {
		p.ID = uuid.Must(uuid.NewV7()).String()
	}
	p.Channel, p.Address, p.Name, p.State, p.Owner, p.Code = r.Name, s.Address, s.Name, wire.PersonBlocked, false, ""
	p.Until, p.Since = c.now(), c.now()
	if err := c.silence(t, s, "They are blocked."); err != nil {
		return p, err
	}
	return p, savePerson(t, p)
}

// writeTo sends what a person of the business has written and signed, and has the conversation stay with them.
func (c *Channels) writeTo(t txn, r row, s stranger, ch wire.ChannelChange) error {
	text := strings.TrimSpace(redact.Text(ch.Act.Text))
	if n := utf8.RuneCountInString(text); n == 0 || n > wire.MaxStrangerText {
		return errStrangerText
	}
	if s.State == wire.StrangerTalking {
		if err := c.turn(t, &s, wire.StrangerPerson, "A person has the conversation."); err != nil {
			return err
		}
	}
	var raw string
	err := t.db.QueryRow(t.tx, `SELECT coalesce((SELECT reply FROM channel_messages WHERE channel = ? AND address = ? AND verdict = 'accepted'
		ORDER BY seq DESC LIMIT 1), '{}')`, s.Channel, s.Address).Scan(&raw)
	if err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	var reply Reply
	if err := json.Unmarshal([]byte(raw), &reply); err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	if err := c.noted(t, r, s, text); err != nil {
		return err
	}
	return c.queue(t, letter{
		Channel: r.Name, Kind: kindPerson, Address: s.Address, Subject: answerTo(r.Name, reply.Subject), Text: text, Reply: reply,
		Session: s.Session, Agent: r.Agent, Level: r.Level,
	})
}

// noted puts what a person wrote into the conversation, so that whoever goes on with it knows.
func (c *Channels) noted(t txn, r row, s stranger, text string) error {
	if s.Session == "" {
		return nil
	}
	err := c.d.Runs.Begin(t.tx, Start{
		RunID: newID(), Session: s.Session, Agent: r.Agent, Level: r.Level, At: c.now().Truncate(time.Microsecond),
		Text: "A person of the business answered:\n\n" + text, Say: "(It goes out word for word.)",
		From: wire.Origin{Channel: r.Name, Address: s.Address},
	})
	var gone *wire.RPCError
	if errors.As(err, &gone) { // the conversation was deleted
		return nil
	}
	return err
}
