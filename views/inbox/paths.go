package inbox

import "net/url"

// OnePath is one approval of the inbox mounted at base. Answers are posted there too.
func OnePath(base, id string) string { return base + "/" + url.PathEscape(id) }

// EditPath is where the arguments of an approval are changed.
func EditPath(base, id string) string { return OnePath(base, id) + "/edit" }

// alwaysPath is where a rule is made of an approval; empty for what is always asked, whatever rules say, and for staff.
func alwaysPath(p CardProps) string {
	if p.Staff || p.Tier == "critical_red" {
		return ""
	}
	return "/app/permissions?from=" + url.QueryEscape(p.ID) + "#rules"
}

// HistoryPath is what was decided.
func HistoryPath(base string) string { return base + "/history" }

// turnPath is the message that a call serves.
func turnPath(session, run string) string {
	return "/app/chat/" + url.PathEscape(session) + "#turn-" + url.PathEscape(run) + "-asks"
}
