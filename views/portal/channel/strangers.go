package channel

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// StrangersPath is the list of those who wrote to a channel that is open to everybody.
const StrangersPath = portal.Channels + "/people"

// Stranger is somebody who wrote to a channel that is open to everybody, with the acts as they are signed.
type Stranger struct {
	ID, Address, Name, State, Session string

	Told                             bool // that a machine writes
	Messages                         int
	First, Last, Since               time.Time
	Take, Back, Block, Erase, Answer string // acts
}

// Strangers is a page of them.
type Strangers struct {
	Channel, State, Next string
	Items                []Stranger
	Waiting              int // conversations that a person has
	Signs                Signs
	Here                 string // the address of this page, to which an act leads back
}

// Guests is how a channel that is open to everybody deals with those who write, and how many did.
type Guests struct {
	Replies                      bool
	Talking, Person, Out, Erased int
	LastErased                   time.Time
	PerHour, PerDay              int   // messages of one
	Tokens, AllTokens            int64 // of one and of all within a day
}

// PathOfStrangers is the address of the list of a channel, of those in a state, from a place on.
func PathOfStrangers(channel, state, after string) string {
	q := url.Values{"channel": {channel}}
	if state != "" {
		q.Set("state", state)
	}
	if after != "" {
		q.Set("after", after)
	}
	return StrangersPath + "?" + q.Encode()
}

var strangerStates = []string{"", "person", "talking", "out", "blocked"}

var strangerLabels = map[string]i18n.Key{
	"": "channel.strangers_all", "person": "channel.stranger_person", "talking": "channel.stranger_talking", "out": "channel.stranger_out",
	"blocked": "channel.blocked", "erasing": "channel.stranger_erasing",
}

func (s Strangers) tabs(ctx context.Context) (all []ui.Tab) {
	for _, state := range strangerStates {
		all = append(all, ui.Tab{
			Label: i18n.T(ctx, strangerLabels[state]), Href: PathOfStrangers(s.Channel, state, ""), Current: state == s.State,
		})
	}
	return all
}

func (s Strangers) next() string {
	if s.Next == "" {
		return ""
	}
	return PathOfStrangers(s.Channel, s.State, s.Next)
}

// who is a stranger as one reads them: by what cannot be chosen first.
func (s Stranger) who() string { return Person{Address: s.Address, Name: s.Name}.who() }

func (s Stranger) state(ctx context.Context) templ.Component {
	kind := map[string]string{"talking": "ok", "person": "warn", "out": "off", "blocked": "off", "erasing": "busy"}[s.State]
	return ui.Status(kind, i18n.T(ctx, strangerLabels[s.State]))
}

// facts are what the page of a channel says of those who write to it.
func (g Guests) facts(ctx context.Context, c Channel) []ui.Pair {
	answers := i18n.Key("channel.strangers_asked")
	if g.Replies {
		answers = "channel.strangers_replies"
	}
	all := []ui.Pair{
		{Name: i18n.T(ctx, "channel.strangers_answers"), Value: i18n.T(ctx, answers, "agent", c.Agent)},
		{Name: i18n.T(ctx, "channel.strangers_may"), Value: i18n.T(ctx, "channel.strangers_may_value")},
		{
			Name:  i18n.T(ctx, "channel.strangers_limits"),
			Value: i18n.T(ctx, "channel.strangers_limits_value", "hour", g.PerHour, "day", g.PerDay, "tokens", g.Tokens, "all", g.AllTokens),
		},
		{
			Name:  i18n.T(ctx, "channel.strangers_wrote"),
			Value: i18n.T(ctx, "channel.strangers_wrote_value", "talking", g.Talking, "person", g.Person, "out", g.Out),
		},
	}
	if g.Erased > 0 {
		all = append(all, ui.Pair{Name: i18n.T(ctx, "channel.strangers_erased"), View: erased(g)})
	}
	return all
}

func replyOptions(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "", Label: i18n.T(ctx, "channel.replies_asked"), Hint: i18n.T(ctx, "channel.replies_asked_hint")},
		{Value: "direct", Label: i18n.T(ctx, "channel.replies_direct"), Hint: i18n.T(ctx, "channel.replies_direct_hint")},
	}
}

func languageOptions() []ui.Option {
	return []ui.Option{{Value: "", Label: "English"}, {Value: "de", Label: "Deutsch"}}
}
