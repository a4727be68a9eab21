package sentence

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// writer changes the node of a rule from one row to another: only what differs is written.
type writer struct {
	node     *yaml.Node
	was, row Row
}

// kept reports whether a field stays as it is, because no form can hold it.
func (w writer) kept(field string) bool {
	return slices.ContainsFunc(w.was.Kept, func(k Kept) bool { return k.Field == field })
}

// write changes the rule.
func (w writer) write() {
	if w.node.Kind != yaml.MappingNode {
		return
	}
	for _, name := range fields {
		if to := w.row.text(name); to != nil && *to != *w.was.text(name) {
			w.set(name, *to != "", func() *yaml.Node { return plain(*to) })
		}
	}
	if !same(w.row.Tiers, w.was.Tiers) {
		w.set("tier", len(w.row.Tiers) > 0, func() *yaml.Node { return list(inOrder(w.row.Tiers, Tiers)) })
	}
	if !same(w.row.Origins, w.was.Origins) {
		w.set("origin", len(w.row.Origins) > 0, func() *yaml.Node { return list(inOrder(w.row.Origins, Origins)) })
	}
	if w.row.Tainted != w.was.Tainted {
		w.set("tainted", w.row.Tainted, yes)
	}
	if w.row.Only != w.was.Only {
		w.set("only", w.row.Only, yes)
	}
	w.tests()
	w.limits()
}

// set writes a field, or takes it out.
func (w writer) set(name string, have bool, value func() *yaml.Node) {
	switch {
	case w.kept(name):
	case have:
		put(w.node, name, value(), fields)
	default:
		drop(w.node, name)
	}
}

// same compares two sets.
func same(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// inOrder gives what a set has of all.
func inOrder(set, all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !slices.Contains(set, s) })
}

// tests writes the tests of arguments. Those that stay keep their place and their comments.
func (w writer) tests() {
	if slices.Equal(w.row.Tests, w.was.Tests) || w.kept("args") {
		return
	}
	args := child(w.node, "args")
	if args == nil || args.Kind != yaml.MappingNode {
		args = mapping(0)
		put(w.node, "args", args, fields)
	}
	left := slices.Clone(w.row.Tests)
	for _, arg := range pairs(args) {
		if oneLine(arg.key.Value) && arg.value.Kind == yaml.MappingNode {
			left = testsOf(arg, left)
		}
	}
	for _, t := range left {
		of := child(args, t.Arg)
		if of == nil || of.Kind != yaml.MappingNode {
			of = mapping(yaml.FlowStyle)
			args.Content = append(args.Content, plain(t.Arg), of)
		}
		of.Content = append(of.Content, plain(t.How), t.node())
	}
	for i := 0; i+1 < len(args.Content); { // what has no test left
		if of := args.Content[i+1]; of.Kind == yaml.MappingNode && len(of.Content) == 0 {
			args.Content = slices.Delete(args.Content, i, i+2)
			continue
		}
		i += 2
	}
	if len(args.Content) == 0 {
		drop(w.node, "args")
	}
}

// testsOf writes what all has of one argument over the tests that are there, and gives what is left of all.
func testsOf(arg pair, all []Test) (left []Test) {
	of := arg.value
	var stay []*yaml.Node
	for _, t := range pairs(of) {
		was, ok := testValue(t.key.Value, t.value)
		if !ok { // kept
			stay = append(stay, t.key, t.value)
			continue
		}
		i := slices.IndexFunc(all, func(new Test) bool { return new.Arg == arg.key.Value && new.How == t.key.Value })
		if i < 0 {
			continue
		}
		if all[i].Value != was {
			t.value = commented(all[i].node(), t.value)
		}
		stay = append(stay, t.key, t.value)
		all = slices.Delete(all, i, i+1)
	}
	of.Content = stay
	return all
}

