package chat

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/views/i18n"
)

var endings = map[wire.RunState]i18n.Key{
	wire.RunDone: "portal.say.done", wire.RunFailed: "portal.say.failed", wire.RunStopped: "portal.say.stopped",
}

// ended says to those who do not see the page that an answer is over.
func ended(ctx context.Context, s wire.RunState) string {
	if key, ok := endings[s]; ok {
		return i18n.T(ctx, key)
	}
	return ""
}
