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
	Category    string
	Starters    []string // messages to begin a conversation with
	Needs       []Need
	Prompt      string // its files, joined: the cacheable head of every prompt
	Public      string // the same where a stranger writes: without its notes on tools and without its colleagues
	Introduced  bool   // the prompt names its colleagues, since its files let it hand tasks to all
}

// Need is a tool that an agent's work stands on.
type Need struct {
	Tool string `yaml:"tool"`
	For  string `yaml:"for"` // what for, in words that follow "to"
}

// Team is the agents of one server. It never changes once it is loaded; Live holds the one that is in force.
type Team struct {
	members []member
	broken  []Broken
	defs    []tool.Definition // installed, by name
	off     map[string]string // tools that this machine cannot offer, with the reason
}

type member struct {
	Agent
	template template
}

// Broken is an agent that cannot work because of its files.
type Broken struct{ ID, Why string }

// ErrUnknown says that no agent has this id, ErrBroken that it cannot work because of its files.
var (
	ErrUnknown = errors.New("no such agent")
	ErrBroken  = errors.New("the files of this agent cannot be read")
)

// Broken lists the agents that cannot work.
func (t *Team) Broken() []Broken { return t.broken }

// Agents lists those who can work, the dispatcher first.
func (t *Team) Agents() []Agent {
	all := make([]Agent, len(t.members))
	for i, m := range t.members {
		all[i] = m.Agent
	}
	return all
}

// Agent finds an agent by id, or answers ErrUnknown or ErrBroken.
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
	for _, b := range t.broken {
		if b.ID == id {
			return member{}, fmt.Errorf("%w: %s", ErrBroken, b.Why)
		}
	}
	return member{}, fmt.Errorf("%w: %s", ErrUnknown, id)
}

// introduce tells those who can delegate who the others are.
func (t *Team) introduce() {
	for i, m := range t.members {
		if ok, _ := t.Visible(View{Agent: m.ID}, dispatchTool); !ok {
			continue
		}
		var b strings.Builder
		b.WriteString(m.Prompt + "\n\nYour colleagues, by id:")
		for _, other := range t.members {
			if other.ID != m.ID {
				fmt.Fprintf(&b, "\n- %s (%s): %s", other.ID, other.Name, other.Description)
			}
		}
		t.members[i].Prompt, t.members[i].Introduced = b.String(), true
	}
}
