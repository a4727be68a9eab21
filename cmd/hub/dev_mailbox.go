package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
	"gatehouse/app/channel"
	"gatehouse/app/server"
	"gatehouse/cmd/hub/devmail"
	"gatehouse/db"
)

// mailboxAgent answers what is written to the demo's team.
const mailboxAgent = "dispatcher"

// mailbox gives the demo's team its mailbox, and pairs the owner's address on it: once, so that an owner who removes it is left
// without. Where its ports have changed, it is set anew.
func (s *seeding) mailbox(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, keyPatience)
	defer cancel()
	channels := &channel.Service{Peer: s.chat.Peer, Hooks: &db.ChannelHooks{DB: s.db}}
	var now wire.Channel
	err := s.patiently(ctx, func() error {
		all, err := channels.List(ctx, s.of)
		for _, c := range all.Items {
			if c.Name == wire.ChannelEmail {
				now = c
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the demo's mailbox: %w", err)
	}
	want, err := s.mailSettings()
	switch {
	case err != nil:
		return err
	case now.Name == "" && s.demo.Mailbox != "", now.Name != "" && (now.Mail == want || now.Mail.Address != want.Address):
		return nil
	}
	put := wire.ChannelAct{
		Do: wire.ChannelDoPut, Agent: mailboxAgent, Policy: wire.ChannelPairing, Mail: want,
		Approvals: wire.ApprovalsOwn, Version: now.Version,
	}
	if now.Name != "" {
		put.Agent, put.Policy, put.Approvals = now.Agent, now.Policy, now.Approvals
	}
	made, err := s.channelAct(ctx, channels, put)
	if err == nil && s.demo.Mailbox == "" {
		_, err = s.channelAct(ctx, channels, wire.ChannelAct{
			Do: wire.ChannelDoAllow, Address: s.on.box.Owner, Owner: true, Version: made.Version,
		})
	}
	if err != nil {
		return fmt.Errorf("the demo's mailbox: %w", err)
	}
	s.demo.Mailbox = want.Address
	return s.save(s.demo)
}

// mailSettings are those of the mailbox that runs beside the hub.
func (s *seeding) mailSettings() (wire.MailSettings, error) {
	imap, err := loopback(s.on.imap)
	if err != nil {
		return wire.MailSettings{}, err
	}
	smtp, err := loopback(s.on.smtp)
	return wire.MailSettings{Address: s.on.box.Address, User: s.on.box.Address, IMAP: imap, SMTP: smtp, AuthServ: devmail.AuthServ}, err
}

func loopback(addr string) (wire.MailServer, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return wire.MailServer{}, fmt.Errorf("the demo's mailbox: %w", err)
	}
	n, err := strconv.Atoi(port)
	return wire.MailServer{Host: host, Port: n, TLS: wire.MailPlain}, err
}

// channelAct signs an act with the demo's key, as its owner does in a browser, and carries it out.
func (s *seeding) channelAct(ctx context.Context, channels *channel.Service, a wire.ChannelAct) (wire.Channel, error) {
	a.ID, a.Channel = uuid.Must(uuid.NewV7()).String(), wire.ChannelEmail
	c := wire.ChannelChange{Act: a, By: wire.DecidedBy{Name: "make run", Role: "owner", Channel: "terminal"}}
	raw, err := canonical.Of(a)
	if err != nil {
		return wire.Channel{}, err
	}
	key, err := s.signer()
	if err != nil {
		return wire.Channel{}, err
	}
	state, err := s.team.State(ctx, s.of)
	if err != nil {
		return wire.Channel{}, err
	}
	at := time.Now().UTC()
	text := wire.ChangeText(s.demo.ServerID, wire.ChangeChannel, canonical.Sum(raw), state.Applied, at)
	if c.Signature, err = key.Sign(text, at); err != nil {
		return wire.Channel{}, err
	}
	if a.Do == wire.ChannelDoPut {
		if err := s.seal(ctx, &c); err != nil {
			return wire.Channel{}, err
		}
	}
	return channels.Change(ctx, s.of, c)
}

// seal closes the password of the mailbox to the demo's server.
func (s *seeding) seal(ctx context.Context, c *wire.ChannelChange) error {
	p := wire.SecretOpenParams{Method: wire.MethodChannelChange, Name: wire.ChannelSecretName(c.Act.Channel)}
	o, err := server.Ask[wire.SecretOpening](ctx, s.chat.Peer, s.of, wire.MethodSecretsOpen, p, keyPatience)
	if err != nil {
		return err
	}
	c.Nonce = o.Nonce
	c.Box, err = wire.SealSecret(o.Key, wire.SecretPurpose{
		Method: p.Method, ServerID: s.demo.ServerID, Name: p.Name, Nonce: o.Nonce,
	}, []byte(s.on.box.Password))
	return err
}
