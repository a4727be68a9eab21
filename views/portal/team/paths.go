package team

import "gatehouse/views/portal"

// DefaultLevelPath sets the level of every agent that has none of its own.
const DefaultLevelPath = portal.Agents + "/default-level"

// AutonomyPath is the level of one agent.
func AutonomyPath(agent string) string { return portal.AgentPath(agent) + "/autonomy" }

// ModelPath is what one agent thinks with, and how much of it a day.
func ModelPath(agent string) string { return portal.AgentPath(agent) + "/model" }

// ColleaguesPath is whom one agent may hand tasks to.
func ColleaguesPath(agent string) string { return portal.AgentPath(agent) + "/colleagues" }

// ExternalPath is what one agent may send outside.
func ExternalPath(agent string) string { return portal.AgentPath(agent) + "/external" }

// LibraryPath is what the team can be made of.
const LibraryPath = portal.Agents + "/library"

// ChangePath is where signed acts on the team go.
const ChangePath = portal.Agents + "/change"

// ChatsPath sets how conversations are kept.
const ChatsPath = portal.Limits + "/conversations"

// FilesPath is what makes one agent what it is.
func FilesPath(agent string) string { return portal.AgentPath(agent) + "/files" }
