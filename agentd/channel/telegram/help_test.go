package telegram_test

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/telegram"
	"gatehouse/agentd/channel/telegram/telegramtest"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// The people of the tests.
var (
	owner = telegramtest.Person(8000000001, "Owner")
	other = telegramtest.Person(8000000002, "Other")
)

var settings = channel.Settings{Chat: wire.ChatSettings{Account: strconv.Itoa(telegramtest.BotID)}}

// made makes a bot that signs in with the token that the server takes when the test begins.
func made(t *testing.T, s *telegramtest.Server, e channel.Env) channel.Channel {
	t.Helper()
	if e.Password == nil {
		token := s.Token()
		e.Password = func(context.Context) (secret.Value, error) { return secret.New(token), nil }
	}
	if e.Up == nil {
		e.Up = func(string) {}
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.OurHook == nil {
		e.OurHook = func(address string) bool { return strings.HasPrefix(address, "https://hub.example/h/") }
	}
	e.BaseURL, e.Log = s.URL, slog.New(slog.DiscardHandler)
	set := settings
	if e.Hook != "" {
		set.Chat.Way = wire.ChatHook
	}
	ch, err := telegram.Kind().Make(set, e)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// run has a bot hand on what comes after a cursor.
func run(t *testing.T, s *telegramtest.Server, e channel.Env) *channeltest.Reader {
	t.Helper()
	return channeltest.Run(t, e.Cursor, func(up func(string)) channel.Channel {
		e.Up = up
		return made(t, s, e)
	})
}

func to(who telegramtest.User, text string) channel.Outbound {
	return channel.Outbound{To: strconv.FormatInt(who.ID, 10), Text: text}
}
