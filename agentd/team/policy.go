package team

import (
	"fmt"
	"slices"
	"strings"

	"gatehouse/agentd/tool"
)

// groups are names for several tools at once.
var groups = map[string][]string{
	"group:fs":        {"file_read", "file_list", "file_write", "file_restore", "file_delete"},
	"group:runtime":   {"shell"},
	"group:messaging": {"message"},
	"group:sessions":  {"agent_dispatch"},

	"group:automation": {"schedule_create", "schedule_list", "schedule_update", "schedule_delete"},
	"group:memory":     {"memory_search", "memory_get", "memory_write"},
}

// profiles are the starting points of a tool set. A nil list is everything.
var profiles = map[string][]string{
	"minimal":   {"group:sessions", "group:automation", "group:memory"},
	"coding":    {"group:fs", "group:runtime", "group:automation", "group:memory"},
	"messaging": {"group:fs", "group:messaging", "group:automation", "group:memory"},
	"full":      nil,
}

// Layer is one step of an explanation.
type Layer struct {
	Name string // installed, profile, allow, deny, machine
	Keep bool
	Why  string
}

// Explain says layer by layer why an agent sees a tool or does not. Each layer can only narrow; the one that removes
// the tool is the last.
func (t *Team) Explain(agent, toolName string) ([]Layer, error) {
	m, err := t.member(agent)
	if err != nil {
		return nil, err
	}
	var layers []Layer
	for _, judge := range []func(member, string) Layer{t.installed, profile, allow, deny, t.machine} {
		l := judge(m, toolName)
		layers = append(layers, l)
		if !l.Keep {
			break
		}
	}
	return layers, nil
}

// Visible says whether an agent sees a tool, and if not, which layer removed it.
func (t *Team) Visible(agent, toolName string) (ok bool, why string) {
	layers, err := t.Explain(agent, toolName)
	if err != nil {
		return false, err.Error()
	}
	last := layers[len(layers)-1]
	if last.Keep {
		return true, ""
	}
	return false, last.Why
}

// Tools are the definitions that an agent sees, by name.
func (t *Team) Tools(agent string) []tool.Definition { return t.visible[agent] }

// show works out what an agent sees: that is asked at every step, and changes only when the team is loaded.
func (t *Team) show(agent string) (seen []tool.Definition) {
	for _, d := range t.defs {
		if ok, _ := t.Visible(agent, d.Name); ok {
			seen = append(seen, d)
		}
	}
	return seen
}

func (t *Team) installed(_ member, name string) Layer {
	if slices.ContainsFunc(t.defs, func(d tool.Definition) bool { return d.Name == name }) {
		return Layer{"installed", true, "it is installed on this server"}
	}
	return Layer{"installed", false, "there is no such tool on this server"}
}

func profile(m member, name string) Layer {
	list := profiles[m.template.Profile]
	l := Layer{Name: "profile", Keep: list == nil || holds(list, name)}
	switch {
	case l.Keep:
		l.Why = fmt.Sprintf("the profile %s has it", m.template.Profile)
	case holds(m.template.Tools.AlsoAllow, name):
		l.Keep, l.Why = true, fmt.Sprintf("the profile %s lacks it, but also_allow of this agent adds it", m.template.Profile)
	default:
		l.Why = fmt.Sprintf("the profile %s of this agent does not have it", m.template.Profile)
	}
	return l
}

func allow(m member, name string) Layer {
	list := m.template.Tools
	switch {
	case len(list.Allow) == 0:
		return Layer{"allow", true, "this agent has no allow list that narrows its profile"}
	case holds(list.Allow, name) || holds(list.AlsoAllow, name):
		return Layer{"allow", true, "the allow list of this agent has it"}
	}
	return Layer{"allow", false, "the allow list of this agent does not have it"}
}

func deny(m member, name string) Layer {
	if holds(m.template.Tools.Deny, name) {
		return Layer{"deny", false, "the deny list of this agent removes it"}
	}
	return Layer{"deny", true, "no deny list removes it"}
}

func (t *Team) machine(_ member, name string) Layer {
	if why, off := t.off[name]; off {
		return Layer{"machine", false, "this machine cannot run it safely: " + why}
	}
	return Layer{"machine", true, "this machine can run it"}
}

// holds says whether a list names a tool, itself or through a group.
func holds(list []string, name string) bool {
	return slices.ContainsFunc(list, func(item string) bool {
		if strings.HasPrefix(item, "group:") {
			return slices.Contains(groups[item], name)
		}
		return item == name
	})
}
