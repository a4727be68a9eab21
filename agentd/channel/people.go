package channel

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// person is somebody on a channel.
type person struct {
	ID, Channel, Address, Name, Code string
	State                            wire.PersonState
	Owner                            bool
	Until, Since                     time.Time
}

const personColumns = "id, channel, address, state, owner, code, until, since, name"

var errNobody = &wire.RPCError{Code: "not_found", Text: "This person is not on the channel anymore. Nothing was changed."}

func scanPerson(from scanner) (p person, err error) {
	var until, since int64
	err = from.Scan(&p.ID, &p.Channel, &p.Address, &p.State, &p.Owner, &p.Code, &until, &since, &p.Name)
	if errors.Is(err, sql.ErrNoRows) {
		return p, errNobody
	}
	if err != nil {
		return p, fmt.Errorf("read people: %w", err)
	}
	p.Until, p.Since = fromMicros(until), fromMicros(since)
	return p, nil
}

// personAt is who has an address; no state when there is nobody.
func personAt(t txn, channel, address string) (person, error) {
	p, err := scanPerson(t.db.QueryRow(t.tx, "SELECT "+personColumns+" FROM channel_people WHERE channel = ? AND address = ?",
		channel, address))
	if errors.Is(err, errNobody) {
		return person{}, nil
	}
	return p, err
}

func personByID(t txn, channel, id string) (person, error) {
	return scanPerson(t.db.QueryRow(t.tx, "SELECT "+personColumns+" FROM channel_people WHERE channel = ? AND id = ?", channel, id))
}

// people are those of a channel as pages show them.
func (c *Channels) people(ctx context.Context, channel string) (out []wire.ChannelPerson, err error) {
	rows, err := c.d.DB.Read().QueryContext(ctx, "SELECT "+personColumns+` FROM channel_people WHERE channel = ?
		AND (state <> 'waiting' OR until > ?) ORDER BY state <> 'waiting', owner DESC, address`, channel, micros(c.now()))
	if err != nil {
		return nil, fmt.Errorf("read people: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	out = []wire.ChannelPerson{}
	for rows.Next() {
		p, err := scanPerson(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, wire.ChannelPerson{
			ID: p.ID, Address: p.Address, Name: p.Name, State: p.State, Owner: p.Owner, Code: p.Code, Until: p.Until, Since: p.Since,
		})
	}
	return out, rows.Err()
}

func savePerson(t txn, p person) error {
	return t.exec("INSERT INTO channel_people ("+personColumns+`) VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT (channel, address) DO UPDATE SET
		id = excluded.id, state = excluded.state, owner = excluded.owner, code = excluded.code, until = excluded.until,
		since = excluded.since, name = excluded.name`, p.ID, p.Channel, p.Address, p.State, p.Owner, p.Code, micros(p.Until),
		micros(p.Since), p.Name)
}

// codeLetters leaves out what people mistake for each other.
const codeLetters = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"

// newCode is a code of six characters.
func newCode() string {
	var b strings.Builder
	for b.Len() < 6 {
		var one [1]byte
		_, _ = rand.Read(one[:])                      // crypto/rand.Read never fails: it ends the program instead
		if n := int(one[0]); n < 8*len(codeLetters) { // each as likely as any other
			b.WriteByte(codeLetters[n%len(codeLetters)])
		}
	}
	return b.String()
}

// greet gives somebody unknown a code, which the owner confirms in the portal. Its reason is why they get none.
func (c *Channels) greet(t txn, r row, m Inbound) (reason string, err error) {
	now := c.now()
	if err := t.exec("DELETE FROM channel_people WHERE state = 'waiting' AND until <= ?", micros(now)); err != nil {
		return "", err
	}
	p, err := personAt(t, r.Name, m.Address)
	if err != nil || p.State == wire.PersonWaiting {
		return "They wait to be confirmed.", err
	}
	waiting, err := t.count("SELECT count(*) FROM channel_people WHERE channel = ? AND state = 'waiting'", r.Name)
	if err != nil || waiting >= wire.MaxChannelWaiting {
		return fmt.Sprintf("%d people wait to be confirmed already.", wire.MaxChannelWaiting), err
	}
	p = person{
		ID: uuid.Must(uuid.NewV7()).String(), Channel: r.Name, Address: m.Address, Name: nameOf(m), State: wire.PersonWaiting,
		Code: newCode(), Until: now.Add(wire.ChannelCodeLife), Since: now,
	}
	if err := savePerson(t, p); err != nil {
		return "", err
	}
	return "", c.queue(t, letter{
		Channel: r.Name, Kind: kindCode, Address: m.Address, Subject: codeSubject(r.Name), Text: codeText(r.Name, p.Code), Reply: m.Reply,
		Agent: r.Agent, Level: r.Level,
	})
}

// codeSubject stands above a code. That of a stranger does not: it would be sent to whom they name as their own address.
func codeSubject(channel string) string {
	if channel != wire.ChannelEmail {
		return ""
	}
	return "Your code for this mailbox"
}

// codeText is what somebody unknown is sent, and nothing else is.
func codeText(channel, code string) string {
	this := "This mailbox"
	if channel != wire.ChannelEmail {
		this = "This account"
	}
	return this + " answers only people whom its owner has confirmed.\n\nYour code is " + code +
		". Give it to the owner within an hour, in person or by phone, and write again once they have confirmed it."
}

// isCodeText says whether a text is what somebody unknown is sent.
func isCodeText(channel, text string) bool {
	_, rest, _ := strings.Cut(text, "Your code is ")
	code, _, _ := strings.Cut(rest, ".")
	return len(code) == 6 && strings.Trim(code, codeLetters) == "" && text == codeText(channel, code)
}

// owners are the addresses of the owner, in memory: tools are judged by them.
type owners struct {
	mu sync.Mutex
	of map[string]bool // by channel and address
}

func (o *owners) has(channel, address string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[channel+" "+address]
}

// loadOwners reads who the owner is. Of two at once the later one is what counts, so neither reads while the other does.
func (c *Channels) loadOwners(ctx context.Context) (err error) {
	c.owners.mu.Lock()
	defer c.owners.mu.Unlock()
	rows, err := c.d.DB.Read().QueryContext(ctx, "SELECT "+personColumns+" FROM channel_people WHERE owner = 1 AND state = 'paired'")
	if err != nil {
		return fmt.Errorf("read people: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	found := map[string]bool{}
	for rows.Next() {
		p, err := scanPerson(rows)
		if err != nil {
			return err
		}
		found[p.Channel+" "+p.Address] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	c.owners.of = found
	return nil
}

// maxPersonName is how many characters of what somebody calls themselves are kept.
const maxPersonName = 64

// nameOf is what the sender of a message calls themselves, on one line.
func nameOf(m Inbound) string {
	name := []rune(strings.TrimSpace(policy.Visible(redact.Text(m.Name))))
	return string(name[:min(len(name), maxPersonName)])
}

// address gives an address of a channel in the form in which addresses are compared.
func (c *Channels) address(channel, address string) (string, error) {
	kind, known := c.d.Kinds[channel]
	if !known {
		return "", errNone
	}
	return kind.Address(address)
}
