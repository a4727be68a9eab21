package ui

import (
	"context"
	"hash/fnv"
	"strings"
	"unicode/utf8"

	"gatehouse/views/i18n"
)

// Agent is an AI employee as pages show it.
type Agent struct {
	ID    string // "it-admin"
	Name  string // "IT admin"
	Role  string // one line about what it is for; may be empty
	State string // idle, working, waiting, off, broken, or "" to show none
	Href  string // its page; may be empty
}

// initials are what stands in an avatar: the first letters of the first two words.
func (a Agent) initials() string {
	words := strings.FieldsFunc(a.Name, func(r rune) bool { return r == ' ' || r == '-' })
	out := ""
	for i := 0; i < len(words) && i < 2; i++ {
		r, _ := utf8.DecodeRuneInString(words[i])
		out += strings.ToUpper(string(r))
	}
	if out == "" {
		return "?"
	}
	return out
}

// hues are the colours of the agents that every team starts with.
var hues = map[string]string{"dispatcher": "1", "it-admin": "2", "secretary": "4"}

// hue picks one of the five chart colours, the same for an agent everywhere.
func (a Agent) hue() string {
	if h, ok := hues[a.ID]; ok {
		return h
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(a.ID))
	return string("12345"[h.Sum32()%5])
}

// glyph tells the role apart without colour.
func (a Agent) glyph() string {
	switch a.ID {
	case "dispatcher":
		return "role-dispatch"
	case "it-admin":
		return "role-it"
	case "secretary":
		return "role-desk"
	}
	return "role-agent"
}

var agentStates = map[string]i18n.Key{
	"idle": "ui.agent.idle", "working": "ui.agent.working", "waiting": "ui.agent.waiting", "off": "ui.agent.off",
	"broken": "ui.agent.broken", "paused": "ui.agent.paused",
}

// AgentState is what an agent is doing, in words; "" for a state that is not shown.
func AgentState(ctx context.Context, state string) string {
	if key, ok := agentStates[state]; ok {
		return i18n.T(ctx, key)
	}
	return ""
}
