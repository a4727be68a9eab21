package portal

import (
	"context"

	"gatehouse/views/i18n"
)

var effectWords = map[string]i18n.Key{"allow": "portal.effect.allow", "ask": "portal.effect.ask", "deny": "portal.effect.deny"}

// EffectWord says what the gate does with a call: allow, ask or deny.
func EffectWord(ctx context.Context, e string) string {
	if key, ok := effectWords[e]; ok {
		return i18n.T(ctx, key)
	}
	return e
}
