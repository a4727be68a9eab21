package channel

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
)

// strange says what becomes of a message of a stranger to a channel that is open to everybody. What they tell the channel itself comes
// before what is for the agent, and before what they may cost: everybody can stop, ask for a person and have their data deleted.
func (c *Channels) strange(t txn, r row, m Inbound) (outcome, error) {
	s, err := c.strangerOf(t, r, m)
	if err != nil {
		return outcome{}, err
	}
	w := wordOf(m)
	switch {
	case s.ID == "":
		return refused(fmt.Sprintf("%d people have written already, which is the most that are remembered.", wire.MaxStrangers)), nil
	case s.State == wire.StrangerErasing:
		return refused("What is kept of the sender is being deleted."), nil
	case w == wordErase:
		return c.wantsErased(t, r, s, m)
	case s.State == wire.StrangerOut && w != wordStart:
		return refused("The sender wrote STOP, and is answered again when they write START."), nil
	case w == wordStop:
		return c.optOut(t, r, s, m)
	case w == wordStart, m.Press != nil:
		if why, err := c.tooMany(t, r, m); err != nil || why != "" {
			return refused(why), err
		}
		if m.Press != nil {
			return c.obey(t, r, person{}, m, command{name: "press"})
		}
		return c.optIn(t, r, s, m)
	case m.Edited:
		return refused("A message that was changed after it was sent is not read again."), nil
	}
	if why, err := c.tooDear(t, r, s, m); err != nil || why != "" {
		return refused(why), err
	}
	return c.goesOn(t, r, s, m, w)
}

// goesOn takes a message for the agent, or, where a person has the conversation, for that person.
func (c *Channels) goesOn(t txn, r row, s stranger, m Inbound, w word) (outcome, error) {
	if w == wordPerson && s.State != wire.StrangerPerson {
		if err := c.handOver(t, r, &s, m, saysHanded); err != nil {
			return outcome{}, err
		}
		if err := c.tellOwners(t, r, "Somebody who wrote by "+r.Name+" asks for a person. The agent is silent there now."); err != nil {
			return outcome{}, err
		}
	}
	o := outcome{verdict: "accepted"}
	if s.State != wire.StrangerPerson {
		var err error
		if o, err = c.room(t, r, person{}, m, true); err != nil {
			return o, err
		}
		if o.verdict != "accepted" {
			return o, c.sayEnough(t, r, s, m)
		}
	}
	o.silent = s.State == wire.StrangerPerson
	s.Messages, s.Last, s.Name = s.Messages+1, c.now(), nameOf(m)
	if language := languageOf(m.Text); language != "" {
		s.Language = language
	}
	o.stranger = s
	return o, nil
}

// strangerOf is who wrote a message: a new one where nobody is known under the address, and none where too many are.
func (c *Channels) strangerOf(t txn, r row, m Inbound) (stranger, error) {
	s, err := strangerAt(t, r.Name, m.Address)
	if err != nil || s.ID != "" {
		return s, err
	}
	n, err := t.count("SELECT count(*) FROM channel_strangers WHERE channel = ?", r.Name)
	if err != nil || n >= wire.MaxStrangers {
		return stranger{}, err
	}
	now := c.now()
	return stranger{
		ID: uuid.Must(uuid.NewV7()).String(), Channel: r.Name, Address: m.Address, Name: nameOf(m), State: wire.StrangerTalking,
		Language: languageOf(m.Text), First: now, Last: now, Since: now,
	}, nil
}

// turn puts a stranger into another state, which everything that the agent has yet to say to them follows.
func (c *Channels) turn(t txn, s *stranger, to wire.StrangerState, why string) error {
	s.State, s.Since = to, c.now()
	if err := saveStranger(t, *s); err != nil {
		return err
	}
	if to == wire.StrangerTalking {
		return nil
	}
	return c.silence(t, *s, why)
}

// silence stops what a stranger's messages began, and takes back the answers to them that were not sent yet.
func (c *Channels) silence(t txn, s stranger, why string) error {
	runs, err := t.texts("SELECT run_id FROM channel_messages WHERE channel = ? AND address = ? AND open = 1", s.Channel, s.Address)
	if err != nil {
		return err
	}
	for _, run := range runs {
		by := wire.Origin{Channel: s.Channel, Address: s.Address}
		if err := c.d.Runs.Stop(context.Background(), t.tx, run, by); err != nil {
			return err
		}
	}
	err = t.exec("UPDATE channel_messages SET open = 0, tokens = ? WHERE channel = ? AND address = ? AND open = 1", stoppedTokens,
		s.Channel, s.Address)
	if err != nil {
		return err
	}
	return c.withdraw(t, s, why)
}

