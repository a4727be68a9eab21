package sentence

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// Settings are what holds beside the rules, as a form holds it.
type Settings struct {
	Guardian string // on, off or empty
	Budgets  Budgets
	Waits    []Wait
	Lifts    []Lift
	Channels []Channel

	Kept []Kept // what no form can hold
}

// Budgets are how much one task may do before a person looks. What is empty is the usual one.
type Budgets struct {
	Deletes, Changes, Files, Recipients string
	Bytes                               Amount
	Money                               string
}

// Wait is how long a question of a tier waits for its answer.
type Wait struct {
	Tier string
	For  Amount
}

// Lift makes a tool or an action count as riskier.
type Lift struct{ Name, Tier string }

// Channel is what holds for messages from a messenger.
type Channel struct {
	Name     string
	ReadOnly bool
}

// LiftTiers are the tiers that something can be lifted to.
var LiftTiers = []string{"yellow", "red", "critical_red", "forbidden"}

var (
	topFields    = []string{"version", "guardian", "budgets", "expiry", "tiers", "rules", "channels"}
	budgetFields = []string{"deletes", "changes", "files", "bytes", "recipients", "money"}
)

// Settings are those of the document.
func (d *Document) Settings() Settings {
	var s Settings
	keep := func(field, key string, n *yaml.Node) { s.Kept = append(s.Kept, Kept{field, excerpt(key, n)}) }
	seen := map[string]bool{}
	for _, p := range pairs(d.top) {
		name, ok := p.key.Value, !seen[p.key.Value]
		seen[name] = true
		switch name {
		case "version", "rules":
		case "guardian":
			s.Guardian, ok = scalar(p.value)
			ok = ok && slices.Contains([]string{"", "on", "off"}, s.Guardian)
		case "budgets":
			ok = ok && s.budgets(p.value, keep)
		case "expiry":
			ok = ok && s.waits(p.value, keep)
		case "tiers":
			ok = ok && s.lifts(p.value, keep)
		case "channels":
			ok = ok && s.channels(p.value, keep)
		default:
			ok = false
		}
		if !ok {
			keep(name, name, p.value)
		}
	}
	return s
}

// keeping notes what no form can hold: where it stands, and what.
type keeping func(field, key string, n *yaml.Node)

// each reads the entries of a mapping; it is false for what is none.
func each(n *yaml.Node, in string, keep keeping, read func(name string, n *yaml.Node) bool) bool {
	if isNull(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		return false
	}
	seen := map[string]bool{}
	for _, p := range pairs(n) {
		if seen[p.key.Value] || !oneLine(p.key.Value) || !read(p.key.Value, p.value) {
			keep(in+"."+p.key.Value, p.key.Value, p.value)
		}
		seen[p.key.Value] = true
	}
	return true
}

func (s *Settings) budgets(n *yaml.Node, keep keeping) bool {
	return each(n, "budgets", keep, func(name string, n *yaml.Node) (ok bool) {
		switch name {
		case "bytes":
			s.Budgets.Bytes, ok = size(n)
		case "money":
			s.Budgets.Money, ok = money(n)
		default:
			if to := s.Budgets.text(name); to != nil {
				*to, ok = count(n)
			}
		}
		return ok
	})
}

// text is a budget that is a plain number; nil for the others.
func (b *Budgets) text(name string) *string {
	switch name {
	case "deletes":
		return &b.Deletes
	case "changes":
		return &b.Changes
	case "files":
		return &b.Files
	case "recipients":
		return &b.Recipients
	}
	return nil
}

func (s *Settings) waits(n *yaml.Node, keep keeping) bool {
	return each(n, "expiry", keep, func(tier string, n *yaml.Node) bool {
		text, ok := scalar(n)
		if !ok || !slices.Contains(Tiers, tier) {
			return false
		}
		if text != "" {
			s.Waits = append(s.Waits, Wait{tier, readSpan(text)})
		}
		return true
	})
}

func (s *Settings) lifts(n *yaml.Node, keep keeping) bool {
	return each(n, "tiers", keep, func(name string, n *yaml.Node) bool {
		tier, ok := scalar(n)
		if !ok || !slices.Contains(LiftTiers, tier) || name == "" {
			return false
		}
		s.Lifts = append(s.Lifts, Lift{name, tier})
		return true
	})
}

func (s *Settings) channels(n *yaml.Node, keep keeping) bool {
	return each(n, "channels", keep, func(name string, n *yaml.Node) bool {
		c := Channel{Name: name}
		if isNull(n) {
			s.Channels = append(s.Channels, c)
			return name != ""
		}
		fine := n.Kind == yaml.MappingNode && name != ""
		for _, p := range pairs(n) {
			ok := p.key.Value == "rules"
			if p.key.Value == "read_only" {
				c.ReadOnly, ok = boolean(p.value)
			}
			if !ok {
				keep("channels."+name+"."+p.key.Value, p.key.Value, p.value)
			}
		}
		if fine {
			s.Channels = append(s.Channels, c)
		}
		return fine
	})
}

// kept reports whether a part of the settings stays as it is.
func (s Settings) kept(field string) bool {
	return slices.ContainsFunc(s.Kept, func(k Kept) bool { return k.Field == field })
}

// SetSettings writes what differs from the settings that are there.
func (d *Document) SetSettings(s Settings) {
	was := d.Settings()
	s = s.plain()
	if s.same(was) {
		return
	}
	before := comments(d.doc)
	if s.Guardian != was.Guardian && !was.kept("guardian") {
		d.set("guardian", s.Guardian != "", func() *yaml.Node { return plain(s.Guardian) })
	}
	d.setBudgets(s.Budgets, was)
	d.setWaits(s.Waits, was)
	d.setLifts(s.Lifts, was)
	d.setChannels(s.Channels, was)
	for _, line := range comments(d.doc) {
		if i := slices.Index(before, line); i >= 0 {
			before = slices.Delete(before, i, i+1)
		}
	}
	d.gone = append(d.gone, before...)
	d.changed = true
}

