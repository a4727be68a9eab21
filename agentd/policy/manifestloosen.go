package policy

import (
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"
)

// LoosensRules says whether going from one manifest to another could let any call through further than before. It
// looks at the rules alone and errs towards yes: only what adds what asks or denies, or takes away what allows, is
// certain to loosen nothing.
func LoosensRules(from, to *Manifest) bool {
	from, to = orEmpty(from), orEmpty(to)
	if from.Guardian != to.Guardian && to.Guardian != "on" || BudgetsOf(from) != BudgetsOf(to) && !budgetsWithin(BudgetsOf(to), BudgetsOf(from)) {
		return true
	}
	if loosensTiers(from.Tiers, to.Tiers) || from.namesTiers() && loosensTiers(to.Tiers, from.Tiers) || loosensExpiry(from, to) || loosensList(from.Rules, to.Rules) {
		return true
	}
	for name, was := range from.Channels {
		is := to.Channels[name]
		if was.ReadOnly && !is.ReadOnly || loosensList(was.Rules, is.Rules) {
			return true
		}
	}
	for name, is := range to.Channels {
		if _, known := from.Channels[name]; !known && loosensList(nil, is.Rules) {
			return true
		}
	}
	return false
}

// namesTiers says whether anything here is said of some tiers alone, so that lifting a call may change what holds for it.
func (m *Manifest) namesTiers() bool {
	named := func(rules []Rule) bool {
		return slices.ContainsFunc(rules, func(r Rule) bool { return len(r.Tier) > 0 })
	}
	for _, c := range m.Channels {
		if named(c.Rules) {
			return true
		}
	}
	return len(m.Expiry) > 0 || named(m.Rules)
}

// loosensExpiry says whether a question of any tier waits longer.
func loosensExpiry(from, to *Manifest) bool {
	return slices.ContainsFunc(askable, func(t Tier) bool { return ExpiryOf(to, t) > ExpiryOf(from, t) })
}

func orEmpty(m *Manifest) *Manifest {
	if m == nil {
		return &Manifest{}
	}
	return m
}

func budgetsWithin(a, b Budgets) bool {
	return a.Deletes <= b.Deletes && a.Changes <= b.Changes && a.Files <= b.Files && a.Bytes <= b.Bytes && a.Recipients <= b.Recipients && a.Money <= b.Money
}

// loosensList compares two lists of rules by their ids.
func loosensList(from, to []Rule) bool {
	known := map[string]Rule{}
	for _, r := range from {
		known[r.ID] = r
	}
	for _, r := range to {
		was, same := known[r.ID]
		delete(known, r.ID)
		was.Reason = r.Reason
		if same && reflect.DeepEqual(was, r) || !same && r.Effect != Allow {
			continue
		}
		return true
	}
	for _, gone := range known {
		if gone.Effect != Allow || gone.Limits.any() {
			return true
		}
	}
	return false
}

// SetGuardian writes mode, on or off, into the text of a manifest and leaves the rest as it is.
func SetGuardian(text []byte, mode string) ([]byte, error) {
	if _, err := ParseManifest(text); err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	root := nodeAt(&doc, 0)
	if root == nil || root.Kind != yaml.MappingNode {
		root = emptyManifest(&doc)
	}
	value := nodeField(root, "guardian")
	if value == nil {
		value = &yaml.Node{Kind: yaml.ScalarNode}
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "guardian"}, value)
	}
	value.SetString(mode)
	out, err := writeYAML(&doc)
	if err != nil {
		return nil, err
	}
	_, err = ParseManifest(out)
	return out, err
}
