package channel

import (
	"cmp"
	"context"
	"strconv"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Messenger is all that is different about setting up one messenger. The next one needs no page of its own, but a line in Messengers and
// its sentences.
type Messenger struct {
	Name    string // of the channel
	Title   string // its own name, which is the same in every language
	Lead    i18n.Key
	Steps   []Step
	Fields  []Field
	Secrets []Secret
	// Paste is a text that a step needs, and PasteLabel says what it is; empty: none does.
	Paste      string
	PasteLabel i18n.Key
	Groups     bool // it has groups in which the team can be asked
	Person     i18n.Key
	// PersonHint says where to find what names a person.
	PersonHint i18n.Key
	// First says what the owner does to be known there.
	First i18n.Key
}

// Step is something to do at the messenger.
type Step struct {
	Title, Body i18n.Key
}

// Field is what names the account at the messenger and is no secret. It is signed as the field of wire.ChatSettings of this name.
type Field struct {
	Name        string
	Label, Hint i18n.Key
	Optional    bool
}

// Secret is what the messenger gives out for programs. It leaves the page sealed; of several each is one field of an object.
type Secret struct {
	Name        string
	Label, Hint i18n.Key
	// Account is a regular expression whose group is the part of the secret that names the account, which is signed. Empty: it has none.
	Account string
	Max     int // characters; 0: 500
}

// most is how many characters of a secret can be typed.
func (s Secret) most() string { return strconv.Itoa(cmp.Or(s.Max, 500)) }

// Messengers are those that can be set up, in the order in which they are offered.
var Messengers = []Messenger{{
	Name: "telegram", Title: "Telegram", Lead: "channel.telegram_lead", Groups: true,
	Steps: []Step{
		{"channel.telegram_step_open", "channel.telegram_step_open_how"},
		{"channel.telegram_step_new", "channel.telegram_step_new_how"},
		{"channel.telegram_step_token", "channel.telegram_step_token_how"},
	},
	Secrets: []Secret{{
		Name: "token", Label: "channel.telegram_token", Hint: "channel.telegram_token_hint", Account: `^([0-9]+):[A-Za-z0-9_-]+$`,
	}},
	Person: "channel.telegram_person", PersonHint: "channel.telegram_person_hint", First: "channel.telegram_first",
}, {
	Name: "discord", Title: "Discord", Lead: "channel.discord_lead", Groups: true,
	Steps: []Step{
		{"channel.discord_step_app", "channel.discord_step_app_how"},
		{"channel.discord_step_bot", "channel.discord_step_bot_how"},
		{"channel.discord_step_intent", "channel.discord_step_intent_how"},
		{"channel.discord_step_token", "channel.discord_step_token_how"},
		{"channel.discord_step_invite", "channel.discord_step_invite_how"},
	},
	Secrets: []Secret{{
		Name: "token", Label: "channel.discord_token", Hint: "channel.discord_token_hint",
		Account: `^([A-Za-z0-9]+)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`,
	}},
	Person: "channel.discord_person", PersonHint: "channel.discord_person_hint", First: "channel.discord_first",
}, {
	Name: "slack", Title: "Slack", Lead: "channel.slack_lead", Groups: true,
	Steps: []Step{
		{"channel.slack_step_app", "channel.slack_step_app_how"},
		{"channel.slack_step_install", "channel.slack_step_install_how"},
		{"channel.slack_step_token", "channel.slack_step_token_how"},
		{"channel.slack_step_write", "channel.slack_step_write_how"},
	},
	Paste: slackManifest, PasteLabel: "channel.slack_paste",
	Secrets: []Secret{
		{Name: "bot_token", Label: "channel.slack_bot", Hint: "channel.slack_bot_hint"},
		{Name: "app_token", Label: "channel.slack_app", Hint: "channel.slack_app_hint", Account: `^xapp-[0-9]+-(A[A-Z0-9]+)-[0-9]+-[A-Za-z0-9]+$`},
	},
	Person: "channel.slack_person", PersonHint: "channel.slack_person_hint", First: "channel.slack_first",
}, {
	Name: "signal", Title: "Signal", Lead: "channel.signal_lead", Groups: true,
	Steps: []Step{
		{"channel.signal_step_number", "channel.signal_step_number_how"},
		{"channel.signal_step_install", "channel.signal_step_install_how"},
		{"channel.signal_step_link", "channel.signal_step_link_how"},
		{"channel.signal_step_run", "channel.signal_step_run_how"},
	},
	Paste: "signal-cli daemon --http 127.0.0.1:7583 --receive-mode on-connection", PasteLabel: "channel.signal_paste",
	Fields: []Field{{Name: "account", Label: "channel.signal_account", Hint: "channel.signal_account_hint"}},
	Person: "channel.signal_person", PersonHint: "channel.signal_person_hint", First: "channel.signal_first",
}}

// MessengerOf finds a messenger by the name of its channel.
func MessengerOf(name string) (Messenger, bool) {
	for _, m := range Messengers {
		if m.Name == name {
			return m, true
		}
	}
	return Messenger{}, false
}

// PathOf is where a channel is set up.
func PathOf(name string) string { return portal.Channels + "/" + name }

// TitleOf is how a channel is called.
func TitleOf(ctx context.Context, name string) string {
	if m, is := MessengerOf(name); is {
		return m.Title
	}
	return i18n.T(ctx, "channel.email")
}

func (m Messenger) steps(ctx context.Context) (all []ui.Step) {
	for _, s := range m.Steps {
		all = append(all, ui.Step{Title: i18n.T(ctx, s.Title), Body: i18n.T(ctx, s.Body)})
	}
	return all
}

// Chat is a messenger as it is typed.
type Chat struct {
	Choices
	Messenger Messenger
	Groups    string
	Typed     map[string]string // by the names of Messenger.Fields
	New       bool              // a token is needed
	Act       string
	Signs     Signs
	Problem   string
}

func groupOptions(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "", Label: i18n.T(ctx, "channel.groups_off")},
		{Value: "mention", Label: i18n.T(ctx, "channel.groups_mention"), Hint: i18n.T(ctx, "channel.groups_mention_hint")},
	}
}
