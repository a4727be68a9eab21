package policy

// SubagentSpawn classifies beginning a sub-agent: harmless in itself, for each of its calls passes the gate, at no higher level
// and within the budgets of the run that begins it.
func SubagentSpawn(a SubagentSpawnArgs) Class {
	const action = "team.subagent.spawn"
	if a.Agent != "" && !slug.MatchString(a.Agent) {
		return Refuse(action, "That is not the id of an agent.")
	}
	return Class{Tier: Green, Action: action, Says: "Begin a sub-agent: " + visible(a.Task)}
}

// SubagentCheck classifies asking how sub-agents stand.
func SubagentCheck(a SubagentCheckArgs) Class {
	if a.Wait {
		return Class{Tier: Green, Action: "team.subagent.check", Says: "Wait for the sub-agents"}
	}
	return Class{Tier: Green, Action: "team.subagent.check", Says: "See how the sub-agents stand"}
}

// SubagentStop classifies stopping a sub-agent: it only ends what was begun.
func SubagentStop(a SubagentStopArgs) Class {
	return Class{Tier: Green, Action: "team.subagent.stop", Says: "Stop the sub-agent " + visible(a.ID)}
}
