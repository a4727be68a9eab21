package portal

import (
	"context"

	"gatehouse/views/i18n"
)

// Unread says that a part of a page could not be read: because the server is away, or for itself alone.
func Unread(ctx context.Context, away bool) string {
	if away {
		return i18n.T(ctx, "portal.away.panel")
	}
	return i18n.T(ctx, "portal.unread")
}
