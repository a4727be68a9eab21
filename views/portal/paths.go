package portal

import "net/url"

// The pages that the menu or another section leads to. What only one section links to stands in its own paths.go.
const (
	Home          = "/app"
	Chat          = "/app/chat"
	Conversations = "/app/conversations"
	Agents        = "/app/agents"
	Limits        = "/app/agents/limits" // what the team may use
	Activity      = "/app/activity"
	Permissions   = "/app/permissions"
	Credentials   = "/app/credentials"
	Files         = "/app/files"
	Memory        = "/app/memory"
	Schedules     = "/app/schedules"
	Hooks         = "/app/hooks"    // what programs outside send, and what it has the team do
	Channels      = "/app/channels" // other ways to write to the team
	Server        = "/app/server"
	Usage         = "/app/usage"
	Support       = "/app/server/support" // what our staff may look at, and for how long
	Billing       = "/app/billing"
	CardPath      = "/app/billing/card"
	PayPath       = "/app/billing/pay"
	PaidPattern   = "/app/billing/paid/:id"
	Settings      = "/app/settings"
	Approvers     = "/app/settings/approvers"
	People        = "/app/settings/people"
	Notifications = "/app/settings/notifications"
	Stream        = "/app/stream" // what changes on an open page
)

// ChatPath is one conversation.
func ChatPath(session string) string { return Chat + "/" + url.PathEscape(session) }

// ChatAgentPath is a conversation with one agent.
func ChatAgentPath(agent string) string { return Chat + "/agent/" + url.PathEscape(agent) }

// AgentPath is one agent.
func AgentPath(agent string) string { return Agents + "/" + url.PathEscape(agent) }

// RunPath is one run with its evidence.
func RunPath(run string) string { return "/app/runs/" + url.PathEscape(run) }

// StopPath stops a run.
func StopPath(run string) string { return RunPath(run) + "/stop" }

// PutBackPath is where what a call has overwritten is put back.
func PutBackPath(call string) string { return "/app/changes/" + url.PathEscape(call) }

// FilePath is one file of the business.
func FilePath(path string) string { return Files + "/view?" + url.Values{"path": {path}}.Encode() }

// EvidencePath is the evidence panel of a run, with its receipts.
func EvidencePath(run string) string { return RunPath(run) + "/evidence" }

// NextPage is the address of the page after one, "" at the end.
func NextPage(path string, q url.Values, next string) string {
	if next == "" {
		return ""
	}
	q.Set("after", next)
	for name, v := range q {
		if len(v) == 0 || v[0] == "" {
			q.Del(name)
		}
	}
	return path + "?" + q.Encode()
}
