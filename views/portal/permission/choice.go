package permission

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// What a rule can choose of each, in the order in which it is offered.
var (
	ruleTiers   = []string{"green", "yellow", "yellow_external", "red", "critical_red"}
	ruleOrigins = []string{"portal", "api", "channel", "schedule", "webhook"}
	ruleEffects = []string{"allow", "ask", "deny"}
	spanUnits   = []string{"second", "minute", "hour", "day", "week"}
	sizeUnits   = []string{"byte", "kB", "MB", "GB"}
	ruleHows    = []string{"equals", Domain, "one_of", "prefix", "suffix", "under", "glob", "max"}
)

// act is what a button does to rule n.
func act(what string, n int) string { return what + ":" + strconv.Itoa(n) }

// chosen is a value as a choice among others: a pattern is typed beside them.
func chosen(value string) string {
	if strings.Contains(value, "*") {
		return Other
	}
	return value
}

func (r RuleProps) agentChoice() string { return chosen(r.Agent) }
func (r RuleProps) toolChoice() string {
	if ui.KnowsTool(r.Tool) {
		return r.Tool
	}
	return chosen(r.Tool)
}

func (r RuleProps) agentChoices(ctx context.Context, team []ui.Option) []ui.Option {
	all := append([]ui.Option{{Label: i18n.T(ctx, "rule.say.anyone")}}, team...)
	if r.agentChoice() != Other {
		all = listed(all, r.Agent, r.Agent)
	}
	return append(all, ui.Option{Value: Other, Label: i18n.T(ctx, "rule.builder.pattern")})
}

func (r RuleProps) toolChoices(ctx context.Context, tools []string) []ui.Option {
	all := []ui.Option{{Label: ui.ToolDoes(ctx, "")}}
	for _, t := range tools {
		all = append(all, ui.Option{Value: t, Label: ui.ToolDoes(ctx, t)})
	}
	if r.toolChoice() != Other {
		all = listed(all, r.Tool, ui.ToolDoes(ctx, r.Tool))
	}
	return append(all, ui.Option{Value: Other, Label: i18n.T(ctx, "rule.builder.pattern")})
}

// lead is what stands before condition i.
func lead(ctx context.Context, i int) string {
	if i > 0 {
		return i18n.T(ctx, "rule.builder.and_if")
	}
	return i18n.T(ctx, "rule.builder.only_if")
}

// invalid marks the value of a condition that has none.
func (t TestProps) invalid(r RuleProps) templ.OrderedAttributes {
	if t.Arg == "" || t.Value != "" || !r.bad("args") {
		return nil
	}
	return templ.OrderedAttributes{{Key: "aria-invalid", Value: "true"}}
}

// argChoice is the part of a call among those that are offered.
func (t TestProps) argChoice() string {
	if t.Arg == "" || slices.Contains(knownArgs, t.Arg) {
		return t.Arg
	}
	return Other
}

func (t TestProps) argChoices(ctx context.Context) []ui.Option {
	all := []ui.Option{{Label: i18n.T(ctx, "rule.builder.choose")}}
	for _, a := range knownArgs {
		all = append(all, ui.Option{Value: a, Label: argWord(ctx, a)})
	}
	return append(all, ui.Option{Value: Other, Label: i18n.T(ctx, "rule.builder.part_more")})
}

var howWords = map[string]i18n.Key{
	"equals": "rule.how.equals", "one_of": "rule.how.one_of", "prefix": "rule.how.prefix",
	"suffix": "rule.how.suffix", "glob": "rule.how.glob", "under": "rule.how.under", "max": "rule.how.max", Domain: "rule.how.domain",
}

func howChoices(ctx context.Context, how string) []ui.Option {
	var all []ui.Option
	for _, h := range ruleHows {
		all = append(all, ui.Option{Value: h, Label: i18n.T(ctx, howWords[h])})
	}
	return listed(all, how, how)
}

func effectChoices(ctx context.Context, effect string) []ui.Option {
	var all []ui.Option
	for _, e := range ruleEffects {
		all = append(all, ui.Option{Value: e, Label: i18n.T(ctx, effects[e])})
	}
	return listed(all, effect, effect)
}

// unitChoices are the units of an amount, with none when it is not of any.
func unitChoices(ctx context.Context, names []string, a AmountProps) []ui.Option {
	var all []ui.Option
	for _, u := range names {
		all = append(all, ui.Option{Value: u, Label: i18n.T(ctx, units[u])})
	}
	if a.N != "" && a.Unit == "" {
		all = append(all, ui.Option{Label: i18n.T(ctx, "rule.unit.written")})
	}
	return all
}

// unit is the unit of an amount, or of the next one that is typed.
func (a AmountProps) unit(usual string) string {
	if a.N == "" {
		return usual
	}
	return a.Unit
}

func (l LimitsProps) perN() string    { return cmp.Or(l.Per.N, "1") }
func (l LimitsProps) perUnit() string { return l.Per.unit("day") }

// zone is the time zone of the hours, or the owner's for the next ones.
func (l LimitsProps) zone(usual string) string { return cmp.Or(l.Zone, usual) }

var originNames = map[string]i18n.Key{
	"portal": "rule.from.portal", "api": "rule.from.api", "channel": "rule.from.channel",
	"schedule": "rule.from.schedule", "webhook": "rule.from.webhook",
}

func originName(ctx context.Context, origin string) string { return i18n.T(ctx, originNames[origin]) }
