package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// endpoint is a model that writes down who asks. A message with the word "hold" it answers in halves, the second one
// after a nod.
type endpoint struct {
	srv *httptest.Server
	nod chan struct{}

	mu    sync.Mutex
	asked []http.Header
	last  string // body
	holds int
}

func newEndpoint(t *testing.T) *endpoint {
	e := &endpoint{nod: make(chan struct{})}
	e.srv = httptest.NewServer(e)
	t.Cleanup(func() { e.srv.CloseClientConnections(); e.srv.Close() })
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it broke off
	}
	e.mu.Lock()
	e.asked, e.last = append(e.asked, r.Header.Clone()), string(body)
	hold := bytes.Contains(body, []byte("please hold"))
	if hold {
		e.holds++
	}
	e.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(text, finish string) {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":%s}]}\n\n", text, finish)
		w.(http.Flusher).Flush()
	}
	say("Good ", "null")
	if hold {
		select {
		case <-e.nod:
		case <-r.Context().Done():
			return
		}
	}
	say("day.", `"stop"`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func (e *endpoint) held() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.holds
}

// heard is what was asked last.
func (e *endpoint) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

// proxies lists the model proxies of a server's state directory.
func (s *server) proxies() (pids []int) {
	s.t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(b, []byte("AGENTD_PROXY_STATE="+filepath.Join(s.state, "proxy"))) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// soon waits until ok holds, at most for a minute.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// TestAgentd_modelThroughTheProxy kills the model proxy in the middle of an answer: agentd waits, asks again when it is
// back, and never goes to the endpoint itself. The key is where agentd does not read it, and ends with the proxy.
func TestAgentd_modelThroughTheProxy(t *testing.T) {
	t.Parallel()
	h, e := newHub(t), newEndpoint(t)
	s := start(t, h, "MODEL_BASE_URL="+e.srv.URL+"/v1", "MODEL_NAME=scripted")
	s.signal(syscall.SIGTERM)
	s.end()
	key := "key-of-the-" + "endpoint"
	if err := os.WriteFile(filepath.Join(s.state, "model.key"), []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.back()
	if run := h.ended(h.say("Hello")); run.State != wire.RunDone {
		t.Fatalf("the first run ended %s", run.State)
	}
	for _, name := range []string{"model.key", "proxy/model.key"} { // it lies sealed in the proxy's vault
		if _, err := os.Stat(filepath.Join(s.state, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range []string{"agentd.db", "agentd.db-wal", "proxy/agentd.db", "proxy/agentd.db-wal"} {
		if b, err := os.ReadFile(filepath.Join(s.state, name)); err == nil && bytes.Contains(b, []byte(key)) {
			t.Errorf("the key stands open in %s", name)
		}
	}
	root := h.say("please hold")
	soon(t, "the model was asked", func() bool { return e.held() == 1 })
	pids := s.proxies()
	if len(pids) != 1 {
		t.Fatalf("model proxies %v", pids)
	}
	if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	soon(t, "the model is asked again", func() bool { return e.held() == 2 })
	t.Logf("asked again %s after the proxy was killed", time.Since(killed).Round(time.Millisecond))
	e.nod <- struct{}{}
	if run := h.ended(root); run.State != wire.RunDone {
		t.Errorf("the run ended %s", run.State)
	}
	e.mu.Lock()
	for _, head := range e.asked[1:] {
		if head.Get("Authorization") != "Bearer "+key || head.Get("User-Agent") != "gatehouse" || head.Get("X-Stainless-Lang") != "" {
			t.Errorf("somebody other than the proxy asked: %v", head)
		}
	}
	e.mu.Unlock()
	if strings.Contains(s.log.String(), key) {
		t.Error("the key is in the log")
	}
	h.until("three requests on the meter, one of them of the proxy that was killed", func(got []wire.Frame) bool {
		return requests(got) == 3
	})
	s.kill()
	soon(t, "the proxy ends with agentd", func() bool { return len(s.proxies()) == 0 })
}

// requests is how many requests the newest report of each meter counts.
func requests(got []wire.Frame) (n int64) {
	newest := map[string]int64{}
	for _, f := range got {
		var u wire.UsageReport
		if f.Type != wire.TypeUsageReport || json.Unmarshal(f.Body, &u) != nil {
			continue
		}
		for _, r := range u.Rows {
			newest[r.Epoch+r.Hour.String()+r.Agent+r.Model] = r.Requests
		}
	}
	for _, one := range newest {
		n += one
	}
	return n
}

func TestLLMProxy_settings(t *testing.T) {
	t.Parallel()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	refused := func(what, want string, env ...string) {
		t.Helper()
		cmd := exec.Command(bin, "llm-proxy")
		cmd.Env = append([]string{"AGENTD_PROXY_STATE=" + state, "AGENTD_PROXY_SOCKET=" + filepath.Join(state, "s")}, env...)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", what, err, out)
		}
	}
	refused("without a token", "proxy.token")
	token := filepath.Join(state, "proxy.token")
	if err := os.WriteFile(token, []byte("x"), 0o600); err != nil || os.Chmod(token, 0o644) != nil {
		t.Fatal(err)
	}
	refused("with a token that others can read", "0644")
	if err := os.Chmod(token, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("open to the network", "loopback", "AGENTD_PROXY_ADDR=0.0.0.0:0")
	refused("for a user that is not there", "AGENTD_PROXY_AGENTD", "AGENTD_PROXY_AGENTD=nobody-of-that-name")
	if err := os.WriteFile(filepath.Join(state, "models.yaml"), []byte("profiles: [{name: A}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("with settings that are wrong", "lower-case")
}
