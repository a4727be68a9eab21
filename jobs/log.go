package jobs

import (
	"context"
	"log/slog"
)

// warnings is log without what River says when all is well: it counts its jobs every few seconds.
func warnings(log *slog.Logger) *slog.Logger {
	return slog.New(onlyWarnings{log.Handler()})
}

type onlyWarnings struct{ slog.Handler }

func (h onlyWarnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

func (h onlyWarnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return onlyWarnings{h.Handler.WithAttrs(attrs)}
}

func (h onlyWarnings) WithGroup(name string) slog.Handler {
	return onlyWarnings{h.Handler.WithGroup(name)}
}
