package admin

import (
	"context"
	"net/url"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// SettingsPath is the page of the settings.
const SettingsPath = "/admin/settings"

// SettingPath takes a change of a setting.
func SettingPath(key string) string { return SettingsPath + "/" + key }

// SettingsOf is the page with the settings of one category.
func SettingsOf(category string) string {
	return SettingsPath + "?" + url.Values{"of": {category}}.Encode()
}

// Settings are all that fit what is looked for, by category.
type Settings struct {
	Search     string
	Of         string   // the category that is shown alone; empty: all
	Categories []string // all that there are
	Groups     []SettingGroup
}

func (s Settings) tabs(ctx context.Context) []ui.Tab {
	tabs := []ui.Tab{{Label: i18n.T(ctx, "console.settings.all"), Href: SettingsPath, Current: s.Of == ""}}
	for _, c := range s.Categories {
		tabs = append(tabs, ui.Tab{Label: categoryWord(ctx, c), Href: SettingsOf(c), Current: s.Of == c})
	}
	return tabs
}

// SettingGroup is a category.
type SettingGroup struct {
	Name     string // orders, mail
	Settings []Setting
}

// Setting is one, with what was typed and what is wrong with it.
type Setting struct {
	Key      string
	Kind     string // number, switch, choice, text, secret
	Unit     string // number: seconds
	Min, Max int    // number
	Choices  []string
	Lines    int    // text
	Value    string // in force; of a secret: empty
	Usual    string // as it comes
	Env      string // the variable that says how it comes; empty: none does
	Set      bool   // it is not empty
	Empty    bool   // text: it may be empty
	Changed  bool
	Fresh    bool    // asks for a fresh sign-in
	Typed    *string // what was sent and does not fit
	Reason   string  // as typed
	Problems map[string]string
	History  []SettingChange
}

// SettingChange is one change of it.
type SettingChange struct {
	From, To, By, Reason string
	Reset                bool // it is as it comes since then
	At                   time.Time
}

// SettingLabel is what a setting is called, and SettingHelp what it does.
func SettingLabel(ctx context.Context, key string) string {
	return i18n.T(ctx, settingWord(key, "label"))
}

// SettingHelp says what a setting does.
func SettingHelp(ctx context.Context, key string) string {
	return i18n.T(ctx, settingWord(key, "help"))
}

func settingWord(key, what string) i18n.Key {
	return i18n.Key("console.setting." + strings.ReplaceAll(key, ".", "_") + "." + what)
}

func categoryWord(ctx context.Context, category string) string {
	return i18n.T(ctx, i18n.Key("console.settings.of_"+category))
}

// shown is a value in words.
func (v Setting) shown(ctx context.Context, value string) string {
	switch {
	case value == "":
		return i18n.T(ctx, "console.settings.empty")
	case v.Kind == "number":
		return i18n.T(ctx, i18n.Key("console.settings.amount_"+v.Unit), "n", value)
	case v.Kind == "switch":
		return i18n.T(ctx, i18n.Key("console.settings."+value))
	case v.Kind == "secret" && value == "(set)":
		return i18n.T(ctx, "console.settings.set")
	case v.Kind == "secret":
		return i18n.T(ctx, "console.settings.unset")
	}
	return value
}

// facts are what a setting is now, how it comes, and what it may be.
func (v Setting) facts(ctx context.Context) []ui.Pair {
	now, usual := v.shown(ctx, v.Value), v.shown(ctx, v.Usual)
	if v.Kind == "secret" {
		now, usual = i18n.T(ctx, "console.settings.unset"), i18n.T(ctx, "console.settings.unset")
		if v.Set {
			now = i18n.T(ctx, "console.settings.set")
		}
	}
	switch {
	case v.Env != "" && v.Kind == "secret":
		usual = i18n.T(ctx, "console.settings.env_secret", "name", v.Env)
	case v.Env != "":
		usual = i18n.T(ctx, "console.settings.usual_env", "value", usual, "name", v.Env)
	}
	facts := []ui.Pair{
		{Name: i18n.T(ctx, "console.settings.now"), Value: now}, {Name: i18n.T(ctx, "console.settings.usual"), Value: usual},
	}
	if v.Kind == "number" {
		facts = append(facts, ui.Pair{
			Name: i18n.T(ctx, "console.settings.bounds_label"), Value: i18n.T(ctx, "console.settings.bounds", "min", v.Min, "max", v.Max),
		})
	}
	return facts
}

// field is where another value is typed or chosen.
func (v Setting) field(ctx context.Context) ui.Field {
	f := ui.Field{
		Name: SettingField(v.Key, "value"), Label: i18n.T(ctx, "console.settings.value"), Value: v.Value, Error: v.Problems["value"],
		Required: !v.Empty, MaxLength: 500,
	}
	if v.Typed != nil && v.Kind != "secret" {
		f.Value = *v.Typed
	}
	switch v.Kind {
	case "number":
		f.InputMode, f.MaxLength = "numeric", 7
		f.Label = i18n.T(ctx, "console.settings.value_in", "unit", i18n.T(ctx, i18n.Key("console.settings.unit_"+v.Unit)))
	case "switch":
		f.Kind = "select"
		for _, o := range []string{"on", "off"} {
			f.Options = append(f.Options, ui.Option{Value: o, Label: v.shown(ctx, o)})
		}
	case "choice":
		f.Kind = "select"
		for _, o := range v.Choices {
			f.Options = append(f.Options, ui.Option{Value: o, Label: o})
		}
	case "secret":
		f.Kind, f.Value, f.Autocomplete, f.Hint = "password", "", "off", i18n.T(ctx, "console.settings.secret_hint")
	case "text":
		if v.Lines > 1 {
			f.Kind, f.Rows = "textarea", v.Lines
		}
	}
	return f
}

// told is a change in words.
func (v Setting) told(ctx context.Context, c SettingChange) string {
	word := i18n.Key("console.settings.was_set")
	if c.Reset {
		word = "console.settings.was_reset"
	}
	return i18n.T(ctx, word, "from", v.shown(ctx, c.From), "to", v.shown(ctx, c.To), "by", c.By)
}
