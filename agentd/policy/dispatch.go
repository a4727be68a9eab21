package policy

import "gatehouse/agentd/lazyre"

var slug = lazyre.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// Dispatch classifies handing a task to another agent: harmless in itself, for each call of that agent passes the
// gate, at the lowest level of the chain.
func Dispatch(a DispatchArgs) Class {
	const action = "team.task.dispatch"
	if !slug.MatchString(a.Target) {
		return Refuse(action, "That is not the id of an agent.")
	}
	return Class{Tier: Green, Action: action, Says: "Ask " + a.Target + ": " + visible(a.Task)}
}
