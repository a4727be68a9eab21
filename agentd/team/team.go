package team

import (
	"errors"

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

// Team is the agents of one server.
type Team struct{}

// ErrUnknown says that no agent has this id.
var ErrUnknown = errors.New("no such agent")

// Install copies the templates into dir (the state directory's agents folder). Files that the owner has edited stay
// as they are.
func Install(dir string) error { return errors.New("not built") }

// Load reads the agents in dir. defs are the tools installed on this server; off names tools that this machine cannot
// offer, with the reason.
func Load(dir string, defs []tool.Definition, off map[string]string) (*Team, error) {
	return nil, errors.New("not built")
}

// Agents lists the team, the dispatcher first.
func (t *Team) Agents() []Agent { return nil }

// Agent finds an agent by id, or answers ErrUnknown.
func (t *Team) Agent(id string) (Agent, error) { return Agent{}, ErrUnknown }

// Tools are the definitions that an agent sees, in a fixed order.
func (t *Team) Tools(agent string) []tool.Definition { return nil }

// Visible says whether an agent sees a tool, and if not, which layer removed it.
func (t *Team) Visible(agent, toolName string) (ok bool, why string) { return false, "" }

// Layer is one step of an explanation.
type Layer struct {
	Name string // "installed", "profile", "agent allow", "deny", "machine"
	Keep bool
	Why  string
}

// Explain says layer by layer why an agent sees a tool or does not. Layers after the one that removed it are left out.
func (t *Team) Explain(agent, toolName string) ([]Layer, error) { return nil, ErrUnknown }
