package discord_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/discord"
	"gatehouse/agentd/channel/discord/discordtest"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// The people of the tests.
var (
	owner = discordtest.Person("800000000000000001", "Owner")
	other = discordtest.Person("800000000000000002", "Other")
)

var settings = channel.Settings{Chat: wire.ChatSettings{Account: discordtest.Account}}

// made makes a bot that signs in with the token that the server takes when the test begins.
func made(t *testing.T, s *discordtest.Server, e channel.Env) channel.Channel {
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
	e.BaseURL, e.Log = s.URL, slog.New(slog.DiscardHandler)
	ch, err := discord.Kind().Make(settings, e)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// run has a bot hand on what comes after a cursor.
func run(t *testing.T, s *discordtest.Server, e channel.Env) *channeltest.Reader {
	t.Helper()
	return channeltest.Run(t, e.Cursor, func(up func(string)) channel.Channel {
		e.Up = up
		return made(t, s, e)
	})
}

func to(who discordtest.User, text string) channel.Outbound {
	return channel.Outbound{ID: rand.Text(), To: who.ID, Text: text}
}
