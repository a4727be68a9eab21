//go:build failpoint

package failpoint

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// On says whether this binary was built with fail points.
const On = true

// Names of the variables that steer a test build: "name:k" kills at the k-th hit of name; the trace gets the name of every
// point that is hit, one a line. A file chooses while the process runs: its first line is the point, hits are counted from
// when it is first seen, and it is taken away before the death, so that the next process dies at the next line or at none.
const (
	EnvPoint = "FAILPOINT"
	EnvFile  = "FAILPOINT_FILE"
	EnvTrace = "FAILPOINT_TRACE"
)

var (
	mu     sync.Mutex
	chosen = os.Getenv(EnvPoint)
	hits   = map[string]int{}
)

// Hit counts a hit of the point and ends the process, without any chance to tidy up, when it is the chosen one.
func Hit(name string) {
	mu.Lock()
	defer mu.Unlock()
	rest := choose(os.Getenv(EnvFile))
	hits[name]++
	trace(name)
	want, k, _ := strings.Cut(chosen, ":")
	if n, err := strconv.Atoi(k); err == nil && want == name && hits[name] == n {
		leave(os.Getenv(EnvFile), rest)
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

// choose takes the point from the first line of the file, where there is one, and gives the other lines.
func choose(path string) (rest string) {
	if path == "" {
		return ""
	}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic("failpoint file: " + err.Error())
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	if first != chosen {
		chosen, hits = first, map[string]int{}
	}
	return rest
}

// leave puts what comes after the chosen point into the file, at once.
func leave(path, rest string) {
	if path == "" {
		return
	}
	if err := os.WriteFile(path+".next", []byte(rest), 0o600); err != nil {
		panic("failpoint file: " + err.Error())
	}
	if err := os.Rename(path+".next", path); err != nil {
		panic("failpoint file: " + err.Error())
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
