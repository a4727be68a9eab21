package sentence

import (
	"errors"
	"slices"

	"gopkg.in/yaml.v3"

	"gatehouse/agentd/policy"
)

// Fault is what is wrong with a row, or with what belongs to none.
type Fault struct {
	Row   int    // -1: no row is to blame
	Field string // of the rule, such as limits; empty: not known
	Kind  Kind   // empty: Text says it
	Text  string // as the server says it
	Line  int    // of the text; 0: not known
}

// Kind is a fault that people make in a form, to be said in their words.
type Kind string

// The kinds of faults.
const (
	NoArg     Kind = "no_arg"     // a condition that does not say of what
	NoValue   Kind = "no_value"   // a condition without anything to compare with
	SameTest  Kind = "same_test"  // two conditions of a kind about the same
	BadCount  Kind = "bad_count"  // no whole number
	BadTime   Kind = "bad_time"   // no time of day
	BadSpan   Kind = "bad_span"   // no length of time
	BadSize   Kind = "bad_size"   // no number of bytes
	BadMoney  Kind = "bad_money"  // no amount of money
	Endless   Kind = "endless"    // a number of calls in no time
	DenyLimit Kind = "deny_limit" // limits of what is denied
	AllowRed  Kind = "allow_red"  // no rule allows what destroys
	Outside   Kind = "outside"    // no rule allows what content from outside stands behind
	OnlyAllow Kind = "only_allow" // only what allows is held to its arguments
	Twice     Kind = "twice"      // the name of another rule
	BadName   Kind = "bad_name"   // no name of a rule
)

// Faults is everything that is wrong with the document: first what people recognize, then what the server would say.
func (d *Document) Faults() ([]Fault, error) {
	text, err := d.Text()
	if err != nil {
		return nil, err
	}
	read, err := Read(text)
	if err != nil {
		return nil, err
	}
	all := read.Settings().faults()
	rows, names := read.Rows(), map[string]int{}
	for _, row := range rows {
		names[row.ID]++
	}
	for i, row := range rows {
		for _, f := range row.faults() {
			f.Row = i
			all = append(all, f)
		}
		if names[row.ID] > 1 && row.ID != "" {
			all = append(all, Fault{Row: i, Field: "id", Kind: Twice})
		}
	}
	_, err = policy.ParseManifest([]byte(text))
	var problems policy.Problems
	if !errors.As(err, &problems) {
		return all, err
	}
	for _, p := range problems {
		f := read.at(p)
		known := func(k Fault) bool {
			return k.Kind != "" && k.Row == f.Row && (f.Row >= 0 && f.Field == "" || k.Field == f.Field)
		}
		if !slices.ContainsFunc(all, known) {
			all = append(all, f)
		}
	}
	return all, nil
}

// at finds the row that a problem is about, by its line.
func (d *Document) at(p policy.Problem) Fault {
	f := Fault{Row: -1, Text: p.Text, Line: p.Line}
	if p.Line == 0 {
		return f
	}
	for i, at := range d.places() {
		if first, last := span(at.node()); first <= p.Line && p.Line <= last {
			f.Row, f.Field = i, fieldAt(at.node(), p.Line)
		}
	}
	if f.Row < 0 {
		f.Field = fieldAt(d.top, p.Line)
	}
	return f
}

// span is the first and the last line of a node.
func span(n *yaml.Node) (first, last int) {
	first, last = n.Line, n.Line
	for _, c := range n.Content {
		f, l := span(c)
		first, last = min(first, f), max(last, l)
	}
	return first, last
}

// fieldAt is the field of a rule that stands in a line; empty when several do.
func fieldAt(rule *yaml.Node, line int) (name string) {
	found := 0
	for _, p := range pairs(rule) {
		if _, last := span(p.value); p.key.Line <= line && line <= last {
			name = p.key.Value
			found++
		}
	}
	if found > 1 {
		return ""
	}
	return name
}

// faults are those that can be told from the row alone.
func (r Row) faults() (all []Fault) {
	bad := func(field string, k Kind) { all = append(all, Fault{Field: field, Kind: k}) }
	if !policy.IsRuleID(r.ID) && !r.has("id") {
		bad("id", BadName)
	}
	for i, t := range r.Tests {
		twice := func(o Test) bool { return o.Arg == t.Arg && o.How == t.How }
		switch {
		case t.Arg == "":
			bad("args", NoArg)
		case t.Value == "":
			bad("args", NoValue)
		case slices.ContainsFunc(r.Tests[:i], twice):
			bad("args", SameTest)
		}
	}
	switch {
	case r.Effect == "deny" && !r.Limits.same(Limits{}):
		bad("limits", DenyLimit)
	default:
		for _, k := range r.Limits.faults() {
			bad("limits", k)
		}
	}
	if r.Effect == "allow" {
		if slices.Contains(r.Tiers, "red") || slices.Contains(r.Tiers, "critical_red") {
			bad("tier", AllowRed)
		}
		if r.Tainted {
			bad("tainted", Outside)
		}
	} else if r.Only {
		bad("only", OnlyAllow)
	}
	return all
}

// has reports whether a field is kept as it is.
func (r Row) has(field string) bool {
	return slices.ContainsFunc(r.Kept, func(k Kept) bool { return k.Field == field })
}

func (l Limits) faults() (all []Kind) {
	if l.Calls != "" {
		if !limit(l.Calls) {
			all = append(all, BadCount)
		}
		switch _, ok := l.Per.in(spanUnits); {
		case l.Per.N == "":
			all = append(all, Endless)
		case !ok && l.Per.Unit != "":
			all = append(all, BadSpan)
		}
	}
	if _, ok := l.Cooldown.in(spanUnits); !ok && l.Cooldown.Unit != "" {
		all = append(all, BadSpan)
	}
	if l.Recipients != "" && !limit(l.Recipients) {
		all = append(all, BadCount)
	}
	if _, ok := l.Bytes.in(sizeUnits); !ok && l.Bytes.N != "" {
		all = append(all, BadSize)
	}
	if n, ok := cents(l.Money); l.Money != "" && (!ok || n == 0) {
		all = append(all, BadMoney)
	}
	if !l.Hours.None() && (!clock(l.Hours.From, "24:00") || !clock(l.Hours.To, "")) {
		all = append(all, BadTime)
	}
	return all
}

// limit says whether a text is a number that limits something: to the server, none at all is no limit.
func limit(text string) bool { return plainInt(text) && text != "0" }

// clock says whether a text is a time of day, but for one that is none here.
func clock(text, not string) bool {
	return policy.IsTimeOfDay(text) && text != not
}
