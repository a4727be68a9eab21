package local

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain is also the agentd of these tests: a host that starts this binary as agentd gets the fake.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "approver": // a command that agentd answers at once
		fmt.Println("the code of " + os.Args[2])
		os.Exit(0)
	case strings.HasPrefix(os.Args[0], agent.title):
		os.Exit(fakeAgentd())
	case strings.HasPrefix(os.Args[0], proxy.title):
		os.Exit(fakeProxy())
	}
	os.Exit(m.Run())
}

// seen is what the fake finds around itself, written to seen.json in its state directory.
type seen struct {
	Env       []string
	Args      []string
	UID       int
	Token     string
	Key       string
	Show      string // what agentd shows to the proxy
	Forbidden string // what it could read of the hub's own files, against the rules
}

// fakeProxy says what it finds and waits for its end.
func fakeProxy() int {
	state := os.Getenv("AGENTD_PROXY_STATE")
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	token, _ := os.ReadFile(filepath.Join(state, proxyToken))
	key, _ := os.ReadFile(filepath.Join(state, keyFile))
	agents, err := os.ReadDir(filepath.Join(filepath.Dir(state), stateDir))
	s := seen{Env: os.Environ(), Args: os.Args, UID: os.Getuid(), Token: string(token), Key: string(key)}
	if err == nil {
		s.Forbidden = fmt.Sprint(agents)
	}
	if err := s.write(state); err != nil {
		return 1
	}
	<-term
	return 0
}

// write puts it down whole.
func (s seen) write(dir string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "seen.json.new"), b, fs.FileMode(0o600)); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, "seen.json.new"), filepath.Join(dir, "seen.json"))
}

// fakeAgentd reads its token like agentd and uses it up, then waits for its end. A file "fault" in the data root makes
// it end with the code in it, "stubborn" makes it deaf to SIGTERM.
func fakeAgentd() int {
	state, data := os.Getenv("AGENTD_STATE"), os.Getenv("AGENTD_DATA")
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	fmt.Println("fake agentd is up")
	token, _ := os.ReadFile(os.Getenv("AGENTD_TOKEN_FILE"))
	_ = os.Remove(os.Getenv("AGENTD_TOKEN_FILE"))
	key, _ := os.ReadFile(filepath.Join(state, "model.key"))
	show, _ := os.ReadFile(filepath.Join(state, proxyToken))
	record, err := os.ReadFile(filepath.Join(filepath.Dir(state), recordFile))
	s := seen{Env: os.Environ(), Args: os.Args, UID: os.Getuid(), Token: string(token), Key: string(key), Show: string(show)}
	if err == nil {
		s.Forbidden = string(record)
	}
	if err := s.write(state); err != nil {
		fmt.Println(err)
		return 1
	}
	if b, err := os.ReadFile(filepath.Join(data, "fault")); err == nil {
		var code int
		_, _ = fmt.Sscan(string(b), &code)
		return code
	}
	for range term {
		if _, err := os.Stat(filepath.Join(data, "stubborn")); err != nil {
			fmt.Println("fake agentd ends")
			return 0
		}
	}
	return 0
}
