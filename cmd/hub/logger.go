package main

import (
	"io"
	"log/slog"

	"gatehouse/agentd/redact"
)

// newLogger writes JSON lines, each through the redactor.
func newLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(slog.NewJSONHandler(redacting{w}, &slog.HandlerOptions{Level: level}))
}

// redacting passes what is logged through the one way out.
type redacting struct{ w io.Writer }

func (r redacting) Write(line []byte) (int, error) {
	if _, err := r.w.Write(redact.Bytes(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}
