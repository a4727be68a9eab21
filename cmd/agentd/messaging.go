package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

func init() {
	for _, s := range []struct {
		name string
		command
	}{
		{"channels list", command{"[--state DIR]", "list the ways other than the portal to write to the team", channelsList}},
		{"channels check", command{"[--state DIR] NAME", "sign in to a channel, and say what does not work", channelsCheck}},
		{"channels pair", command{"[--state DIR] [--owner] CODE", "confirm whoever was sent this code by a channel", channelsPair}},
	} {
		commands[s.name] = s.command
		order = append(order, s.name)
	}
}

// onChannels runs fn on the channels, beside an agentd that may be running.
func (c *call) onChannels(ctx context.Context, dir string, fn func(ch *channel.Channels) error) error {
	return c.onVault(ctx, dir, false, func(v *opened) error {
		ch, err := agentd.ChannelsBeside(ctx, dir, v.db, v.Vault, time.Now)
		if err != nil {
			return err
		}
		return fn(ch)
	})
}

// askChannels asks the channels as the hub does.
func askChannels[R any](ctx context.Context, ch *channel.Channels, m wire.Method, params any) (r R, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return r, err
	}
	got, err := ch.Methods().Answer(ctx, m, raw)
	if err != nil {
		return r, err
	}
	r, ok := got.(R)
	if !ok {
		return r, fmt.Errorf("%s answers %T", m, got)
	}
	return r, nil
}

func channelsList(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(0); err != nil {
		return err
	}
	return c.onChannels(ctx, *dir, func(ch *channel.Channels) error {
		all, err := askChannels[wire.ChannelsResult](ctx, ch, wire.MethodChannelsList, wire.ChannelsParams{})
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "NAME\tSTATE\tADDRESS\tAGENT\tWHO MAY WRITE\tRECEIVED\tSENT\tFAILED\tUNKNOWN")
		for _, v := range all.Items {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\n", v.Name, v.State, cmp.Or(v.Mail.Address, v.Chat.Account),
				v.Agent, v.Policy, v.Counts.Received, v.Counts.Sent, v.Counts.Failed, v.Counts.Unknown)
		}
		return w.Flush()
	})
}

func channelsCheck(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(1); err != nil {
		return err
	}
	return c.onChannels(ctx, *dir, func(ch *channel.Channels) error {
		got, err := askChannels[wire.ChannelTested](ctx, ch, wire.MethodChannelTest, wire.ChannelTest{Channel: c.flags.Arg(0)})
		if err != nil {
			return err
		}
		for what, wrong := range map[string]string{"reading": got.Reads, "sending": got.Sends} {
			if wrong == "" {
				wrong = "works"
			}
			fmt.Fprintf(c.out, "%s: %s\n", what, wrong)
		}
		if got.Reads+got.Sends != "" {
			return errBroken
		}
		return nil
	})
}

func channelsPair(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	owner := c.flags.Bool("owner", false, "the person is the owner: what they write counts as the owner's own words")
	if err := c.parse(1); err != nil {
		return err
	}
	return c.onChannels(ctx, *dir, func(ch *channel.Channels) error {
		said, err := ch.PairHere(ctx, c.flags.Arg(0), *owner, operator())
		if err != nil {
			return err
		}
		if said == "" {
			said = "No agentd has carried it out yet. One that runs within the hour does."
		}
		fmt.Fprintln(c.out, said)
		return nil
	})
}
