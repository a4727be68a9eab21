package portal

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/ui"
)

// namesKept bounds how many teams' names are remembered; forgetting one costs a nicer name for a moment.
const namesKept = 10_000

// names remembers how the agents of each customer are called. A team is read from its server; pages that do not need
// the server must not wait for it just to say a name.
type names struct {
	mu sync.Mutex
	of map[account.CustomerID]map[string]ui.Agent
}

func newNames() *names {
	return &names{of: map[account.CustomerID]map[string]ui.Agent{}}
}

// learn takes over the names of a team that was read anyway; one without agents was not.
func (n *names) learn(of account.CustomerID, team wire.AgentsResult) {
	if len(team.Items) == 0 {
		return
	}
	known := make(map[string]ui.Agent, len(team.Items))
	for _, a := range team.Items {
		known[a.ID] = ui.Agent{ID: a.ID, Name: a.Name, Role: a.Role}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.of) >= namesKept {
		clear(n.of)
	}
	n.of[of] = known
}

// agent says how an agent is called; one that was never read is called by its id, spelled for people.
func (n *names) agent(of account.CustomerID, id string) ui.Agent {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a, ok := n.of[of][id]; ok {
		return a
	}
	return card.Unread(id)
}

// knows says whether an agent was in the team when that was read, and whether it was read at all.
func (n *names) knows(of account.CustomerID, id string) (known, read bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	team, read := n.of[of]
	_, known = team[id]
	return known, read
}

// all gives the agents of a team that are known, by id.
func (n *names) all(of account.CustomerID) []ui.Agent {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := slices.Collect(maps.Values(n.of[of]))
	slices.SortFunc(out, func(a, b ui.Agent) int { return strings.Compare(a.ID, b.ID) })
	return out
}
