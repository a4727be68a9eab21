package channel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	typingEvery  = 4 * time.Second
	typingFor    = 10 * time.Minute // what takes longer waits for a person, or is work that nobody watches
	typingWithin = 3 * time.Second
)

// keepTyping shows to people who may write that their answer is being written, until ctx ends.
func (c *Channels) keepTyping(ctx context.Context) {
	each := time.NewTicker(typingEvery)
	defer each.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-each.C:
		}
		c.said(ctx, "show typing", c.showTyping(ctx))
	}
}

// showTyping shows it once, on the channels that can.
func (c *Channels) showTyping(ctx context.Context) error {
	typers := c.typers()
	if len(typers) == 0 {
		return nil
	}
	at, err := c.writingTo(ctx)
	ctx, cancel := context.WithTimeout(ctx, typingWithin)
	defer cancel()
	var all sync.WaitGroup
	for _, p := range at {
		if typer := typers[p.Channel]; typer != nil {
			all.Go(func() { typer.Typing(ctx, p.Address) })
		}
	}
	all.Wait()
	return err
}

// typers are the channels that run and can show it, by name.
func (c *Channels) typers() map[string]Typer {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]Typer{}
	for name, l := range c.lives {
		if typer, can := l.ch.(Typer); can {
			all[name] = typer
		}
	}
	return all
}

// writingTo are the people who may write and wait for an answer in private.
func (c *Channels) writingTo(ctx context.Context) (all []person, err error) {
	rows, err := c.d.DB.Read().QueryContext(ctx, `SELECT DISTINCT m.channel, m.address FROM channel_messages m
		JOIN channel_people p ON p.channel = m.channel AND p.address = m.address AND p.state = 'paired'
		WHERE m.open = 1 AND m.at > ? AND json_extract(m.reply, '$.to') IS NULL LIMIT 50`, micros(c.now().Add(-typingFor)))
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var p person
		if err := rows.Scan(&p.Channel, &p.Address); err != nil {
			return nil, fmt.Errorf("read messages: %w", err)
		}
		all = append(all, p)
	}
	return all, rows.Err()
}
