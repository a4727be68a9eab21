package permission

import (
	"net/url"

	"gatehouse/views/portal"
)

// CloseWindowPath ends a time in which a tool runs without being asked again.
const CloseWindowPath = portal.Permissions + "/windows/close"

// TextPath is the rules as text.
const TextPath = portal.Permissions + "/yaml"

// UnlockPath is where an agent is let reach people outside without being asked.
func UnlockPath(agent string) string { return portal.AgentPath(agent) + "/external" }

// InsidePath is the page of who counts as inside the business.
const InsidePath = portal.Permissions + "/inside"

// InsideWith is the page that says what adding an address means.
func InsideWith(address string) string {
	return InsidePath + "?" + url.Values{"address": {address}}.Encode() + "#sign"
}

// QuarantinePath is the page of flagged content.
const QuarantinePath = "/app/quarantine"
