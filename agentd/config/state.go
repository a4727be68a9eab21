package config

import (
	"slices"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// DefaultLevel is the autonomy level of an agent for which nothing is set.
const DefaultLevel = 2

// Beginning is the autonomy level at which an agent of the owner's own begins.
const Beginning = 1

// State is one version of the configuration, ready to be asked.
type State struct {
	cfg    wire.Config
	policy int64
	inside map[string]bool
	rules  rules
}

func newState(cfg wire.Config, policy int64, r rules) State {
	cfg.Business = business(cfg.Business)
	s := State{cfg: cfg, policy: policy, inside: make(map[string]bool, len(cfg.Inside)), rules: r}
	for _, a := range cfg.Inside {
		s.inside[Fold(a)] = true
	}
	return s
}

// Config is the version as the hub sent it, save that the name of the business is one plain line. Do not change what it
// points to.
func (s State) Config() wire.Config { return s.cfg }

// Version is its number; 0 before the first one came.
func (s State) Version() int64 { return s.cfg.Version }

// Policy is the number of the version since which calls are decided as they are now: a later one may have changed only what the
// team may spend.
func (s State) Policy() int64 { return s.policy }

// Level is the effective autonomy level of an agent.
func (s State) Level(agent string) int {
	if own := s.cfg.Agents[agent].Level; own != 0 {
		return own
	}
	return s.cfg.DefaultLevel
}

// Inherited says whether an agent stands at the server's default level.
func (s State) Inherited(agent string) bool { return s.cfg.Agents[agent].Level == 0 }

// Unlocked says whether the owner lets this agent use this tool outward without asking.
func (s State) Unlocked(agent, tool string) bool {
	return slices.Contains(s.cfg.Agents[agent].Unlocked, tool)
}

// Off says whether the owner has switched the agent off.
func (s State) Off(agent string) bool { return s.cfg.Agents[agent].Off }

// Has says whether addr is inside the business.
func (s State) Has(addr string) bool { return s.inside[Fold(addr)] }

// Fold is the form in which addresses are compared: NFKC, then case folded.
func Fold(addr string) string { return cases.Fold().String(norm.NFKC.String(addr)) }

// Rules are the owner's rules, nil or empty when there are none, and their version.
func (s State) Rules() (*policy.Manifest, int64) { return s.rules.manifest, s.rules.version }

// RulesText is permissions.yaml as it is in force.
func (s State) RulesText() string { return s.rules.text }

// StateOf is the state that a version would make, without anything being applied.
func StateOf(cfg wire.Config) State { return newState(cfg, cfg.Version, rules{}) }