func (d *Document) set(name string, have bool, value func() *yaml.Node) {
	if have {
		put(d.top, name, value(), topFields)
		return
	}
	drop(d.top, name)
}

// part is the mapping of a part of the settings, made when it is not there; nil when it stays as it is.
func (d *Document) part(name string, was Settings) *yaml.Node {
	if was.kept(name) {
		return nil
	}
	n := child(d.top, name)
	if n == nil || n.Kind != yaml.MappingNode {
		n = mapping(0)
		put(d.top, name, n, topFields)
	}
	return n
}

// done takes a part out that says nothing any more.
func (d *Document) done(name string, n *yaml.Node) {
	if len(n.Content) == 0 {
		drop(d.top, name)
	}
}

func (d *Document) setBudgets(now Budgets, was Settings) {
	if now == was.Budgets {
		return
	}
	at := d.part("budgets", was)
	if at == nil {
		return
	}
	old := was.Budgets
	for _, name := range budgetFields {
		var changed, have bool
		var value func() *yaml.Node
		switch name {
		case "bytes":
			changed, have, value = now.Bytes != old.Bytes, now.Bytes.N != "", now.Bytes.size
		case "money":
			changed, have, value = now.Money != old.Money, now.Money != "", func() *yaml.Node { return moneyNode(now.Money) }
		default:
			text := *now.text(name)
			changed, have, value = text != *old.text(name), text != "", func() *yaml.Node { return whole(text) }
		}
		switch {
		case !changed || was.kept("budgets."+name):
		case have:
			put(at, name, value(), budgetFields)
		default:
			drop(at, name)
		}
	}
	d.done("budgets", at)
}

func (d *Document) setWaits(now []Wait, was Settings) {
	if slices.Equal(now, was.Waits) {
		return
	}
	at := d.part("expiry", was)
	if at == nil {
		return
	}
	of := func(all []Wait, tier string) Amount {
		if i := slices.IndexFunc(all, func(w Wait) bool { return w.Tier == tier }); i >= 0 {
			return all[i].For
		}
		return Amount{}
	}
	for _, tier := range Tiers {
		switch a := of(now, tier); {
		case a == of(was.Waits, tier) || was.kept("expiry."+tier):
		case a.N == "":
			drop(at, tier)
		default:
			put(at, tier, plain(a.span()), Tiers)
		}
	}
	d.done("expiry", at)
}

func (d *Document) setLifts(now []Lift, was Settings) {
	if slices.Equal(now, was.Lifts) {
		return
	}
	at := d.part("tiers", was)
	if at == nil {
		return
	}
	for _, l := range was.Lifts {
		if !slices.ContainsFunc(now, func(n Lift) bool { return n.Name == l.Name }) {
			drop(at, l.Name)
		}
	}
	for _, l := range now {
		if !slices.Contains(was.Lifts, l) && !was.kept("tiers."+l.Name) {
			put(at, l.Name, plain(l.Tier), nil)
		}
	}
	d.done("tiers", at)
}

func (d *Document) setChannels(now []Channel, was Settings) {
	if slices.Equal(now, was.Channels) {
		return
	}
	at := d.part("channels", was)
	if at == nil {
		return
	}
	for _, c := range now {
		n := child(at, c.Name)
		if n == nil || n.Kind != yaml.MappingNode {
			n = mapping(0)
			put(at, c.Name, n, nil)
		}
		switch {
		case was.kept("channels." + c.Name + ".read_only"):
		case c.ReadOnly:
			put(n, "read_only", yes(), []string{"read_only", "rules"})
		default:
			drop(n, "read_only")
		}
		if len(n.Content) == 0 {
			n.Style = yaml.FlowStyle
		}
	}
	d.done("channels", at)
}

// plain is the settings without what says nothing.
func (s Settings) plain() Settings {
	if s.Budgets.Bytes.N == "" {
		s.Budgets.Bytes = Amount{}
	}
	s.Waits = slices.DeleteFunc(slices.Clone(s.Waits), func(w Wait) bool { return w.For.N == "" })
	s.Lifts = slices.DeleteFunc(slices.Clone(s.Lifts), func(l Lift) bool { return l.Name == "" || l.Tier == "" })
	s.Channels = slices.DeleteFunc(slices.Clone(s.Channels), func(c Channel) bool { return c.Name == "" })
	return s
}

func (s Settings) same(o Settings) bool {
	waits := slices.Equal(s.Waits, o.Waits) && slices.Equal(s.Lifts, o.Lifts)
	return s.Guardian == o.Guardian && s.Budgets == o.Budgets && waits && slices.Equal(s.Channels, o.Channels)
}

// faults are those that can be told from the settings alone.
func (s Settings) faults() (all []Fault) {
	bad := func(field string, k Kind) { all = append(all, Fault{Row: -1, Field: field, Kind: k}) }
	for _, name := range budgetFields {
		if n := s.Budgets.text(name); n != nil && *n != "" && !limit(*n) {
			bad("budgets", BadCount)
		}
	}
	if _, ok := s.Budgets.Bytes.in(sizeUnits); !ok && s.Budgets.Bytes.N != "" {
		bad("budgets", BadSize)
	}
	if n, ok := cents(s.Budgets.Money); s.Budgets.Money != "" && (!ok || n == 0) {
		bad("budgets", BadMoney)
	}
	for _, w := range s.Waits {
		if _, ok := w.For.in(spanUnits); !ok && w.For.Unit != "" {
			bad("expiry", BadSpan)
		}
	}
	return all
}
