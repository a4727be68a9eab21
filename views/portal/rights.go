package portal

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// TalkTo is the way into a conversation; nil for readers who may not talk with the team.
func TalkTo(ctx context.Context, label, href string) *ui.Crumb {
	if !ui.MayChat(ctx) {
		return nil
	}
	return &ui.Crumb{Label: label, Href: href}
}

// rightsSentence says what the reader, a member, may do.
func rightsSentence(ctx context.Context) string {
	switch chat, approve := ui.MayChat(ctx), ui.MayApprove(ctx); {
	case chat && approve:
		return i18n.T(ctx, "portal.rights.both")
	case chat:
		return i18n.T(ctx, "portal.rights.chat")
	case approve:
		return i18n.T(ctx, "portal.rights.approve")
	}
	return i18n.T(ctx, "portal.rights.look")
}
