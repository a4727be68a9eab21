package channel

import (
	"context"

	"gatehouse/agentd/wire"
)

// list gives the channels by name.
func (c *Channels) list(ctx context.Context, _ wire.ChannelsParams) (wire.ChannelsResult, error) {
	out := wire.ChannelsResult{Items: []wire.Channel{}}
	all, err := c.all(ctx)
	if err != nil {
		return out, err
	}
	for _, r := range all {
		if r.State == wire.ChannelRemoved {
			continue
		}
		v, err := c.view(ctx, r)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, v)
	}
	return out, nil
}

// view is a channel as pages show it.
func (c *Channels) view(ctx context.Context, r row) (v wire.Channel, err error) {
	v = wire.Channel{
		Name: r.Name, State: r.State, Agent: r.Agent, Policy: r.Policy, Mail: r.Mail, Level: r.Level, Version: r.Version, By: r.By,
		Created: r.Created, Updated: r.Updated, Chat: r.Chat, Approvals: r.Approvals,
		Strangers: r.Strangers,
	}
	c.mu.Lock()
	l := c.lives[r.Name]
	c.mu.Unlock()
	if l != nil {
		v.Live = l.live()
	}
	if v.Counts, err = c.counts(ctx, r.Name); err != nil {
		return v, err
	}
	if v.Wrote, err = c.wrote(ctx, r.Name); err != nil {
		return v, err
	}
	v.People, err = c.people(ctx, r.Name)
	return v, err
}
