package inbox

import (
	"context"
	"errors"
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
			return approval.ErrExpired.Public
		}
		if key, ok := earlier[d.State]; ok {
			return i18n.T(ctx, key, "who", d.By, "when", ui.Deadline(ctx, d.Time))
		}
	}
	f := fault.Of(err)
	if len(f.Fields) == 0 {
		return f.Public
	}
	words := make([]string, 0, len(f.Fields))
	for _, w := range f.Fields {
		words = append(words, w)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}
