package rig

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// cleanEnv is our environment without what would change the demo.
func cleanEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "MODEL_"), strings.HasPrefix(name, "HUB_"), strings.HasPrefix(name, "AGENTD_"), strings.HasPrefix(name, "SMTP_"),
			name == "DATABASE_URL", name == "GATEHOUSE_DIR", name == "NATS_URL", name == "LOG_LEVEL":
		default:
			env = append(env, kv)
		}
	}
	return env
}

// processes maps every process to its command line, and to its state folder where only the environment names that.
func processes() (map[int]string, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	all := map[int]string{}
	for _, f := range files {
		var pid int
		b, err := os.ReadFile(f)
		if _, scanErr := fmt.Sscanf(f, "/proc/%d/cmdline", &pid); err != nil || scanErr != nil || len(b) == 0 {
			continue // it ended meanwhile, or is a thread of the kernel
		}
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // not ours to read for other users' processes
		all[pid] = string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})) + " " + stateOf(env)
	}
	return all, nil
}

func stateOf(env []byte) string {
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		for _, name := range []string{"AGENTD_STATE=", "AGENTD_PROXY_STATE="} {
			if v, ok := bytes.CutPrefix(kv, []byte(name)); ok {
				return string(v)
			}
		}
	}
	return ""
}

// tail keeps the last 64 KB that were written.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b = append(w.b, p...)
	w.b = w.b[max(0, len(w.b)-64<<10):]
	return len(p), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.b)
}
