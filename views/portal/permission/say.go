package permission

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// says is the rule as a sentence without what becomes of it: "When the secretary wants to send e-mail to addresses at
// example.com".
func (r RuleProps) says(ctx context.Context) string {
	clauses := []string{i18n.T(ctx, "rule.say.when", "who", r.who(ctx), "what", r.what(ctx))}
	for _, t := range r.Tests {
		clauses = append(clauses, t.says(ctx))
	}
	if r.Only {
		clauses = append(clauses, i18n.T(ctx, "rule.say.only"))
	}
	if len(r.Tiers) > 0 {
		words := make([]string, 0, len(r.Tiers))
		for _, t := range r.Tiers {
			words = append(words, ui.TierWord(ctx, t))
		}
		clauses = append(clauses, i18n.T(ctx, "rule.say.tier", "tiers", strings.Join(words, ", ")))
	}
	if len(r.Origins) > 0 {
		any := originWord(ctx, r.Origins[0])
		for _, o := range r.Origins[1:] {
			any = i18n.T(ctx, "rule.say.either", "one", any, "other", originWord(ctx, o))
		}
		clauses = append(clauses, any)
	}
	if r.Tainted {
		clauses = append(clauses, i18n.T(ctx, "rule.say.tainted"))
	}
	if r.Channel != "" {
		clauses = append(clauses, i18n.T(ctx, "rule.say.channel", "name", r.Channel))
	}
	return strings.Join(clauses, ", ")
}

// within is when and how often.
func (r RuleProps) within(ctx context.Context, zone string) string {
	var all []string
	l := r.Limits
	if days := l.days(ctx); days != "" {
		all = append(all, days)
	}
	if l.From+l.To != "" && (l.From != "00:00" || l.To != "24:00") {
		all = append(all, i18n.T(ctx, "rule.say.hours", "from", l.From, "to", l.To))
	}
	if l.Zone != "" && l.Zone != zone {
		all = append(all, i18n.T(ctx, "rule.say.zone", "zone", l.Zone))
	}
	if l.Calls != "" {
		all = append(all, i18n.T(ctx, "rule.say.rate", "n", number(l.Calls), "time", spanWord(ctx, l.Per)))
	}
	if l.Cooldown.N != "" {
		all = append(all, i18n.T(ctx, "rule.say.cooldown", "time", spanWord(ctx, l.Cooldown)))
	}
	if l.Recipients != "" {
		all = append(all, i18n.T(ctx, "rule.say.recipients", "n", number(l.Recipients)))
	}
	if l.Bytes.N != "" {
		all = append(all, i18n.T(ctx, "rule.say.bytes", "size", l.Bytes.N+" "+l.Bytes.Unit))
	}
	if l.MoneyText != "" {
		all = append(all, i18n.T(ctx, "rule.say.money", "sum", l.MoneyText))
	}
	return strings.Join(all, ", ")
}

// number lets a text choose its plural; what is none counts as many.
func number(text string) int {
	n, _ := strconv.Atoi(text) // a fault beside the rule says it
	return n
}

func (r RuleProps) who(ctx context.Context) string {
	switch {
	case r.Agent == "" || r.Agent == "*":
		return i18n.T(ctx, "rule.say.anyone")
	case strings.Contains(r.Agent, "*"):
		return i18n.T(ctx, "rule.say.agents_like", "pattern", r.Agent)
	}
	return i18n.T(ctx, "rule.say.agent", "name", r.AgentName)
}

func (r RuleProps) what(ctx context.Context) string {
	what := ui.ToolDoes(ctx, r.Tool)
	if r.Action == "" || r.Action == "*" {
		return what
	}
	return i18n.T(ctx, "rule.say.action", "what", what, "action", r.Action)
}

var argWords = map[string]i18n.Key{
	"to": "rule.arg.to", "path": "rule.arg.path", "url": "rule.arg.url", "command": "rule.arg.command",
	"query": "rule.arg.query", "method": "rule.arg.method", "tool": "rule.arg.tool", "subject": "rule.arg.subject",
	"text": "rule.arg.text", "content": "rule.arg.content", "target": "rule.arg.target",
}

