package server

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

func DiskMeter(ctx context.Context, h HealthProps) ui.Meter {
	return meter(i18n.T(ctx, "portal.server.disk"), ctx, h.DiskUsed, h.DiskTotal)
}

func MemMeter(ctx context.Context, h HealthProps) ui.Meter {
	return meter(i18n.T(ctx, "portal.server.memory"), ctx, h.MemUsed, h.MemTotal)
}

func meter(label string, ctx context.Context, used, full int64) ui.Meter {
	return ui.Meter{
		Label: label, Used: used, Full: full,
		Text: i18n.T(ctx, "portal.server.used", "used", ui.Bytes(ctx, used), "full", ui.Bytes(ctx, full), "share", ui.Percent(used, full)),
	}
}
