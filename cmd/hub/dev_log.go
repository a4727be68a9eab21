package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
)

// maxDevLog is where the log of earlier runs is moved aside, in bytes.
const maxDevLog = 20 << 20

// devLogger keeps the whole log in a file of the data folder and shows people on the terminal only what they should
// know of: warnings and errors, in words.
func devLogger(terminal io.Writer, dir string, level slog.Level) (*slog.Logger, func(), error) {
	path := filepath.Join(dir, "hub.log")
	if st, err := os.Stat(path); err == nil && st.Size() > maxDevLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, nil, fmt.Errorf("log file: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("log file: %w", err)
	}
	whole := slog.NewJSONHandler(redacting{f}, &slog.HandlerOptions{Level: level})
	short := slog.NewTextHandler(redacting{terminal}, &slog.HandlerOptions{Level: max(level, slog.LevelWarn)})
	return slog.New(slog.NewMultiHandler(whole, short)), func() { _ = f.Close() }, nil
}