// knownArgs are the parts of a call that can be chosen, in the order in which they are offered.
var knownArgs = []string{"to", "subject", "text", "path", "content", "url", "method", "tool", "command", "query", "target"}

// argWord is what a person calls a part of a call: "the recipient".
func argWord(ctx context.Context, arg string) string {
	if key, ok := argWords[arg]; ok {
		return i18n.T(ctx, key)
	}
	return arg
}

// says is the condition as part of a sentence.
func (t TestProps) says(ctx context.Context) string {
	value := strings.ReplaceAll(t.Value, "\n", " / ")
	switch {
	case t.Arg == "to" && t.How == Domain:
		return i18n.T(ctx, "rule.say.to_domain", "value", value)
	case t.Arg == "to" && t.How == "equals":
		return i18n.T(ctx, "rule.say.to", "value", value)
	case t.Arg == "path" && t.How == "under":
		return i18n.T(ctx, "rule.say.in_folder", "value", value)
	}
	key, ok := testSays[t.How]
	if !ok {
		key = "rule.say.is"
	}
	return i18n.T(ctx, key, "what", argWord(ctx, t.Arg), "value", value)
}

var testSays = map[string]i18n.Key{
	"equals": "rule.say.is", "one_of": "rule.say.one_of", "prefix": "rule.say.prefix", "suffix": "rule.say.suffix",
	"glob": "rule.say.glob", "under": "rule.say.under", "max": "rule.say.max", Domain: "rule.say.domain",
}

var originWords = map[string]i18n.Key{
	"portal": "rule.origin.portal", "api": "rule.origin.api", "channel": "rule.origin.channel",
	"schedule": "rule.origin.schedule", "webhook": "rule.origin.webhook",
}

func originWord(ctx context.Context, origin string) string {
	if key, ok := originWords[origin]; ok {
		return i18n.T(ctx, key)
	}
	return origin
}

var effects = map[string]i18n.Key{"allow": "rule.effect.allow", "ask": "rule.effect.ask", "deny": "rule.effect.deny"}

// effectSays is what becomes of what a rule is about.
func effectSays(ctx context.Context, effect string) string {
	if key, ok := effects[effect]; ok {
		return i18n.T(ctx, key)
	}
	return effect
}

var (
	weekDays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
	dayWords = map[string]i18n.Key{
		"mon": "rule.day.mon", "tue": "rule.day.tue", "wed": "rule.day.wed", "thu": "rule.day.thu",
		"fri": "rule.day.fri", "sat": "rule.day.sat", "sun": "rule.day.sun",
	}
)

// days are the days of the hours in words.
func (l LimitsProps) days(ctx context.Context) string {
	set := slices.DeleteFunc(slices.Clone(weekDays), func(d string) bool { return !slices.Contains(l.Days, d) })
	switch {
	case len(set) == 0 || len(set) == len(weekDays):
		return ""
	case slices.Equal(set, weekDays[:5]):
		return i18n.T(ctx, "rule.say.weekdays")
	case slices.Equal(set, weekDays[5:]):
		return i18n.T(ctx, "rule.say.weekends")
	}
	names := make([]string, 0, len(set))
	for _, d := range set {
		names = append(names, i18n.T(ctx, dayWords[d]))
	}
	return i18n.T(ctx, "rule.say.days", "days", strings.Join(names, ", "))
}

var (
	spans = map[string]i18n.Key{
		"second": "rule.span.second", "minute": "rule.span.minute", "hour": "rule.span.hour",
		"day": "rule.span.day", "week": "rule.span.week",
	}
	units = map[string]i18n.Key{
		"second": "rule.unit.second", "minute": "rule.unit.minute", "hour": "rule.unit.hour",
		"day": "rule.unit.day", "week": "rule.unit.week",
		"byte": "rule.unit.byte", "kB": "rule.unit.kb", "MB": "rule.unit.mb", "GB": "rule.unit.gb",
	}
)

// spanWord is a length of time in words.
func spanWord(ctx context.Context, a AmountProps) string {
	key, ok := spans[a.Unit]
	if n, err := strconv.Atoi(a.N); ok && err == nil {
		return i18n.T(ctx, key, "n", n)
	}
	return strings.TrimSpace(a.N + " " + a.Unit)
}
