package googlechat

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// App is the channel of one app.
type App struct {
	set   wire.ChatSettings
	env   channel.Env
	door  *channel.Door
	keys  *keys
	quiet channel.Quiet // in which Google takes no messages

	mu    sync.Mutex
	chats map[string]string // the direct messages with a person
	now   *client           // of the key that is kept now
}

// Kind is that of apps.
func Kind() channel.Kind {
	return channel.Kind{Address: Address, Make: func(s channel.Settings, e channel.Env) (channel.Channel, error) {
		switch {
		case !accounts.MatchString(s.Chat.Account) || s.Chat.Way != wire.ChatHook:
			return nil, errAccount
		case !projects.MatchString(s.Chat.Project):
			return nil, errProject
		}
		a := &App{set: s.Chat, env: e, door: channel.NewDoor(), chats: map[string]string{}}
		a.keys = &keys{at: a.base(certificates) + certificatePath, now: e.Now}
		return a, nil
	}}
}

var (
	errAccount = &wire.RPCError{
		Code: "bad_request",
		Text: "This is no key of a service account: paste the whole JSON file that Google gave you. Nothing was saved.",
	}
	errProject = &wire.RPCError{
		Code: "bad_request", Text: "This is no number of a project: it has digits alone, and is not the project's name. Nothing was saved.",
	}
	errAddress = errors.New("not the number of an account")
)

var (
	accounts = regexp.MustCompile(`^[a-z0-9.-]+@[a-z0-9.-]+\.gserviceaccount\.com$`)
	projects = regexp.MustCompile(`^[1-9][0-9]{5,19}$`)
	people   = regexp.MustCompile(`^[1-9][0-9]{4,29}$`)
	ids      = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
)

// hash stands before the id of a space, which is a group.
const hash = "#"

// Address gives the number of a person's account, or the id of a space.
func Address(s string) (string, error) {
	s = strings.TrimSpace(s)
	if space, is := strings.CutPrefix(s, hash); is && ids.MatchString(space) || people.MatchString(s) {
		return s, nil
	}
	return "", errAddress
}

// Name implements channel.Channel.
func (*App) Name() string { return wire.ChannelGoogleChat }

// Limits of Google Chat, and of what is fetched from it.
const (
	maxText  = 4000     // characters of one message
	maxFile  = 20 << 20 // bytes of an attachment that is fetched
	maxFiles = 10
)

// Capabilities implements channel.Channel. No event allows anything: Google's signature passes the hub, and says nothing about what the
// event holds.
func (*App) Capabilities() channel.Capabilities {
	return channel.Capabilities{Buttons: true, Edits: true, MaxText: maxText, MaxFile: maxFile, MaxFiles: maxFiles}
}

// Run implements channel.Channel. What Google brings is handed on while the key is taken.
func (a *App) Run(ctx context.Context, inbox chan<- channel.Inbound) error {
	if err := a.ask(ctx); err != nil {
		return troubleOf(ctx, err)
	}
	if err := a.keys.begin(ctx); err != nil {
		return troubleOf(ctx, err)
	}
	a.env.Up("")
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { a.watch(ctx) })
	defer watching.Wait()
	defer stop()
	return a.door.Run(ctx, inbox)
}

// ask asks Google something that the key is needed for.
func (a *App) ask(ctx context.Context) error {
	return a.call(ctx, "GET", "/v1/spaces?pageSize=1", nil, nil)
}

// watchEvery is how often it is looked whether the key is still taken: nothing else says so while nobody writes.
var watchEvery = 10 * time.Minute

// watch ends Run when a person has to do something.
func (a *App) watch(ctx context.Context) {
	each := time.NewTicker(watchEvery)
	defer each.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-each.C:
		}
		a.fails(ctx, a.ask(ctx))
	}
}

// fails ends Run when an error says that a person has to do something.
func (a *App) fails(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	if known := troubleOf(ctx, err); known.Hard {
		a.door.Fail(known)
	}
}

// Check implements channel.Channel: it asks for the app's spaces, and for the keys by which Google signs.
func (a *App) Check(ctx context.Context) (reads, sends string) {
	said := func(err error) string {
		if err == nil {
			return ""
		}
		return troubleOf(ctx, err).Text
	}
	return said(a.keys.fetch(ctx)), said(a.ask(ctx))
}

// base is where something of Google's is, or what stands in for it.
func (a *App) base(usual string) string {
	if a.env.BaseURL != "" {
		return strings.TrimRight(a.env.BaseURL, "/")
	}
	return usual
}
