package whatsapp

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

// Phone is the channel of one number of the business.
type Phone struct {
	set   wire.ChatSettings
	env   channel.Env
	door  *channel.Door
	quiet channel.Quiet // in which WhatsApp takes no messages

	mu   sync.Mutex
	seen map[string]mark // the newest message of a person
}

// The secrets of a number, as they stand in its password.
const (
	accessToken = "access_token"
	appSecret   = "app_secret"
	verifyToken = "verify_token"
)

// Kind is that of numbers.
func Kind() channel.Kind {
	return channel.Kind{
		Address: Address, Secrets: []string{accessToken, appSecret, verifyToken},
		Make: func(s channel.Settings, e channel.Env) (channel.Channel, error) {
			switch {
			case !isNumber(s.Chat.Account) || s.Chat.Way != wire.ChatHook:
				return nil, errAccount
			case s.Chat.Template != "" && (!templates.MatchString(s.Chat.Template) || !languages.MatchString(s.Chat.Language)):
				return nil, errTemplate
			}
			return &Phone{set: s.Chat, env: e, door: channel.NewDoor(), seen: map[string]mark{}}, nil
		},
	}
}

var (
	errAccount = &wire.RPCError{
		Code: "bad_request",
		Text: "This is no Phone number ID of WhatsApp: it is a long number, and not the phone number. Nothing was saved.",
	}
	errTemplate = &wire.RPCError{
		Code: "bad_request", Text: "This is no name of a template, or its language is missing, such as en_US. Nothing was saved.",
	}
	errAddress = errors.New("not a phone number")
)

var (
	number    = regexp.MustCompile(`^[1-9][0-9]{6,19}$`)
	phone     = regexp.MustCompile(`^[1-9][0-9]{6,14}$`)
	templates = regexp.MustCompile(`^[a-z0-9_]{1,512}$`)
	languages = regexp.MustCompile(`^[a-z]{2,3}(?:_[A-Z]{2,3})?$`)
)

// isNumber says whether this is a number as Meta gives them to what it has.
func isNumber(s string) bool { return number.MatchString(s) }

// Address gives a phone number: its digits, with the code of the country and without a plus.
func Address(s string) (string, error) {
	s = strings.TrimPrefix(strings.NewReplacer(" ", "", "-", "", "(", "", ")", "", "\u00a0", "").Replace(s), "+")
	if !phone.MatchString(s) {
		return "", errAddress
	}
	return s, nil
}

// Name implements channel.Channel.
func (*Phone) Name() string { return wire.ChannelWhatsApp }

// Limits of WhatsApp, and of what is fetched from it.
const (
	maxText    = 4096     // characters of one message
	maxPressed = 1024     // characters of one with buttons
	maxButtons = 3        // beneath one message
	maxLabel   = 20       // characters of a button
	maxFile    = 20 << 20 // bytes of a file that is fetched
	window     = 24*time.Hour - 5*time.Minute
)

// Capabilities implements channel.Channel.
func (*Phone) Capabilities() channel.Capabilities {
	return channel.Capabilities{Buttons: true, Allows: true, MaxText: maxText, MaxFile: maxFile, MaxFiles: 1}
}

// Run implements channel.Channel. What Meta brings is handed on while the token is taken.
func (p *Phone) Run(ctx context.Context, inbox chan<- channel.Inbound) error {
	api, err := p.open(ctx)
	if err != nil {
		return troubleOf(ctx, err)
	}
	me, err := api.me(ctx)
	if err != nil {
		return troubleOf(ctx, err)
	}
	p.env.Up(strings.TrimSpace(me.Name + " " + me.Phone))
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { p.watch(ctx) })
	defer watching.Wait()
	defer stop()
	return p.door.Run(ctx, inbox)
}

// watchEvery is how often it is looked whether the token is still taken: nothing else says so while nobody writes.
var watchEvery = 10 * time.Minute

// watch ends Run when a person has to do something.
func (p *Phone) watch(ctx context.Context) {
	each := time.NewTicker(watchEvery)
	defer each.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-each.C:
		}
		api, err := p.open(ctx)
		if err == nil {
			_, err = api.me(ctx)
		}
		p.fails(ctx, err)
	}
}

// fails ends Run when an error says that a person has to do something.
func (p *Phone) fails(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	if known := troubleOf(ctx, err); known.Hard {
		p.door.Fail(known)
	}
}

// Check implements channel.Channel: it asks what the number is called, which needs the token and the secret of the app.
func (p *Phone) Check(ctx context.Context) (reads, sends string) {
	api, err := p.open(ctx)
	if err == nil {
		_, err = api.me(ctx)
	}
	if err != nil {
		said := troubleOf(ctx, err).Text
		return said, said
	}
	return "", ""
}
