package team

import (
	"fmt"
	"slices"
	"strings"

	"gatehouse/agentd/tool"
)

// groups are names for several tools at once.
var groups = map[string][]string{
	"group:fs":        {"file_read", "attach", "file_list", "file_write", "file_restore", "file_delete"},
	"group:runtime":   {"shell"},
	"group:messaging": {"message"},
	"group:sessions":  {"agent_dispatch"},
	"group:subagents": {"subagent_spawn", "subagent_check", "subagent_stop"},

	"group:reports":    {"team_report"},
	"group:automation": {"schedule_create", "schedule_list", "schedule_update", "schedule_delete"},
	"group:memory":     {"memory_search", "memory_get", "memory_write"},
}

// profiles are the starting points of a tool set. A nil list is everything.
var profiles = map[string][]string{
	"minimal":   {"group:sessions", "group:subagents", "group:reports", "group:automation", "group:memory"},
	"coding":    {"group:fs", "group:runtime", "group:subagents", "group:automation", "group:memory"},
	"messaging": {"group:fs", "group:messaging", "group:subagents", "group:automation", "group:memory"},
	"full":      nil,
}

// Layer is one step of an explanation.
type Layer struct {
	Name string // installed, profile, model, allow, global, deny, sandbox, owner, stranger, machine
	Keep bool
	Why  string
}

// layers are the steps, in their order. Each can only narrow what the steps before it have left.
func (t *Team) layers() []func(View, member, string) Layer {
	return []func(View, member, string) Layer{
		t.installed, t.profile, t.model, t.allow, t.global, t.deny, t.sandbox, t.owner, t.stranger, t.machine,
	}
}

// Explain says layer by layer why an agent sees a tool or does not; the one that removes the tool is the last. Nothing but the
// team and the view decides: the prompt, the gate and the pages all ask here.
func (t *Team) Explain(v View, toolName string) ([]Layer, error) {
	m, err := t.member(v.Agent)
	if err != nil {
		return nil, err
	}
	var out []Layer
	for _, judge := range t.layers() {
		l := judge(v, m, toolName)
		out = append(out, l)
		if !l.Keep {
			break
		}
	}
	return out, nil
}

// Sight is one tool of the server as an agent sees it.
type Sight struct {
	tool.Definition
	Visible bool
	Layer   string // that removed it; empty: none did
	Why     string // it is not visible, in words
}

// See says of each tool of this server whether an agent sees it, and if not, which layer removed it.
func (t *Team) See(v View) []Sight {
	m, err := t.member(v.Agent)
	if err != nil {
		return nil
	}
	all := make([]Sight, len(t.defs))
	for i, d := range t.defs {
		l := t.decide(v, m, d.Name)
		all[i] = Sight{Definition: d, Visible: l.Keep}
		if !l.Keep {
			all[i].Layer, all[i].Why = l.Name, l.Why
		}
	}
	return all
}

// decide gives the layer that removes a tool, or the last one.
func (t *Team) decide(v View, m member, name string) (l Layer) {
	for _, judge := range t.layers() {
		if l = judge(v, m, name); !l.Keep {
			return l
		}
	}
	return l
}

// Visible says whether an agent sees a tool, and if not, why.
func (t *Team) Visible(v View, toolName string) (ok bool, why string) {
	m, err := t.member(v.Agent)
	if err != nil {
		return false, err.Error()
	}
	if l := t.decide(v, m, toolName); !l.Keep {
		return false, l.Why
	}
	return true, ""
}

// Tools are the definitions that an agent sees, by name.
func (t *Team) Tools(v View) (seen []tool.Definition) {
	for _, s := range t.See(v) {
		if s.Visible {
			seen = append(seen, s.Definition)
		}
	}
	return seen
}

func (t *Team) installed(_ View, _ member, name string) Layer {
	if slices.ContainsFunc(t.defs, func(d tool.Definition) bool { return d.Name == name }) {
		return Layer{"installed", true, "it is installed on this server"}
	}
	return Layer{"installed", false, "there is no such tool on this server"}
}

func (t *Team) profile(v View, m member, name string) Layer {
	list := profiles[m.template.Profile]
	l := Layer{Name: "profile", Keep: list == nil || holds(list, name)}
	switch {
	case l.Keep:
		l.Why = fmt.Sprintf("the profile %s has it", m.template.Profile)
	case holds(m.template.Tools.AlsoAllow, name):
		l.Keep, l.Why = true, fmt.Sprintf("the profile %s lacks it, but also_allow of this agent adds it", m.template.Profile)
	case v.lends(name):
		l.Keep, l.Why = true, "the owner lets this agent ask colleagues"
	default:
		l.Why = fmt.Sprintf("the profile %s of this agent does not have it", m.template.Profile)
	}
	return l
}

func (t *Team) allow(v View, m member, name string) Layer {
	list := m.template.Tools
	switch {
	case len(list.Allow) == 0:
		return Layer{"allow", true, "this agent has no allow list that narrows its profile"}
	case holds(list.Allow, name) || holds(list.AlsoAllow, name):
		return Layer{"allow", true, "the allow list of this agent has it"}
	case v.lends(name):
		return Layer{"allow", true, "the owner lets this agent ask colleagues"}
	}
	return Layer{"allow", false, "the allow list of this agent does not have it"}
}

func (t *Team) deny(v View, m member, name string) Layer {
	switch {
	case !holds(m.template.Tools.Deny, name):
		return Layer{"deny", true, "no deny list removes it"}
	case v.lends(name):
		return Layer{"deny", true, "the owner lets this agent ask colleagues"}
	}
	return Layer{"deny", false, "the deny list of this agent removes it"}
}

func (t *Team) machine(_ View, _ member, name string) Layer {
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
