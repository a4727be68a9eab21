package team

import "gatehouse/views/portal"

// DefaultLevelPath sets the level of every agent that has none of its own.
const DefaultLevelPath = portal.Agents + "/default-level"

// AutonomyPath is the level of one agent.
func AutonomyPath(agent string) string { return portal.AgentPath(agent) + "/autonomy" }

// ModelPath is what one agent thinks with, and how much of it a day.
func ModelPath(agent string) string { return portal.AgentPath(agent) + "/model" }

// ExternalPath is what one agent may send outside.
func ExternalPath(agent string) string { return portal.AgentPath(agent) + "/external" }
