package agentd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// PIDFile is the file in the state directory that says which process runs.
const PIDFile = "agentd.pid"

// PID is the content of PIDFile.
type PID struct {
	PID         int       `json:"pid"`
	StartTime   time.Time `json:"start_time"`
	MetricsAddr string    `json:"metrics_addr"`
}

// writePID tells others which process this is. It is written aside first, so that nobody reads half of it.
func (d *Daemon) writePID(metrics string) error {
	b, err := json.Marshal(PID{PID: os.Getpid(), StartTime: d.started.UTC(), MetricsAddr: metrics})
	if err != nil {
		return fmt.Errorf("write pid: %w", err)
	}
	path := filepath.Join(d.cfg.State, PIDFile)
	if err := errors.Join(os.WriteFile(path+".new", append(b, '\n'), 0o600), os.Rename(path+".new", path)); err != nil {
		return fmt.Errorf("write pid: %w", err)
	}
	return nil
}

func (d *Daemon) removePID() error {
	if err := os.Remove(filepath.Join(d.cfg.State, PIDFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove pid: %w", err)
	}
	return nil
}