// node is what an argument is compared with.
func (t Test) node() *yaml.Node {
	switch {
	case t.Value == "":
		return nothing()
	case t.How == OneOf:
		return list(strings.Split(t.Value, "\n"))
	case t.How == Max:
		if f, err := strconv.ParseFloat(t.Value, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == t.Value {
			return &yaml.Node{Kind: yaml.ScalarNode, Value: t.Value}
		}
	}
	return plain(t.Value)
}

// limits writes the limits.
func (w writer) limits() {
	now, was := w.row.Limits, w.was.Limits
	if now.same(was) || w.kept("limits") {
		return
	}
	at := child(w.node, "limits")
	if at == nil || at.Kind != yaml.MappingNode {
		at = mapping(0)
		put(w.node, "limits", at, fields)
	}
	set := func(name string, changed, have bool, value func() *yaml.Node) {
		switch {
		case !changed || w.kept("limits."+name):
		case have:
			put(at, name, value(), limitFields)
		default:
			drop(at, name)
		}
	}
	set("rate", now.Calls != was.Calls || now.Per != was.Per, now.Calls != "", func() *yaml.Node { return plain(now.rate()) })
	set("cooldown", now.Cooldown != was.Cooldown, now.Cooldown.N != "", func() *yaml.Node { return plain(now.Cooldown.span()) })
	set("max_recipients", now.Recipients != was.Recipients, now.Recipients != "", func() *yaml.Node { return whole(now.Recipients) })
	set("max_bytes", now.Bytes != was.Bytes, now.Bytes.N != "", func() *yaml.Node { return now.Bytes.size() })
	set("max_money", now.Money != was.Money, now.Money != "", func() *yaml.Node { return moneyNode(now.Money) })
	w.hours(at)
	if len(at.Content) == 0 {
		drop(w.node, "limits")
	}
}

// rate is how often, as the text has it.
func (l Limits) rate() string {
	if l.Per.N == "" {
		return l.Calls
	}
	return l.Calls + "/" + l.Per.per()
}

// whole is a number where it is one; else it stays to be put right, as a text that no reader takes for a number.
func whole(n string) *yaml.Node {
	if plainInt(n) {
		return number(n)
	}
	return plain(n)
}

func (a Amount) size() *yaml.Node {
	if n, ok := a.in(sizeUnits); ok {
		return number(strconv.FormatInt(n, 10))
	}
	return plain(a.text())
}

func moneyNode(text string) *yaml.Node {
	if n, ok := cents(text); ok {
		return number(strconv.FormatInt(n, 10))
	}
	return plain(text)
}

// hours writes the hours of the week.
func (w writer) hours(limits *yaml.Node) {
	now, was := w.row.Limits.Hours, w.was.Limits.Hours
	if now.same(was) || w.kept("limits.hours") {
		return
	}
	at := child(limits, "hours")
	if at == nil || at.Kind != yaml.MappingNode {
		at = mapping(yaml.FlowStyle)
		put(limits, "hours", at, limitFields)
	}
	set := func(name string, changed, have bool, value func() *yaml.Node) {
		switch {
		case !changed || w.kept("limits.hours."+name):
		case have:
			put(at, name, value(), hourFields)
		default:
			drop(at, name)
		}
	}
	text := func(name, now, was string) {
		set(name, now != was, now != "", func() *yaml.Node { return quoted(now) })
	}
	text("from", now.From, was.From)
	text("to", now.To, was.To)
	set("days", !same(now.Days, was.Days), len(now.Days) > 0, func() *yaml.Node { return list(inOrder(now.Days, Days)) })
	set("zone", now.Zone != was.Zone, now.Zone != "", func() *yaml.Node { return plain(now.Zone) })
	if len(at.Content) == 0 {
		drop(limits, "hours")
	}
}

// quoted is a text in quotes: 08:00 is a number to some readers of YAML.
func quoted(text string) *yaml.Node {
	n := plain(text)
	n.Style = yaml.DoubleQuotedStyle
	return n
}

func (h Hours) same(o Hours) bool {
	return h.From == o.From && h.To == o.To && h.Zone == o.Zone && same(h.Days, o.Days)
}

func (l Limits) same(o Limits) bool {
	hours := l.Hours.same(o.Hours)
	often := l.Calls == o.Calls && l.Per == o.Per && l.Cooldown == o.Cooldown
	return hours && often && l.Recipients == o.Recipients && l.Bytes == o.Bytes && l.Money == o.Money
}
