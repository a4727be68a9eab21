package slack

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// App is the channel of one app in one workspace.
type App struct {
	set   wire.ChatSettings
	env   channel.Env
	quiet channel.Quiet // in which Slack takes no messages

	mu    sync.Mutex
	chats map[string]string // the private channel of a person
	names map[string]string // what people call themselves
}

// Kind is that of apps.
func Kind() channel.Kind {
	return channel.Kind{
		Address: Address, Make: newApp, Secrets: []string{botToken}, MaySecrets: []string{appToken, signingSecret},
	}
}

// newApp makes an app that asks for its messages, or one to which they are brought.
func newApp(s channel.Settings, e channel.Env) (channel.Channel, error) {
	app := &App{set: s.Chat, env: e, chats: map[string]string{}, names: map[string]string{}}
	switch {
	case !appID.MatchString(s.Chat.Account):
	case s.Chat.Way == wire.ChatPoll:
		return app, nil
	case s.Chat.Way == wire.ChatHook:
		return &hooked{App: app, door: channel.NewDoor()}, nil
	}
	return nil, errAccount
}

var errAccount = &wire.RPCError{
	Code: "bad_request", Text: "This is no token of an app at Slack, which begins with xapp, and no id of one. Nothing was saved.",
}

// The ids that Slack gives.
var (
	appID   = regexp.MustCompile(`^A[A-Z0-9]{2,30}$`)
	userID  = regexp.MustCompile(`^[UW][A-Z0-9]{2,30}$`)
	fileID  = regexp.MustCompile(`^F[A-Z0-9]{2,30}$`)
	chatID  = regexp.MustCompile(`^[CDG][A-Z0-9]{2,30}$`)
	groupID = regexp.MustCompile(`^-[CG][A-Z0-9]{2,30}$`)
	stamp   = regexp.MustCompile(`^[0-9]{1,12}\.[0-9]{6}$`) // names a message in its channel
)

var errAddress = errors.New("not the id of an account")

// groupMark stands before the id of a channel in a group, which is nobody's account.
const groupMark = "-"

// Address gives the id of a person's account, or that of a channel in a group.
func Address(s string) (string, error) {
	s = strings.TrimSpace(s)
	if !userID.MatchString(s) && !groupID.MatchString(s) {
		return "", errAddress
	}
	return s, nil
}

// Name implements channel.Channel.
func (*App) Name() string { return wire.ChannelSlack }

// Limits of Slack, or of what is taken from it.
const (
	maxText  = 3500     // characters of one message; Slack advises to stay below 4000
	maxFile  = 20 << 20 // bytes of a file that is fetched
	maxFiles = 10
	maxSent  = 100 << 20 // bytes of the files of one answer; Slack takes a gigabyte of each
)

// Capabilities implements channel.Channel.
func (*App) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Buttons: true, Edits: true, Allows: true, MaxText: maxText, MaxFile: maxFile, MaxFiles: maxFiles, SendBytes: maxSent,
		SendFiles: maxFiles,
	}
}

// Check implements channel.Channel: it asks who the app is, and where its messages come.
func (a *App) Check(ctx context.Context) (reads, sends string) {
	said := func(err error) string {
		if err == nil {
			return ""
		}
		return troubleOf(ctx, err).Text
	}
	api, err := a.open(ctx)
	if err == nil {
		_, err = api.me(ctx)
	}
	if err != nil || a.set.Way == wire.ChatHook {
		return said(err), said(err)
	}
	_, err = api.socket(ctx)
	return said(err), ""
}

// chatWith is the channel of an address: of a person, that of the private chat with them.
func (a *App) chatWith(ctx context.Context, api *client, to string) (string, error) {
	if id, group := strings.CutPrefix(to, groupMark); group {
		return id, nil
	}
	a.mu.Lock()
	id := a.chats[to]
	a.mu.Unlock()
	if id != "" {
		return id, nil
	}
	var got struct {
		Channel struct {
			ID string `json:"id"`
		} `json:"channel"`
	}
	if err := api.call(ctx, "conversations.open", url.Values{"users": {to}}, &got); err != nil {
		return "", err
	}
	if !chatID.MatchString(got.Channel.ID) {
		return "", errEnded
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.chats[to] = got.Channel.ID
	return got.Channel.ID, nil
}

// maxNames is how many names are kept, and nameWithin how long a message waits for one.
const (
	maxNames   = 1000
	nameWithin = 3 * time.Second
)

// nameOf is what a person calls themselves; empty where Slack does not say it.
func (a *App) nameOf(ctx context.Context, api *client, id string) string {
	a.mu.Lock()
	name, known := a.names[id]
	a.mu.Unlock()
	if known {
		return name
	}
	ctx, cancel := context.WithTimeout(ctx, nameWithin)
	defer cancel()
	var got struct {
		User struct {
			Real    string `json:"real_name"`
			Profile struct {
				Shown string `json:"display_name"`
			} `json:"profile"`
		} `json:"user"`
	}
	if api.call(ctx, "users.info", url.Values{"user": {id}}, &got) != nil {
		return ""
	}
	name = strings.TrimSpace(got.User.Real)
	if shown := got.User.Profile.Shown; shown != "" && shown != name {
		name = strings.TrimSpace(name + " @" + shown)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.names) < maxNames {
		a.names[id] = name
	}
	return name
}
