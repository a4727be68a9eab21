package portal

import "net/url"

// The pages of the portal.
const (
	Home          = "/app"
	Chat          = "/app/chat"
	Conversations = "/app/conversations"
	Agents        = "/app/agents"
	Activity      = "/app/activity"
	Server        = "/app/server"
	Settings      = "/app/settings"
	Stream        = "/app/stream"
	SignOutAll    = "/app/settings/sign-out-everywhere"
	Zone          = "/app/settings/time-zone"
	Tokens        = "/app/settings/tokens"
	Approvers     = "/app/settings/approvers"
	KeyRequests   = "/app/settings/approver-requests"
	DefaultLevel  = "/app/agents/default-level"
	newPassword   = "/auth/forgot" // a page that needs no sign-in
)

// ChatPath is one conversation.
func ChatPath(session string) string { return Chat + "/" + url.PathEscape(session) }

// OlderPath is the turns of a conversation before one of them.
func OlderPath(session, before string) string {
	return ChatPath(session) + "?before=" + url.QueryEscape(before)
}

// ChatAgentPath is a conversation with one agent.
func ChatAgentPath(agent string) string { return Chat + "/agent/" + url.PathEscape(agent) }

// AgentPath is one agent.
func AgentPath(agent string) string { return Agents + "/" + url.PathEscape(agent) }

// AutonomyPath is the level of one agent.
func AutonomyPath(agent string) string { return AgentPath(agent) + "/autonomy" }

// ExternalPath is what one agent may send outside.
func ExternalPath(agent string) string { return AgentPath(agent) + "/external" }

// RunPath is one run with its evidence.
func RunPath(run string) string { return "/app/runs/" + url.PathEscape(run) }

// talkPath leads to where a call waits in the conversation of its run.
func talkPath(run, call string) string { return RunPath(run) + "/talk#secret-" + url.PathEscape(call) }

// StopPath stops a run.
func StopPath(run string) string { return RunPath(run) + "/stop" }

// backPages are where what a write has replaced is put back.
const backPages = "/app/changes"

// BackPath is one of them, by the call that wrote.
func BackPath(call string) string { return backPages + "/" + url.PathEscape(call) }

// EvidencePath is the evidence panel of a run, with its receipts.
func EvidencePath(run string) string { return RunPath(run) + "/evidence" }

// RevokePath ends an API token.
func RevokePath(token string) string { return Tokens + "/" + url.PathEscape(token) + "/revoke" }

// RequestPath is where a device that waits for its key is answered: "add" or "refuse".
func RequestPath(key, act string) string { return KeyRequests + "/" + url.PathEscape(key) + "/" + act }

// RevokeKeyPath ends an approver key.
func RevokeKeyPath(key string) string { return Approvers + "/" + url.PathEscape(key) + "/revoke" }
