package signal_test

import (
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/signal"
	"gatehouse/agentd/channel/signal/signaltest"
	"gatehouse/agentd/wire"
)

// The people of the tests, and a group.
var (
	owner = signaltest.Person("80000000-0000-4000-8000-000000000001", "Owner")
	other = signaltest.Person("80000000-0000-4000-8000-000000000002", "Other")
	group = &signaltest.Group{ID: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", Type: "DELIVER"}
)

var settings = channel.Settings{Chat: wire.ChatSettings{Account: signaltest.Account}}

// made makes the channel of the account.
func made(t *testing.T, s *signaltest.Server, e channel.Env) channel.Channel {
	t.Helper()
	if e.Up == nil {
		e.Up = func(string) {}
	}
	if e.Now == nil {
		e.Now = func() time.Time { return time.UnixMilli(1780000000000) }
	}
	e.BaseURL, e.Log = s.URL, slog.New(slog.DiscardHandler)
	ch, err := signal.Kind().Make(settings, e)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// run has the channel hand on what comes after a cursor.
func run(t *testing.T, s *signaltest.Server, e channel.Env) *channeltest.Reader {
	t.Helper()
	return channeltest.Run(t, e.Cursor, func(up func(string)) channel.Channel {
		e.Up = up
		return made(t, s, e)
	})
}

func to(who signaltest.User, text string) channel.Outbound {
	return channel.Outbound{ID: rand.Text(), To: who.ID, Text: text}
}

func texts(all []channel.Inbound) (texts []string) {
	for _, m := range all {
		texts = append(texts, m.Text)
	}
	return texts
}
