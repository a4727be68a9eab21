package channel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/wire"
)

// How long the console waits until the agentd that runs has confirmed somebody, and how often it looks.
const (
	consoleWaits = 2 * lookEvery
	consoleLooks = 200 * time.Millisecond
)

// PairHere confirms whoever waits with a code, from the server's own console: whoever works there could change everything else as well, so
// nobody signs. The agentd that runs carries it out; said is what came of it, empty when none has within half a minute.
func (c *Channels) PairHere(ctx context.Context, code string, owner bool, by string) (said string, err error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	err = c.write(ctx, func(t txn) error {
		return t.exec(`INSERT INTO channel_pairs (code, owner, by, at) VALUES (?,?,?,?) ON CONFLICT (code) DO UPDATE SET
			owner = excluded.owner, by = excluded.by, at = excluded.at, said = ''`, code, owner, by, micros(c.now()))
	})
	look := time.NewTicker(consoleLooks)
	defer look.Stop()
	for end := c.now().Add(consoleWaits); err == nil && said == "" && c.now().Before(end); {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-look.C:
		}
		err = c.d.DB.Read().QueryRowContext(ctx, "SELECT said FROM channel_pairs WHERE code = ?", code).Scan(&said)
	}
	return said, err
}

// here is one that was confirmed on the console.
type here struct {
	code, by string
	owner    bool
}

// pairAll carries out what was confirmed on the console.
func (c *Channels) pairAll(ctx context.Context) error {
	all, err := c.confirmedHere(ctx)
	for _, h := range all {
		err = errors.Join(err, c.write(ctx, func(t txn) error { return c.pairOne(t, h) }))
	}
	if len(all) > 0 {
		err = errors.Join(err, c.loadOwners(ctx))
	}
	return err
}

func (c *Channels) confirmedHere(ctx context.Context) (all []here, err error) {
	rows, err := c.d.DB.Read().QueryContext(ctx, "SELECT code, owner, by FROM channel_pairs WHERE said = '' ORDER BY at")
	if err != nil {
		return nil, fmt.Errorf("read codes: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var h here
		if err := rows.Scan(&h.code, &h.owner, &h.by); err != nil {
			return nil, fmt.Errorf("read codes: %w", err)
		}
		all = append(all, h)
	}
	return all, rows.Err()
}

// pairOne confirms whoever waits with a code, and says so to the console.
func (c *Channels) pairOne(t txn, h here) error {
	say := func(text string) error {
		return t.exec("UPDATE channel_pairs SET said = ? WHERE code = ?", text, h.code)
	}
	p, err := scanPerson(t.db.QueryRow(t.tx, "SELECT "+personColumns+` FROM channel_people
		WHERE code = ? AND state = 'waiting' AND until > ?`, h.code, micros(c.now())))
	if errors.Is(err, errNobody) {
		return say("Nobody waits with this code, or it is over. Nothing was changed. Ask the person to write again.")
	}
	if err != nil {
		return err
	}
	r, err := find(t, p.Channel)
	if err != nil {
		return err
	}
	p.State, p.Owner, p.Code, p.Until, p.Since = wire.PersonPaired, h.owner, "", c.now(), c.now()
	r.Version++
	r.Updated = c.now()
	return errors.Join(savePerson(t, p), save(t, r), say("Confirmed: "+p.Channel+" "+p.Address+"."),
		c.receipt(t, "channel.changed", "", map[string]any{
			"channel": p.Channel, "do": wire.ChannelDoConfirm, "address": p.Address, "owner": p.Owner,
			"by": wire.DecidedBy{Name: h.by, Role: "operator", Channel: "console"},
		}))
}
