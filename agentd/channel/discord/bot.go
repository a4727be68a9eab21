package discord

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"sync"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// Bot is the channel of one bot.
type Bot struct {
	set   wire.ChatSettings
	env   channel.Env
	quiet channel.Quiet // in which Discord takes no messages

	mu    sync.Mutex
	chats map[string]string // the private channel of a person
}

// Kind is that of bots.
func Kind() channel.Kind {
	return channel.Kind{Address: Address, Make: func(s channel.Settings, e channel.Env) (channel.Channel, error) {
		if !isAccount(s.Chat.Account) || s.Chat.Way != wire.ChatPoll {
			return nil, errAccount
		}
		return &Bot{set: s.Chat, env: e, chats: map[string]string{}}, nil
	}}
}

var errAccount = &wire.RPCError{
	Code: "bad_request", Text: "This is no token of a Discord bot: one has three parts with dots between them. Nothing was saved.",
}

// isAccount says whether this is the first part of a token, which is the number of the bot.
func isAccount(s string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(s)
	return err == nil && isNumber(string(raw))
}

// isNumber says whether this is a number as Discord gives them to everything it has.
func isNumber(s string) bool {
	n, err := strconv.ParseUint(s, 10, 64)
	return err == nil && n != 0 && strconv.FormatUint(n, 10) == s
}

var errAddress = errors.New("not the number of an account")

// hash stands before the number of a channel in a group: numbers of channels and of people look alike.
const hash = "#"

// Address gives the number of a person's account, or that of a channel in a group.
func Address(s string) (string, error) {
	s = strings.TrimSpace(s)
	if !isNumber(strings.TrimPrefix(s, hash)) {
		return "", errAddress
	}
	return s, nil
}

// Name implements channel.Channel.
func (*Bot) Name() string { return wire.ChannelDiscord }

// Limits of Discord.
const (
	maxText  = 2000    // characters of one message
	maxFile  = 8 << 20 // bytes of a file that is fetched
	maxFiles = 10
	maxSent  = 10 << 20 // bytes of the files of one message that a bot sends
)

// Capabilities implements channel.Channel.
func (*Bot) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Buttons: true, Edits: true, Allows: true, MaxText: maxText, MaxFile: maxFile, MaxFiles: maxFiles, SendBytes: maxSent,
		SendFiles: maxFiles,
	}
}

// Check implements channel.Channel: it asks who the bot is, and where its messages come.
func (b *Bot) Check(ctx context.Context) (reads, sends string) {
	said := func(err error) string {
		if err == nil {
			return ""
		}
		return troubleOf(ctx, err).Text
	}
	api, err := b.open(ctx)
	if err == nil {
		_, err = api.me(ctx)
	}
	if err != nil {
		return said(err), said(err)
	}
	_, err = api.gateway(ctx)
	return said(err), ""
}

// Typing implements channel.Typer.
func (b *Bot) Typing(ctx context.Context, to string) {
	api, err := b.open(ctx)
	if err == nil {
		var chat string
		if chat, err = b.chatWith(ctx, api, to); err == nil {
			err = api.call(ctx, "POST", "/channels/"+chat+"/typing", nil, nil)
		}
	}
	if err != nil {
		b.env.Log.DebugContext(ctx, "typing not shown", "channel", b.Name(), "error", troubleOf(ctx, err).Text)
	}
}

// chatWith is the channel of an address: of a person, that of the private chat with them.
func (b *Bot) chatWith(ctx context.Context, api *client, to string) (string, error) {
	if id, group := strings.CutPrefix(to, hash); group {
		return id, nil
	}
	b.mu.Lock()
	id := b.chats[to]
	b.mu.Unlock()
	if id != "" {
		return id, nil
	}
	var chat struct {
		ID string `json:"id"`
	}
	if err := api.call(ctx, "POST", "/users/@me/channels", map[string]string{"recipient_id": to}, &chat); err != nil {
		return "", err
	}
	if !isNumber(chat.ID) {
		return "", errEnded
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.chats[to] = chat.ID
	return chat.ID, nil
}
