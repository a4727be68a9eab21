package permission

import (
	"net/url"
	"slices"
	"strings"

	"gatehouse/app/permission/sentence"

	views "gatehouse/views/portal/permission"
)

// settingsOf reads what holds beside the rules from a form. A messenger that has rules stays, whatever its line says.
func settingsOf(form url.Values, was sentence.Settings) sentence.Settings {
	get := func(name string) string { return strings.TrimSpace(form.Get(views.SettingField(name))) }
	amount := func(name string) sentence.Amount { return sentence.Amount{N: get(name), Unit: get(name + "_unit")} }
	s := sentence.Settings{
		Guardian: get("guardian"), Kept: was.Kept,
		Budgets: sentence.Budgets{
			Deletes: get("budget.deletes"), Changes: get("budget.changes"), Files: get("budget.files"),
			Recipients: get("budget.recipients"),
			Bytes:      amount("budget.bytes"), Money: get("budget.money"),
		},
	}
	for _, w := range was.Waits { // in the order in which they stand
		s.Waits = append(s.Waits, sentence.Wait{Tier: w.Tier, For: amount("wait." + w.Tier)})
	}
	for _, t := range sentence.Tiers {
		if !slices.ContainsFunc(s.Waits, func(w sentence.Wait) bool { return w.Tier == t }) {
			s.Waits = append(s.Waits, sentence.Wait{Tier: t, For: amount("wait." + t)})
		}
	}
	line := func(part string, i int, name string) string {
		return strings.TrimSpace(form.Get(views.LineField(part, i, name)))
	}
	for i := 0; form.Has(views.LineField("lift", i, "name")); i++ {
		s.Lifts = append(s.Lifts, sentence.Lift{Name: line("lift", i, "name"), Tier: line("lift", i, "tier")})
	}
	for i := 0; form.Has(views.LineField("channel", i, "name")); i++ {
		c := sentence.Channel{Name: line("channel", i, "name"), ReadOnly: line("channel", i, "read_only") != ""}
		if i < len(was.Channels) {
			c.Name = was.Channels[i].Name
		}
		if !slices.ContainsFunc(s.Channels, func(known sentence.Channel) bool { return known.Name == c.Name }) {
			s.Channels = append(s.Channels, c)
		}
	}
	return s
}

// settingsProps shows what holds beside the rules.
func settingsProps(s sentence.Settings) views.SettingsProps {
	b := s.Budgets
	p := views.SettingsProps{Guardian: s.Guardian, Budgets: []views.BudgetProps{
		{Name: "deletes", Most: views.AmountProps{N: b.Deletes}},
		{Name: "changes", Most: views.AmountProps{N: b.Changes}},
		{Name: "files", Most: views.AmountProps{N: b.Files}},
		{Name: "recipients", Most: views.AmountProps{N: b.Recipients}},
		{Name: "money", Most: views.AmountProps{N: b.Money}},
		{Name: "bytes", Most: views.AmountProps(b.Bytes)},
	}}
	for _, t := range sentence.Tiers {
		w := views.WaitProps{Tier: t}
		if i := slices.IndexFunc(s.Waits, func(w sentence.Wait) bool { return w.Tier == t }); i >= 0 {
			w.For = views.AmountProps(s.Waits[i].For)
		}
		p.Waits = append(p.Waits, w)
	}
	for _, l := range s.Lifts {
		p.Lifts = append(p.Lifts, views.LiftProps(l))
	}
	for _, c := range s.Channels {
		p.Channels = append(p.Channels, views.ChannelProps(c))
	}
	for _, k := range s.Kept {
		p.Kept = append(p.Kept, k.Text)
	}
	return p
}
