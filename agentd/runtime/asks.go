package runtime

import (
	"fmt"
	"strings"
)

// colleagues tells an agent whom the owner lets it ask; empty: nobody beyond what its files say.
func (r *Runtime) colleagues(agent string) string {
	if a, err := r.team.Agent(agent); err != nil || a.Introduced {
		return "" // its files name them
	}
	var b strings.Builder
	for _, id := range r.config().Agents[agent].Asks {
		if a, err := r.team.Agent(id); err == nil {
			fmt.Fprintf(&b, "\n- %s (%s): %s", a.ID, a.Name, a.Description)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n\nColleagues that you may hand a task to with agent_dispatch, by id:" + b.String()
}
