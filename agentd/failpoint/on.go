//go:build failpoint

package failpoint

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// On says whether this binary was built with fail points.
const On = true

// Names of the variables that steer a test build: "name:k" kills at the k-th hit of name; the file gets the name of
// every point that is hit, one a line.
const (
	EnvPoint = "FAILPOINT"
	EnvTrace = "FAILPOINT_TRACE"
)

var (
	mu   sync.Mutex
	hits = map[string]int{}
)

// Hit counts a hit of the point and ends the process, without any chance to tidy up, when it is the chosen one.
func Hit(name string) {
	mu.Lock()
	defer mu.Unlock()
	hits[name]++
	trace(name)
	want, k, _ := strings.Cut(os.Getenv(EnvPoint), ":")
	if n, err := strconv.Atoi(k); err == nil && want == name && hits[name] == n {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

func trace(name string) {
	path := os.Getenv(EnvTrace)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic("failpoint trace: " + err.Error())
	}
	_, _ = f.WriteString(name + "\n")
	_ = f.Close()
}
