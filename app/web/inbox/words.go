package inbox

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

var earlier = map[wire.ApprovalState]i18n.Key{
	wire.ApprovalAllowed: "inbox.earlier.allowed", wire.ApprovalDenied: "inbox.earlier.denied",
	wire.ApprovalWithdrawn: "inbox.earlier.withdrawn", wire.ApprovalSuperseded: "inbox.earlier.superseded",
}

// conflictWords say why an answer was not taken: with the earlier decision, if there is one.
func conflictWords(ctx context.Context, err error) string {
	var d *approval.DecidedError
	if errors.As(err, &d) {
		if d.State == wire.ApprovalExpired {
			return i18n.Say(ctx, approval.ErrExpired.Public)
		}
		if key, ok := earlier[d.State]; ok {
			return i18n.T(ctx, key, "who", d.By, "when", ui.Deadline(ctx, d.Time))
		}
	}
	f := fault.Of(err)
	if len(f.Fields) == 0 {
		return i18n.Say(ctx, f.Public)
	}
	return strings.Join(slices.Sorted(maps.Values(i18n.SayAll(ctx, f.Fields))), " ")
}
