package team

import (
	"errors"
	"fmt"
	"strings"

	"gatehouse/agentd/tool"
)

// Agent is one AI employee as its files describe it.
type Agent struct {
	ID          string
	Name        string
	Role        string
	Emoji       string
	Description string
	Starters    []string // messages to begin a conversation with
	Prompt      string   // its files, joined: the cacheable head of every prompt
}

// Team is the agents of one server. It never changes once it is loaded.
type Team struct {
	members []member
	defs    []tool.Definition            // installed, by name
	off     map[string]string            // tools that this machine cannot offer, with the reason
	visible map[string][]tool.Definition // by agent
}

type member struct {
	Agent
	template template
}

// ErrUnknown says that no agent has this id.
var ErrUnknown = errors.New("no such agent")

// Agents lists the team, the dispatcher first.
func (t *Team) Agents() []Agent {
	all := make([]Agent, len(t.members))
	for i, m := range t.members {
		all[i] = m.Agent
	}
	return all
}

// Agent finds an agent by id, or answers ErrUnknown.
func (t *Team) Agent(id string) (Agent, error) {
	m, err := t.member(id)
	return m.Agent, err
}

func (t *Team) member(id string) (member, error) {
	for _, m := range t.members {
		if m.ID == id {
			return m, nil
		}
	}
	return member{}, fmt.Errorf("%w: %s", ErrUnknown, id)
}

// Installed lists every tool of this server by name.
func (t *Team) Installed() []tool.Definition { return t.defs }

// introduce tells those who can delegate who the others are.
func (t *Team) introduce() {
	for i, m := range t.members {
		if ok, _ := t.Visible(m.ID, "agent_dispatch"); !ok {
			continue
		}
		var b strings.Builder
		b.WriteString(m.Prompt + "\n\nYour colleagues, by id:")
		for _, other := range t.members {
			if other.ID != m.ID {
				fmt.Fprintf(&b, "\n- %s (%s): %s", other.ID, other.Name, other.Description)
			}
		}
		t.members[i].Prompt = b.String()
	}
}
