package chat

import (
	"net/url"

	"gatehouse/views/portal"
)

// OlderPath is the turns of a conversation before one of them.
func OlderPath(session, before string) string {
	return portal.ChatPath(session) + "?before=" + url.QueryEscape(before)
}