// withdraw takes back the answers to a stranger that wait, and, where nothing may reach them any more, what a person wrote to them.
func (c *Channels) withdraw(t txn, s stranger, why string) error {
	kind := "answer"
	if s.State == wire.StrangerOut || s.State == wire.StrangerErasing {
		kind = kindPerson
	}
	return c.takeBack(t, why, "channel = ? AND address = ? AND kind IN ('answer', ?)", s.Channel, s.Address, kind)
}

// takeBack takes back letters that wait, and those about which a person is asked.
func (c *Channels) takeBack(t txn, why, which string, args ...any) error {
	which += " AND state = 'waiting'"
	letters, err := t.texts("SELECT id FROM channel_outbox WHERE "+which, args...)
	if err != nil {
		return err
	}
	t.db.OnCommit(t.tx, func() { c.recall(letters) })
	return t.exec("UPDATE channel_outbox SET state = 'denied', why = ?, ended_at = ? WHERE "+which,
		append([]any{why, micros(c.now())}, args...)...)
}

// stoppedTokens is what a message is counted for whose run was stopped before it could say what it cost.
const stoppedTokens = 30_000

// recall takes back letters about which a person is asked. One that is on its way to the provider already is not stopped: nobody would
// know whether it was sent.
func (c *Channels) recall(letters []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range letters {
		if f, flies := c.parked[id]; flies {
			f()
		}
	}
}

// optOut stops everything to a stranger. What they may cost does not count: nobody has to read on to have it stop.
func (c *Channels) optOut(t txn, r row, s stranger, m Inbound) (outcome, error) {
	if err := c.turn(t, &s, wire.StrangerOut, "They wrote STOP."); err != nil {
		return outcome{}, err
	}
	return c.wordDone(t, r, s, m, wordStop, saysOut)
}

// optIn lets a stranger be answered again, or greets who only says that they are there, as a messenger has everybody do first.
func (c *Channels) optIn(t txn, r row, s stranger, m Inbound) (outcome, error) {
	if s.State != wire.StrangerOut {
		if s.Messages > 0 {
			return outcome{verdict: "command", reason: string(wordStart)}, nil
		}
		if err := saveStranger(t, s); err != nil {
			return outcome{}, err
		}
		return c.wordDone(t, r, s, m, wordStart, saysHello)
	}
	if err := c.turn(t, &s, wire.StrangerTalking, ""); err != nil {
		return outcome{}, err
	}
	return c.wordDone(t, r, s, m, wordStart, saysBack)
}

// handOver gives a conversation to a person of the business.
func (c *Channels) handOver(t txn, r row, s *stranger, m Inbound, p phrase) error {
	if err := c.turn(t, s, wire.StrangerPerson, "A person has the conversation."); err != nil {
		return err
	}
	return c.sayTo(t, r, *s, m, p)
}

// wordDone answers a word and puts it on record.
func (c *Channels) wordDone(t txn, r row, s stranger, m Inbound, w word, p phrase) (outcome, error) {
	return outcome{verdict: "command", reason: string(w)}, c.sayTo(t, r, s, m, p)
}

// maxSaid is how many sentences of ours one address gets within a day: who writes under the name of another must not have them flooded.
const maxSaid = 10

// sayTo sends a sentence that no agent has written. Where there is no conversation yet, an answer to it begins one, under the id that the
// stranger has: what was said is found again when it is to be deleted.
func (c *Channels) sayTo(t txn, r row, s stranger, m Inbound, p phrase) error {
	n, err := t.count(`SELECT count(*) FROM channel_outbox WHERE channel = ? AND address = ? AND kind = 'reply' AND created_at > ?`,
		s.Channel, s.Address, micros(c.now().Add(-24*time.Hour)))
	if err != nil || n >= maxSaid {
		return err
	}
	return c.queue(t, letter{
		Channel: r.Name, Kind: kindReply, Address: m.Address, Subject: answerTo(r.Name, m.Reply.Subject), Text: s.says(r, p),
		Reply: m.Reply, Session: cmp.Or(s.Session, s.ID), Agent: r.Agent, Level: r.Level, Notice: p == saysHello,
	})
}

// spent is what one stranger, or all of a channel, have cost since a time. Those who had their data deleted count among all.
func spent(t txn, channel, address string, since time.Time) (messages int, tokens int64, err error) {
	err = t.db.QueryRow(t.tx, `SELECT count(*), coalesce(sum(m.tokens), 0) FROM channel_messages m WHERE m.channel = ?1 AND m.at > ?2
		AND m.verdict = 'accepted' AND (m.address = ?3 OR ?3 = '' AND EXISTS (SELECT 1 FROM channel_strangers s
		WHERE s.channel = m.channel AND s.address = m.address))`, channel, micros(since), address).Scan(&messages, &tokens)
	if err != nil {
		return 0, 0, fmt.Errorf("count messages: %w", err)
	}
	return messages, tokens, nil
}

