package roster

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// ErrNoAgent says that an agent is not in the team.
var ErrNoAgent = fault.New(fault.NotFound, "no-agent", "no such agent", "There is no agent with this name in your team.")

// mostTeams bounds how many teams are remembered; forgetting one costs a nicer name for a moment.
const mostTeams = 10_000

// Roster remembers how the agents of each customer are called. A team is read from its server; pages that do not need
// the server must not wait for it just to say a name.
type Roster struct {
	mu    sync.Mutex
	teams map[account.CustomerID]map[string]ui.Agent
}

// New makes a roster that knows no team.
func New() *Roster { return &Roster{teams: map[account.CustomerID]map[string]ui.Agent{}} }

// Learn takes over the names of a team that was read anyway; a team without agents was not read.
func (r *Roster) Learn(of account.CustomerID, team wire.AgentsResult) {
	if len(team.Items) == 0 {
		return
	}
	known := make(map[string]ui.Agent, len(team.Items))
	for _, a := range team.Items {
		known[a.ID] = ui.Agent{ID: a.ID, Name: a.Name, Role: a.Role}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.teams) >= mostTeams {
		clear(r.teams)
	}
	r.teams[of] = known
}

// Agent says how an agent is called, in the language of the page; one that was never read is called by its id, spelled for
// people.
func (r *Roster) Agent(ctx context.Context, of account.CustomerID, id string) ui.Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.teams[of][id]; ok {
		a.Name = i18n.Say(ctx, a.Name)
		return a
	}
	return card.Unread(id)
}

// Knows reports whether an agent was in the team when that was read, and whether it was read at all.
func (r *Roster) Knows(of account.CustomerID, id string) (known, read bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	team, read := r.teams[of]
	_, known = team[id]
	return known, read
}

// All gives the known agents of a team, by id.
func (r *Roster) All(ctx context.Context, of account.CustomerID) []ui.Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := slices.Collect(maps.Values(r.teams[of]))
	for i := range out {
		out[i].Name = i18n.Say(ctx, out[i].Name)
	}
	slices.SortFunc(out, func(a, b ui.Agent) int { return strings.Compare(a.ID, b.ID) })
	return out
}
