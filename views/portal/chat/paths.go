package chat

import (
	"net/url"

	"gatehouse/views/portal"
)

// OlderPath is the turns of a conversation before one of them.
func OlderPath(session, before string) string {
	return portal.ChatPath(session) + "?before=" + url.QueryEscape(before)
}

// RenamePath gives a conversation another name.
func RenamePath(session string) string { return portal.ChatPath(session) + "/rename" }

// ArchivePath takes a conversation out of the list, or puts it back.
func ArchivePath(session string) string { return portal.ChatPath(session) + "/archive" }

// DeletePath says what deleting a conversation means, and does it.
func DeletePath(session string) string { return portal.ChatPath(session) + "/delete" }

// ArchivedPath is the list of the conversations that were archived.
const ArchivedPath = portal.Conversations + "?show=archived"

// DeletedPath is the list after a conversation was deleted; the browser drops what was being written in it.
func DeletedPath(session string) string {
	return portal.Conversations + "?deleted=" + url.QueryEscape(session)
}
