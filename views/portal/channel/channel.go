package channel

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Addresses of the section.
const (
	FormPath   = portal.Channels + "/email"  // a messenger has its own (PathOf)
	ChangePath = portal.Channels + "/change" // where acts on channels go
	TestPath   = portal.Channels + "/test"
)

// Channel is one channel, with the people on it and the acts as they are signed.
type Channel struct {
	Name, Address, Agent, AgentID, Policy, State, LastError, Approvals string

	People              []Person
	Next, Remove, Allow string // acts; Next pauses, or lets it go on
	Tested              *Tested
	Guests              *Guests // of one that is open to everybody, or was

	Connected, Hard                                  bool // Hard: a person has to do something before it works
	Since, ErrorAt, RetryAt                          time.Time
	Received, Refused, Sent, Failed, Unknown, Queued int
}

// Person is somebody on a channel, with the acts as they are signed.
type Person struct {
	Address, Name          string // Name is what they call themselves, which anybody can
	State, Code            string
	Owner                  bool
	Until, Since           time.Time
	Confirm, Block, Unlink string
}

// Signs is what a signature is bound to.
type Signs struct {
	Server string
	Config int64 // version of the settings
}

// Tested is what a test has found; empty texts: all works.
type Tested struct{ Reads, Sends, Sent, Why string }

// List is the page of the channels.
type List struct {
	Channels []Channel // by name
	Signs    Signs
}

// Choices are what every channel has.
type Choices struct {
	AgentID, Policy, Anyone, Approvals string
	Replies, Language                  string // for strangers: "direct" lets the agent answer by itself

	Hint i18n.Key // what can be done with requests there
	Team []ui.Option
}

// Server is where a mail server is, as it is typed.
type Server struct{ Host, Port, TLS string }

// Form is a mailbox as it is typed.
type Form struct {
	Choices
	Provider, Address, User, AuthServ string

	IMAP, SMTP Server
	New        bool // a password is needed
	Act        string
	Known      string // the providers, as JSON
	Signs      Signs
	Providers  []ui.Option
	Problem    string
}

// attrs make a form whose act is written by the script and signed before it is sent.
func (s Signs) attrs(act, providers string) templ.Attributes {
	return templ.Attributes{
		"data-change": "channel", "data-change-body": act, "data-server": s.Server, "data-version": strconv.FormatInt(s.Config, 10),
		"data-always": true, "data-channel": true, "data-open": "/app/credentials/open", "data-providers": providers,
	}
}

var policies = map[string]i18n.Key{
	"pairing": "channel.pairing", "allowlist": "channel.allowlist", "open": "channel.open", "disabled": "channel.disabled",
}

func policyOptions(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "pairing", Label: i18n.T(ctx, "channel.pairing"), Hint: i18n.T(ctx, "channel.pairing_hint")},
		{Value: "allowlist", Label: i18n.T(ctx, "channel.allowlist"), Hint: i18n.T(ctx, "channel.allowlist_hint")},
		{Value: "open", Label: i18n.T(ctx, "channel.open"), Hint: i18n.T(ctx, "channel.open_hint")},
		{Value: "disabled", Label: i18n.T(ctx, "channel.disabled")},
	}
}

// approvals say which requests for approval come by a channel.
var approvals = map[string]i18n.Key{"": "channel.approvals_off", "own": "channel.approvals_own", "all": "channel.approvals_all"}

func approvalOptions(ctx context.Context) []ui.Option {
	all := []ui.Option{}
	for _, which := range []string{"", "own", "all"} {
		all = append(all, ui.Option{Value: which, Label: i18n.T(ctx, approvals[which])})
	}
	return all
}

func tlsOptions(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "tls", Label: "TLS"}, {Value: "starttls", Label: "STARTTLS"}, {Value: "none", Label: i18n.T(ctx, "channel.plain")},
	}
}

func (c Channel) state(ctx context.Context) templ.Component {
	switch {
	case c.State == "paused":
		return ui.Status("warn", i18n.T(ctx, "channel.paused"))
	case c.Policy == "disabled":
		return ui.Status("off", i18n.T(ctx, "channel.disabled"))
	case c.Connected:
		return ui.Status("ok", i18n.T(ctx, "channel.connected"))
	}
	return ui.Status("bad", i18n.T(ctx, "channel.away"))
}

