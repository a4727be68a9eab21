package team

import (
	"slices"
	"sync/atomic"

	"gatehouse/agentd/tool"
)

// Live is the team that is in force now. Whoever asks twice may hear of two teams: a run keeps the words that it began with, and
// asks anew before each step and each call which tools its agent has and whether it is still there. So what the owner takes from
// an agent is gone at once, also from a run that is at work. The zero value holds no team.
type Live struct{ now atomic.Pointer[Team] }

// Set puts a team in force.
func (l *Live) Set(t *Team) { l.now.Store(t) }

// Now is the team in force.
func (l *Live) Now() *Team { return l.now.Load() }

// Agents lists those who can work, the dispatcher first.
func (l *Live) Agents() []Agent { return l.Now().Agents() }

// Broken lists the agents that cannot work.
func (l *Live) Broken() []Broken { return l.Now().Broken() }

// Agent finds an agent by id, or answers ErrUnknown or ErrBroken.
func (l *Live) Agent(id string) (Agent, error) { return l.Now().Agent(id) }

// Tools are the definitions that an agent sees, by name.
func (l *Live) Tools(v View) []tool.Definition { return l.Now().Tools(v) }

// See says of each tool of this server whether an agent sees it, and if not, which layer removed it.
func (l *Live) See(v View) []Sight { return l.Now().See(v) }

// Lacks says why this server does not have a tool; empty when it has.
func (t *Team) Lacks(name string) string {
	switch {
	case !slices.ContainsFunc(t.defs, func(d tool.Definition) bool { return d.Name == name }):
		return "This server does not have it yet."
	case t.off[name] != "":
		return "This machine cannot run it safely."
	}
	return ""
}
