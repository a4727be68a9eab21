package team

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// ChatsProps is how conversations are kept.
type ChatsProps struct {
	Queue    string // one of the ways, as the form sends it; empty: what is usual
	Idle     string // hours, as typed; empty: never
	Daily    bool
	Problems map[string]string
}

// The ways, as the settings name them.
const (
	followUp  = "follow-up"
	collect   = "collect"
	steer     = "steer"
	interrupt = "interrupt"
)

// queueOptions are what can become of messages that come while the team is at work.
func queueOptions(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "", Label: i18n.T(ctx, "portal.chats.usual"), Hint: i18n.T(ctx, "portal.chats.usual_hint")},
		{Value: followUp, Label: i18n.T(ctx, "portal.chats.follow"), Hint: i18n.T(ctx, "portal.chats.follow_hint")},
		{Value: collect, Label: i18n.T(ctx, "portal.chats.collect"), Hint: i18n.T(ctx, "portal.chats.collect_hint")},
		{Value: steer, Label: i18n.T(ctx, "portal.chats.steer"), Hint: i18n.T(ctx, "portal.chats.steer_hint")},
		{Value: interrupt, Label: i18n.T(ctx, "portal.chats.interrupt"), Hint: i18n.T(ctx, "portal.chats.interrupt_hint")},
	}
}
