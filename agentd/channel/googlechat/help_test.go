package googlechat_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/googlechat"
	"gatehouse/agentd/channel/googlechat/googlechattest"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// The people of the tests.
var (
	owner = googlechattest.Person{ID: "100000000000000000001", Name: "Owner"}
	other = googlechattest.Person{ID: "100000000000000000002", Name: "Other"}
)

var settings = channel.Settings{Chat: wire.ChatSettings{
	Account: googlechattest.Account, Project: googlechattest.Project, Way: wire.ChatHook, Groups: wire.ChatGroupsNamed,
}}

// made makes an app with the key that the server takes when the test begins.
func made(t *testing.T, s *googlechattest.Server, e channel.Env) channel.Channel {
	t.Helper()
	if e.Password == nil {
		key := s.Key()
		e.Password = func(context.Context) (secret.Value, error) { return secret.New(key), nil }
	}
	if e.Up == nil {
		e.Up = func(string) {}
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	e.BaseURL, e.Log = s.URL, slog.New(slog.DiscardHandler)
	ch, err := googlechat.Kind().Make(settings, e)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// run has an app hand on what is brought.
func run(t *testing.T, s *googlechattest.Server, e channel.Env) *channeltest.Reader {
	t.Helper()
	r := channeltest.Run(t, "", func(up func(string)) channel.Channel {
		e.Up = up
		return made(t, s, e)
	})
	s.Bring(func(d wire.ChannelDelivery) wire.ChannelAnswer { return deliver(t, r.Channel, d) })
	return r
}

func deliver(t *testing.T, ch channel.Channel, d wire.ChannelDelivery) wire.ChannelAnswer {
	t.Helper()
	to, is := ch.(channel.Hooked)
	if !is {
		t.Error("nothing can be brought to it")
		return wire.ChannelAnswer{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	return to.Deliver(ctx, d)
}

func to(who googlechattest.Person, text string) channel.Outbound {
	return channel.Outbound{ID: rand.Text(), To: who.ID, Text: text}
}
