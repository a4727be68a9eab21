package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProcess_logsOneWay: what parts log that were given no logger passes redaction too, in the form of all other lines.
func TestProcess_logsOneWay(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	s.kill()
	canary := "glpat" + "-" + strings.ReplaceAll(newUUID(), "-", "")[12:]
	if err := os.MkdirAll(filepath.Join(s.state, "staged", canary), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.state, "staged", canary, "meta.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.back()
	log := s.log.String()
	if !strings.Contains(log, "staged call could not be cleared") || strings.Contains(log, canary) {
		t.Errorf("the log says %s", log)
	}
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of another form: %s", line)
		}
	}
}