func (c Channel) facts(ctx context.Context) []ui.Pair {
	all := []ui.Pair{
		{Name: i18n.T(ctx, c.or("channel.account", "channel.address")), Value: c.Address},
		{Name: i18n.T(ctx, "channel.state"), View: c.state(ctx)},
		{Name: i18n.T(ctx, "channel.agent"), Value: c.Agent},
		{Name: i18n.T(ctx, "channel.policy"), Value: i18n.T(ctx, policies[c.Policy])},
		{Name: i18n.T(ctx, "channel.approvals"), Value: i18n.T(ctx, approvals[c.Approvals])},
		{
			Name:  i18n.T(ctx, "channel.came"),
			Value: i18n.T(ctx, "channel.came_value", "n", c.Received, "refused", c.Refused),
		},
		{
			Name:  i18n.T(ctx, "channel.went"),
			Value: c.went(ctx),
		},
	}
	if c.LastError != "" {
		all = append(all, ui.Pair{Name: i18n.T(ctx, "channel.error"), Value: i18n.Say(ctx, c.LastError)},
			ui.Pair{Name: i18n.T(ctx, "channel.error_at"), View: ui.At(c.ErrorAt)})
	}
	if !c.RetryAt.IsZero() && !c.Connected && c.State == "active" {
		all = append(all, ui.Pair{Name: i18n.T(ctx, "channel.retry_at"), View: ui.At(c.RetryAt)})
	}
	return all
}

// or is the first sentence for a messenger, and the other one for a mailbox.
func (c Channel) or(chat, mail i18n.Key) i18n.Key {
	if _, is := MessengerOf(c.Name); is {
		return chat
	}
	return mail
}

// missing are the channels that are not set up, by name.
func (l List) missing() (names []string) {
	there := map[string]bool{}
	for _, c := range l.Channels {
		there[c.Name] = true
	}
	all := []string{"email"}
	for _, m := range Messengers {
		all = append(all, m.Name)
	}
	for _, name := range all {
		if !there[name] {
			names = append(names, name)
		}
	}
	return names
}

func (c Channel) first() i18n.Key {
	if m, is := MessengerOf(c.Name); is {
		return m.First
	}
	return "channel.nobody"
}

func (c Channel) addressLabel() i18n.Key {
	if m, is := MessengerOf(c.Name); is {
		return m.Person
	}
	return "channel.allow_address"
}

func (c Channel) addressHint() i18n.Key {
	m, _ := MessengerOf(c.Name)
	return m.PersonHint
}

// hasOwner says whether the owner is known on a channel.
func (c Channel) hasOwner() bool {
	for _, p := range c.People {
		if p.Owner && p.State == "paired" {
			return true
		}
	}
	return false
}

// went is how many messages were sent, and what else became of some.
func (c Channel) went(ctx context.Context) string {
	parts := []string{strconv.Itoa(c.Sent)}
	for _, part := range []struct {
		key i18n.Key
		n   int
	}{{"channel.went_waiting", c.Queued}, {"channel.went_failed", c.Failed}, {"channel.went_unknown", c.Unknown}} {
		if part.n > 0 {
			parts = append(parts, i18n.T(ctx, part.key, "n", part.n))
		}
	}
	return strings.Join(parts, ", ")
}

var people = map[string]i18n.Key{"waiting": "channel.waiting", "paired": "channel.paired", "blocked": "channel.blocked"}

// who is a person as one reads it: by what cannot be chosen first.
func (p Person) who() string {
	if p.Name == "" {
		return p.Address
	}
	return p.Address + " (" + p.Name + ")"
}

func (p Person) state(ctx context.Context) templ.Component {
	text := i18n.T(ctx, people[p.State])
	if p.Owner {
		text = i18n.T(ctx, "channel.owner")
	}
	return ui.Status(map[string]string{"waiting": "warn", "paired": "ok", "blocked": "off"}[p.State], text)
}

var outcomes = map[string]i18n.Key{
	"sent": "channel.test_sent", "failed": "channel.test_failed", "denied": "channel.test_failed", "unknown": "channel.test_unknown",
	"waiting": "channel.test_waiting",
}

// said is a test in words, and whether all is well.
func (t Tested) said(ctx context.Context, c Channel) (kind string, lines []string) {
	kind = "ok"
	add := func(key i18n.Key, wrong string) {
		if wrong != "" {
			kind = "bad"
			lines = append(lines, i18n.T(ctx, key, "why", i18n.Say(ctx, wrong)))
		}
	}
	add("channel.test_reads", t.Reads)
	add("channel.test_sends", t.Sends)
	if kind == "ok" {
		lines = append(lines, i18n.T(ctx, "channel.test_works"))
	}
	if key, there := outcomes[t.Sent]; there {
		if t.Sent == "sent" {
			key = c.or("channel.test_sent_chat", key)
		}
		lines = append(lines, strings.TrimSpace(i18n.T(ctx, key, "name", TitleOf(ctx, c.Name))+" "+i18n.Say(ctx, t.Why)))
		if t.Sent != "sent" && t.Sent != "waiting" {
			kind = "bad"
		}
	}
	return kind, lines
}
