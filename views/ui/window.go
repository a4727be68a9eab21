package ui

import (
	"context"

	"gatehouse/views/i18n"
)

// windowWord names a length that a permission may have.
func windowWord(ctx context.Context, minutes int) string {
	if minutes >= 60 && minutes%60 == 0 {
		return i18n.T(ctx, "ui.window.hours", "n", minutes/60)
	}
	return i18n.T(ctx, "ui.window.minutes", "n", minutes)
}