// tooDear says that a stranger has written or cost too much, which they are told once an hour.
func (c *Channels) tooDear(t txn, r row, s stranger, m Inbound) (why string, err error) {
	why, err = c.beyond(t, r, s)
	if err != nil || why == "" {
		return "", err
	}
	return why, c.sayEnough(t, r, s, m)
}

// beyond says which limit a stranger has reached; empty: none. A person who has the conversation is not paid by the token, but reads no
// more than so much either.
func (c *Channels) beyond(t txn, r row, s stranger) (why string, err error) {
	hour, day := c.now().Add(-time.Hour), c.now().Add(-24*time.Hour)
	lately, _, err := spent(t, r.Name, s.Address, hour)
	if err != nil {
		return "", err
	}
	today, tokens, err := spent(t, r.Name, s.Address, day)
	if err != nil {
		return "", err
	}
	_, all, err := spent(t, r.Name, "", day)
	if err != nil {
		return "", err
	}
	open, err := t.count("SELECT count(*) FROM channel_messages WHERE channel = ? AND address = ? AND open = 1", r.Name, s.Address)
	switch {
	case err != nil:
		return "", err
	case open >= wire.MaxStrangerOpen:
		why = fmt.Sprintf("%d messages of the sender are being worked on already.", wire.MaxStrangerOpen)
	case lately >= wire.MaxStrangerHour:
		why = fmt.Sprintf("The sender wrote more than %d messages within an hour.", wire.MaxStrangerHour)
	case today >= wire.MaxStrangerDay:
		why = fmt.Sprintf("The sender wrote more than %d messages within a day.", wire.MaxStrangerDay)
	case s.State == wire.StrangerPerson:
	case tokens >= wire.MaxStrangerTokens:
		why = "The sender has used up what one person may use of models within a day."
	case all >= wire.MaxStrangersTokens:
		why = "The people who wrote have used up what they may use of models together within a day."
	}
	return why, nil
}

// sayEnough says, once an hour, that more than this is not answered now.
func (c *Channels) sayEnough(t txn, r row, s stranger, m Inbound) error {
	told, err := t.count(`SELECT count(*) FROM channel_outbox WHERE channel = ? AND address = ? AND kind = 'reply' AND created_at > ?
		AND text IN (?, ?)`, r.Name, s.Address, micros(c.now().Add(-time.Hour)), saidTo["en"][saysEnough], saidTo["de"][saysEnough])
	if err != nil || told > 0 {
		return err
	}
	return c.sayTo(t, r, s, m, saysEnough)
}

// notice is what stands above the first answer to a stranger.
func (c *Channels) notice(r row, s stranger) string {
	name := strings.TrimSpace(c.d.Config().Business)
	if name == "" {
		return s.says(r, saysNameless)
	}
	return fmt.Sprintf(s.says(r, saysMachine), name)
}

// maxTold is how often within an hour one identity of the owner is told of strangers of a channel: anybody can have them told. The page
// shows all who wait.
const maxTold = 5

// tellOwners tells the owner, under each of their identities on channels that run, of something about strangers of a channel.
func (c *Channels) tellOwners(t txn, of row, text string) error {
	all, err := t.texts(`SELECT p.channel || ' ' || p.address FROM channel_people p JOIN channels c ON c.name = p.channel
		WHERE p.owner = 1 AND p.state = 'paired' AND c.state = 'active' AND c.policy <> 'disabled' ORDER BY 1 LIMIT 20`)
	if err != nil {
		return err
	}
	page := "\n" + c.page("/app/channels/people?channel="+of.Name)
	for _, at := range all {
		name, address, _ := strings.Cut(at, " ")
		told, err := t.count(`SELECT count(*) FROM channel_outbox WHERE channel = ?1 AND address = ?2 AND kind = 'told' AND created_at > ?3
			AND substr(text, -length(?4)) = ?4`, name, address, micros(c.now().Add(-time.Hour)), page)
		if err != nil {
			return err
		}
		if told >= maxTold {
			continue
		}
		subject := ""
		if name == wire.ChannelEmail {
			subject = "People who write to your team"
		}
		err = c.queue(t, letter{
			Channel: name, Kind: kindTold, Address: address, Subject: subject, Text: text + page, Agent: of.Agent, Level: of.Level,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
