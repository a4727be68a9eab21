package whatsapp_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/whatsapp"
	"gatehouse/agentd/channel/whatsapp/whatsapptest"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// The people of the tests.
var (
	owner = whatsapptest.Person{Phone: "4915550000001", Name: "Owner"}
	other = whatsapptest.Person{Phone: "4915550000002", Name: "Other"}
)

var settings = channel.Settings{Chat: wire.ChatSettings{
	Account: whatsapptest.Account, Way: wire.ChatHook, Template: whatsapptest.Template, Language: "en_US",
}}

// made makes a number with the secrets that the server takes when the test begins. Everybody has just written.
func made(t *testing.T, s *whatsapptest.Server, e channel.Env) channel.Channel {
	t.Helper()
	if e.Password == nil {
		secrets := s.Secrets()
		e.Password = func(context.Context) (secret.Value, error) { return secret.New(secrets), nil }
	}
	if e.Up == nil {
		e.Up = func(string) {}
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.Heard == nil {
		e.Heard = func(context.Context, string) (time.Time, error) { return e.Now(), nil }
	}
	e.BaseURL, e.Log = s.URL, slog.New(slog.DiscardHandler)
	ch, err := whatsapp.Kind().Make(settings, e)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// run has a number hand on what is brought.
func run(t *testing.T, s *whatsapptest.Server, e channel.Env) *channeltest.Reader {
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
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return to.Deliver(ctx, d)
}

// to is a text for somebody who has written.
func to(s *whatsapptest.Server, who whatsapptest.Person, text string) channel.Outbound {
	s.Says(who, "Hello")
	return channel.Outbound{ID: rand.Text(), To: who.Phone, Text: text}
}
