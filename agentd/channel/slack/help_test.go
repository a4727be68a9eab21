package slack_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/slack"
	"gatehouse/agentd/channel/slack/slacktest"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// The people of the tests.
var (
	owner = slacktest.Person("U0OWNER", "owner")
	other = slacktest.Person("U0OTHER", "other")
)

var settings = channel.Settings{Chat: wire.ChatSettings{Account: slacktest.App}}

// kept is an environment in which a text is kept as the tokens.
func kept(text string) channel.Env {
	return channel.Env{Password: func(context.Context) (secret.Value, error) { return secret.New(text), nil }}
}

// made makes an app that signs in with the tokens that the server takes when the test begins.
func made(t *testing.T, s *slacktest.Server, e channel.Env) channel.Channel {
	t.Helper()
	if e.Password == nil {
		e.Password = kept(s.Secret()).Password
	}
	if e.Up == nil {
		e.Up = func(string) {}
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	e.BaseURL, e.Log = s.URL, slog.New(slog.DiscardHandler)
	ch, err := slack.Kind().Make(settings, e)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// run has an app hand on what comes after a cursor.
func run(t *testing.T, s *slacktest.Server, e channel.Env) *channeltest.Reader {
	t.Helper()
	return channeltest.Run(t, e.Cursor, func(up func(string)) channel.Channel {
		e.Up = up
		return made(t, s, e)
	})
}

func to(who slacktest.User, text string) channel.Outbound {
	return channel.Outbound{ID: rand.Text(), To: who.ID, Text: text}
}

func texts(all []channel.Inbound) (texts []string) {
	for _, m := range all {
		texts = append(texts, m.Text)
	}
	return texts
}

// onlyOnce leaves repeats out: whoever takes messages knows them by their id.
func onlyOnce(all []channel.Inbound) (first []channel.Inbound) {
	seen := map[string]bool{}
	for _, m := range all {
		if !seen[m.ID] {
			first = append(first, m)
		}
		seen[m.ID] = true
	}
	return first
}
