package ui

import (
	"context"

	"gatehouse/views/i18n"
)

// tierLook is how a tier shows: never by colour alone.
type tierLook struct {
	name  string // in data-tier
	word  i18n.Key
	glyph string // each has a shape of its own
}

var tierLooks = map[string]tierLook{
	"green":           {"green", "ui.tier.green", "tier-green"},
	"yellow":          {"yellow", "ui.tier.yellow", "tier-yellow"},
	"yellow_external": {"external", "ui.tier.yellow_external", "tier-external"},
	"red":             {"red", "ui.tier.red", "tier-red"},
	"critical_red":    {"critical", "ui.tier.critical_red", "tier-critical"},
	"forbidden":       {"forbidden", "ui.tier.forbidden", "tier-forbidden"},
}

// lookOf finds the look of a tier; one that is not known looks like what is never allowed.
func lookOf(tier string) tierLook {
	if l, ok := tierLooks[tier]; ok {
		return l
	}
	return tierLooks["forbidden"]
}

// TierWord is what people call a tier: "Goes outside".
func TierWord(ctx context.Context, tier string) string { return i18n.T(ctx, lookOf(tier).word) }
