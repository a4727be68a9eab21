package telegram

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/go-telegram/bot/models"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// Bot is the channel of one bot.
type Bot struct {
	set wire.ChatSettings
	env channel.Env

	door  *channel.Door // for what is brought
	quiet channel.Quiet // in which Telegram takes no messages

	mu sync.Mutex
	me *models.User // while updates are brought
}

// Kind is that of bots.
func Kind() channel.Kind {
	return channel.Kind{Address: Address, Make: func(s channel.Settings, e channel.Env) (channel.Channel, error) {
		way := s.Chat.Way == wire.ChatPoll || s.Chat.Way == wire.ChatHook
		if n, err := Address(s.Chat.Account); err != nil || n != s.Chat.Account || !way {
			return nil, errAccount
		}
		return &Bot{set: s.Chat, env: e, door: channel.NewDoor()}, nil
	}}
}

var errAccount = &wire.RPCError{
	Code: "bad_request", Text: "This is no token of a bot: one begins with a number and a colon. Nothing was saved.",
}

var errAddress = errors.New("not the number of an account")

// Address gives the number of a person's account, or that of a group, which is below zero.
func Address(s string) (string, error) {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n == 0 || strconv.FormatInt(n, 10) != s {
		return "", errAddress
	}
	return s, nil
}

// Name implements channel.Channel.
func (*Bot) Name() string { return wire.ChannelTelegram }

// Limits of the Bot API.
const (
	maxText = 4096     // UTF-16 units of one message
	maxFile = 20 << 20 // bytes that a bot may fetch
	maxSent = 50 << 20 // bytes of a file that a bot may send
)

// Capabilities implements channel.Channel. What is brought allows nothing: the secret beside it passes the hub, and says nothing about what
// the update holds.
func (b *Bot) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Buttons: true, Edits: true, Allows: b.set.Way == wire.ChatPoll, MaxText: maxText, MaxFile: maxFile, MaxFiles: 1, SendBytes: maxSent,
		SendFiles: wire.MaxFiles,
	}
}

// Check implements channel.Channel: it asks who the bot is, and whether something else gets its messages.
func (b *Bot) Check(ctx context.Context) (reads, sends string) {
	said := func(err error) string {
		if err == nil {
			return ""
		}
		return troubleOf(ctx, err).Text
	}
	api, err := b.open(ctx)
	if err != nil {
		return said(err), said(err)
	}
	if _, err := api.GetMe(ctx); err != nil {
		return said(err), said(err)
	}
	info, err := api.GetWebhookInfo(ctx)
	if err == nil && info.URL != b.env.Hook && !b.env.OurHook(info.URL) { // of this server's own, the way may be about to change
		err = errHooked
	}
	return said(err), ""
}

// Typing implements channel.Typer.
func (b *Bot) Typing(ctx context.Context, to string) {
	api, err := b.open(ctx)
	if err == nil {
		_, err = api.SendChatAction(ctx, typing(to))
	}
	if err != nil {
		b.env.Log.DebugContext(ctx, "typing not shown", "channel", b.Name(), "error", troubleOf(ctx, err).Text)
	}
}
