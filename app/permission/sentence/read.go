package sentence

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// reader makes a row of the node of a rule.
type reader struct{ row Row }

// rowOf reads a rule.
func rowOf(n *yaml.Node, channel string) Row {
	r := reader{Row{Channel: channel}}
	if n.Kind != yaml.MappingNode {
		r.keep("", "rule", n)
		return r.row
	}
	seen := map[string]bool{}
	for _, p := range pairs(n) {
		if seen[p.key.Value] || !r.field(p.key.Value, p.value) {
			r.keep(p.key.Value, p.key.Value, p.value)
		}
		seen[p.key.Value] = true
	}
	return r.row
}

// keep notes what no form can hold.
func (r *reader) keep(field, key string, n *yaml.Node) {
	r.row.Kept = append(r.row.Kept, Kept{field, excerpt(key, n)})
}

// field reads one field; it reports whether the row holds it now, as a whole or what of it a form can hold.
func (r *reader) field(name string, n *yaml.Node) (ok bool) {
	switch name {
	case "tier":
		r.row.Tiers, ok = scalars(n, Tiers)
	case "origin":
		r.row.Origins, ok = scalars(n, Origins)
	case "tainted":
		r.row.Tainted, ok = boolean(n)
	case "only":
		r.row.Only, ok = boolean(n)
	case "args":
		ok = r.args(n)
	case "limits":
		ok = r.limits(n)
	default:
		if to := r.row.text(name); to != nil {
			*to, ok = scalar(n)
		}
	}
	return ok
}

// text is the field of a row that is one text; nil for the others.
func (r *Row) text(name string) *string {
	switch name {
	case "id":
		return &r.ID
	case "effect":
		return &r.Effect
	case "agent":
		return &r.Agent
	case "tool":
		return &r.Tool
	case "action":
		return &r.Action
	case "reason":
		return &r.Reason
	}
	return nil
}

// boolean reads yes or no as the rules do.
func boolean(n *yaml.Node) (yes, ok bool) {
	if isNull(n) {
		return false, true
	}
	err := n.Decode(&yes)
	return yes, err == nil && n.Kind == yaml.ScalarNode
}

// args reads the tests of all arguments.
func (r *reader) args(n *yaml.Node) bool {
	if isNull(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		return false
	}
	for _, arg := range pairs(n) {
		name := arg.key.Value
		switch {
		case !oneLine(name) || arg.value.Kind != yaml.MappingNode:
			r.keep("args."+name, name, arg.value)
			continue
		}
		for _, t := range pairs(arg.value) {
			value, ok := testValue(t.key.Value, t.value)
			if !ok {
				r.keep("args."+name+"."+t.key.Value, t.key.Value, t.value)
				continue
			}
			r.row.Tests = append(r.row.Tests, Test{name, t.key.Value, value})
		}
	}
	return true
}

// testValue reads what an argument is compared with. An empty text is none that a form tells from one that is not filled in.
func testValue(how string, n *yaml.Node) (value string, ok bool) {
	switch {
	case !slices.Contains(Hows, how):
		return "", false
	case isNull(n):
		return "", true
	case how == OneOf:
		return values(n)
	}
	value, ok = scalar(n)
	return value, ok && value != ""
}

// values reads a list as lines.
func values(n *yaml.Node) (lines string, ok bool) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return "", false
	}
	var all []string
	for _, c := range n.Content {
		text, ok := scalar(c)
		if !ok || text == "" || isNull(c) {
			return "", false
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n"), true
}

// limits reads the limits.
func (r *reader) limits(n *yaml.Node) bool {
	if isNull(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		return false
	}
	seen := map[string]bool{}
	for _, p := range pairs(n) {
		if seen[p.key.Value] || !r.limit(p.key.Value, p.value) {
			r.keep("limits."+p.key.Value, p.key.Value, p.value)
		}
		seen[p.key.Value] = true
	}
	return true
}

func (r *reader) limit(name string, n *yaml.Node) (ok bool) {
	l := &r.row.Limits
	switch name {
	case "rate":
		l.Calls, l.Per, ok = rate(n)
	case "cooldown":
		var text string
		if text, ok = scalar(n); text != "" {
			l.Cooldown = readSpan(text)
		}
	case "hours":
		l.Hours, ok = r.hours(n)
	case "max_recipients":
		l.Recipients, ok = count(n)
	case "max_bytes":
		l.Bytes, ok = size(n)
	case "max_money":
		l.Money, ok = money(n)
	}
	return ok
}

// rate reads how many calls in which time.
func rate(n *yaml.Node) (calls string, per Amount, ok bool) {
	text, ok := scalar(n)
	calls, span, cut := strings.Cut(text, "/")
	if !cut || calls == "" {
		return text, Amount{}, ok
	}
	return calls, readSpan(span), ok
}

// hours reads hours of the week.
func (r *reader) hours(n *yaml.Node) (h Hours, ok bool) {
	if isNull(n) {
		return h, true
	}
	if n.Kind != yaml.MappingNode {
		return h, false
	}
	seen := map[string]bool{}
	for _, p := range pairs(n) {
		fine := !seen[p.key.Value] && h.read(p.key.Value, p.value)
		if seen[p.key.Value] = true; !fine {
			r.keep("limits.hours."+p.key.Value, p.key.Value, p.value)
		}
	}
	return h, true
}

func (h *Hours) read(name string, n *yaml.Node) (ok bool) {
	switch name {
	case "from":
		h.From, ok = scalar(n)
	case "to":
		h.To, ok = scalar(n)
	case "zone":
		h.Zone, ok = scalar(n)
	case "days":
		h.Days, ok = scalars(n, Days)
	}
	return ok
}

// count reads a number. One that is written in another way than a form does stays as it is; what is none was typed into one.
func count(n *yaml.Node) (text string, ok bool) {
	text, ok = scalar(n)
	if !ok || n.Tag != "!!str" && n.Tag != "!!null" && !plainInt(text) {
		return "", false
	}
	return text, true
}

// size reads a number of bytes.
func size(n *yaml.Node) (Amount, bool) {
	text, ok := count(n)
	if !ok || text == "" || n.Tag == "!!str" {
		return typed(text, SizeUnits), ok
	}
	bytes, err := strconv.ParseInt(text, 10, 64)
	a, fits := amountOf(bytes, sizeUnits)
	return a, err == nil && fits
}

// money reads cents.
func money(n *yaml.Node) (string, bool) {
	text, ok := count(n)
	if !ok || text == "" || n.Tag == "!!str" {
		return text, ok
	}
	cents, err := strconv.ParseInt(text, 10, 64)
	return readCents(cents), err == nil
}
