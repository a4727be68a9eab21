package permission

import (
	"context"
	"slices"
	"strconv"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// SettingsProps is what holds beside the rules.
type SettingsProps struct {
	Guardian string
	Budgets  []BudgetProps
	Waits    []WaitProps
	Lifts    []LiftProps
	Channels []ChannelProps
	Kept     []string // what stays as it is in the text
	Faults   []string
}

// BudgetProps is how much of something one task may do; of bytes with a unit.
type BudgetProps struct {
	Name string
	Most AmountProps
}

// WaitProps is how long a question of a tier waits.
type WaitProps struct {
	Tier string
	For  AmountProps
}

// LiftProps is what counts as riskier.
type LiftProps struct{ Name, Tier string }

// ChannelProps is what holds for a messenger.
type ChannelProps struct {
	Name     string
	ReadOnly bool
}

// SettingField is the name of a field of the settings.
func SettingField(name string) string { return "s." + name }

// LineField is the name of a field in line i of a part of the settings.
func LineField(part string, i int, name string) string {
	return SettingField(part + strconv.Itoa(i) + "." + name)
}

// any reports whether anything is set.
func (s SettingsProps) any() bool {
	budget := func(b BudgetProps) bool { return b.Most.N != "" }
	wait := func(w WaitProps) bool { return w.For.N != "" }
	some := slices.ContainsFunc(s.Budgets, budget) || slices.ContainsFunc(s.Waits, wait)
	return some || len(s.Lifts)+len(s.Channels)+len(s.Kept)+len(s.Faults) > 0
}

// liftLines are what is lifted, with an empty line behind them.
func (s SettingsProps) liftLines() []LiftProps {
	return append(slices.Clone(s.Lifts), LiftProps{Tier: "red"})
}

func (s SettingsProps) channelLines() []ChannelProps {
	return append(slices.Clone(s.Channels), ChannelProps{})
}

func budgetWord(ctx context.Context, name string) string { return i18n.T(ctx, budgets[name]) }

var liftTiers = []string{"yellow", "red", "critical_red", "forbidden"}

func liftChoices(ctx context.Context) []ui.Option {
	var all []ui.Option
	for _, t := range liftTiers {
		all = append(all, ui.Option{Value: t, Label: ui.TierWord(ctx, t)})
	}
	return all
}

func guardianChoices(ctx context.Context, set string) []ui.Option {
	return listed(guardianModes(ctx), set, set)
}
