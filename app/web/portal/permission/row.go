package permission

import (
	"net/url"
	"slices"
	"strings"

	"gatehouse/app/permission/sentence"

	views "gatehouse/views/portal/permission"
)

// rowOf reads row n of a form. What no form can hold is as it was.
func rowOf(form url.Values, n int, was sentence.Row) sentence.Row {
	get := func(name string) string { return strings.TrimSpace(form.Get(views.RuleField(n, name))) }
	amount := func(name string) sentence.Amount { return sentence.Amount{N: get(name), Unit: get(name + "_unit")} }
	return sentence.Row{
		Channel: was.Channel, Kept: was.Kept, ID: get("id"), Effect: get("effect"), Action: get("action"), Reason: get("reason"),
		Agent:   orOther(get("agent"), get("agent_other"), "*"),
		Tool:    orOther(get("tool"), get("tool_other"), "*"),
		Tiers:   among(form[views.RuleField(n, "tier")], sentence.Tiers),
		Origins: among(form[views.RuleField(n, "origin")], sentence.Origins),
		Tainted: get("tainted") != "", Only: get("only") != "", Tests: testsOf(form, n, was.Tests),
		Limits: sentence.Limits{
			Calls: get("calls"), Per: amount("per"), Cooldown: amount("cooldown"), Bytes: amount("bytes"),
			Recipients: get("recipients"), Money: get("money"),
			Hours: sentence.Hours{
				From: get("from"), To: get("to"), Zone: get("zone"), Days: among(form[views.RuleField(n, "day")], sentence.Days),
			},
		},
	}
}

// orOther is a choice, or what is typed beside it when the choice says so; something stands there at first.
func orOther(choice, typed, first string) string {
	switch {
	case choice != views.Other:
		return choice
	case typed == "":
		return first
	}
	return typed
}

// among are the values that are known, each once.
func among(values, known []string) []string {
	return slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !slices.Contains(values, k) })
}

// testsOf reads the conditions of a row. They stand one behind the other. One that is about nothing any more is gone.
func testsOf(form url.Values, n int, was []sentence.Test) (all []sentence.Test) {
	for i := 0; form.Has(views.TestField(n, i, "how")); i++ {
		get := func(name string) string { return form.Get(views.TestField(n, i, name)) }
		t := testOf(orOther(get("arg"), strings.TrimSpace(get("arg_other")), "body.status"), get("how"), get("value"))
		if t.Arg == "" && i < len(was) && was[i].Arg != "" {
			continue
		}
		all = append(all, t)
	}
	return all
}

// testOf is one condition; an address at a domain ends with it.
func testOf(arg, how, value string) sentence.Test {
	switch {
	case how == sentence.OneOf:
	case how == views.Domain:
		value = strings.TrimPrefix(strings.TrimSpace(value), "@")
		if value != "" {
			value = "@" + value
		}
		how = sentence.Suffix
	default:
		value = strings.Map(func(r rune) rune {
			if r == '\n' || r == '\r' {
				return -1
			}
			return r
		}, value)
	}
	return sentence.Test{Arg: arg, How: how, Value: value}
}

// ruleProps shows a row.
func ruleProps(n int, r sentence.Row) views.RuleProps {
	l := r.Limits
	p := views.RuleProps{
		N: n, Channel: r.Channel, ID: r.ID, Effect: r.Effect, Agent: r.Agent, Tool: r.Tool, Action: r.Action, Reason: r.Reason,
		Tiers: r.Tiers, Origins: r.Origins, Tainted: r.Tainted, Only: r.Only,
		Limits: views.LimitsProps{
			Calls: l.Calls, Per: views.AmountProps(l.Per), Cooldown: views.AmountProps(l.Cooldown), Bytes: views.AmountProps(l.Bytes),
			From: l.Hours.From, To: l.Hours.To, Zone: l.Hours.Zone, Days: l.Hours.Days, Recipients: l.Recipients, MoneyText: l.Money,
		},
	}
	for _, t := range r.Tests {
		p.Tests = append(p.Tests, testProps(t))
	}
	for _, k := range r.Kept {
		p.Kept = append(p.Kept, k.Text)
	}
	return p
}

func testProps(t sentence.Test) views.TestProps {
	if domain, ok := strings.CutPrefix(t.Value, "@"); ok && t.Arg == "to" && t.How == sentence.Suffix && domain != "" {
		return views.TestProps{Arg: t.Arg, How: views.Domain, Value: domain}
	}
	return views.TestProps(t)
}
