package permission

import (
	"net/url"

	"gatehouse/views/portal"
)

// CloseWindowPath ends a time in which a tool runs without being asked again.
const CloseWindowPath = portal.Permissions + "/windows/close"

// InsidePath is the page of who counts as inside the business.
const InsidePath = portal.Permissions + "/inside"

// insideWith is the page that says what adding an address means.
func insideWith(address string) string {
	return InsidePath + "?" + url.Values{"address": {address}}.Encode() + "#sign"
}

// QuarantinePath is the page of flagged content.
const QuarantinePath = "/app/quarantine"
