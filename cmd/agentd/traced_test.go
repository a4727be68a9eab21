package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
)

// callsOfRun is how many calls the model makes in each run before the three that have to be asked; fifty are the most.
const callsOfRun = 45

// caller is a model that makes calls, ten at a time, each with a word of its own: c and a number, from the one that it is
// told to begin at. The last three have to be asked.
type caller struct{ nobody string } // address that no call may reach

var beginAt = regexp.MustCompile(`begin at (\d+)`)

func (c caller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	at := beginAt.FindSubmatch(body)
	if err != nil || at == nil {
		http.Error(w, "no request of ours", http.StatusBadRequest)
		return
	}
	first, err := strconv.Atoi(string(at[1]))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	delta, finish := map[string]any{"content": "That was all of it."}, "stop"
	if calls := c.calls(first, strings.Count(string(body), `"role":"assistant"`)); len(calls) > 0 {
		delta, finish = map[string]any{"tool_calls": calls}, "tool_calls"
	}
	b, err := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
	if err == nil {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", b) // who left wants no more of it
	}
}

// calls are those of a turn.
func (c caller) calls(first, turn int) (calls []any) {
	for n := turn * 10; n < min(turn*10+10, callsOfRun+3); n++ {
		name, args := c.call(n, fmt.Sprint("c", first+n))
		calls = append(calls, map[string]any{
			"index": len(calls), "id": fmt.Sprint("call_", n), "type": "function", "function": map[string]any{"name": name, "arguments": args},
		})
	}
	return calls
}

func (c caller) call(n int, word string) (name, args string) {
	switch {
	case n >= callsOfRun:
		return "shell", `{"command":"rm -r ` + word + `"}`
	case n%5 == 0:
		return "shell", `{"command":"bash -c 'ls ` + word + `'"}` // never allowed
	case n%5 == 1:
		return "http_request", `{"method":"GET","url":"http://` + c.nobody + `/` + word + `"}`
	case n%5 == 2:
		return "file_read", `{"path":"` + word + `"}`
	}
	return "shell", `{"command":"ls ` + word + ` | sort"}`
}

// TestAgentd_traced watches a whole agentd, the model proxy and all that they start from the kernel's side: each program
// that starts for a call, and each connection, belongs to a call of which the receipts say that it was started before, and
// none of those is missing. Some hundred calls, a thousand in the long run (GATEHOUSE_SOAK).
func TestAgentd_traced(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("agentd hides its memory, so that only root can look on")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("strace is not installed; apt-get install strace")
	}
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	model := httptest.NewServer(caller{nobody: nobody.Addr().String()})
	defer model.Close()
	runs := 2
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		runs = 22
	}
	log := filepath.Join(t.TempDir(), "trace")
	h := newHub(t)
	s := startUnder(t, h, tracing(log), "MODEL_BASE_URL="+model.URL+"/v1", "MODEL_NAME=scripted")
	t.Cleanup(func() {
		if s.alive() { // strace alone would leave it behind
			_ = syscall.Kill(s.pid().PID, syscall.SIGKILL)
		}
	})
	started := map[string]time.Time{}
	for n := range runs {
		maps.Copy(started, s.takeCalls(n*(callsOfRun+3)))
	}
	if err := syscall.Kill(s.pid().PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.end()
	seen := readTrace(t, log)
	for word, at := range seen.programs {
		if began, ok := started[word]; !ok || at.Before(began) {
			t.Errorf("a program started at %v for %s, whose call started at %v", at, word, began)
		}
	}
	for word := range started {
		if _, ok := seen.programs[word]; !ok {
			t.Errorf("the call of %s is said to have started, and no program did", word)
		}
	}
	if want := runs * (callsOfRun*2/5 + 1); len(started) != want {
		t.Errorf("%d calls started, not %d", len(started), want)
	}
	for _, allowed := range []string{model.URL, h.srv.URL} {
		delete(seen.ports, allowed[strings.LastIndex(allowed, ":")+1:])
	}
	if len(seen.ports) > 0 {
		t.Errorf("ports %v were connected to", seen.ports)
	}
}

// tracing is the command under which a process is watched.
func tracing(log string) []string {
	return []string{"strace", "-f", "--seccomp-bpf", "-qq", "-ttt", "-s", "4096", "-e", "trace=execve,execveat,connect", "-o", log}
}

// takeCalls has a run make its calls, answers what is asked, and gives when each shell call was started by the receipts,
// by its word. The first of the three is allowed.
func (s *server) takeCalls(first int) map[string]time.Time {
	s.t.Helper()
	root := newUUID()
	for n := range 3 { // what is to be removed is there
		if err := os.WriteFile(filepath.Join(s.data, fmt.Sprint("c", first+callsOfRun+n)), []byte("here"), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	s.hub.send(wire.TypeChatMessage, wire.ChatMessage{
		RunID: root, SessionID: newUUID(), Agent: "it-admin", Text: fmt.Sprintf("Please begin at %d with it.", first), Time: time.Now().UTC(),
		From: wire.Origin{UserID: "u1", Email: "owner@example.com", Channel: "portal", Address: "127.0.0.1"},
	})
	for n := range 3 {
		word := fmt.Sprintf(`rm -r c%d"`, first+callsOfRun+n)
		a := wait(s.hub, wire.TypeApprovalRequest, func(a wire.Approval) bool { return a.RootRunID == root && strings.Contains(string(a.Args), word) })
		s.hub.decide(a, map[bool]wire.Verb{true: wire.AllowOnce, false: wire.Deny}[n == 0], nil)
	}
	s.hub.ended(root)
	out, code := s.tool("receipts", "export", "--state", s.state, "--run", root)
	var e export
	if err := json.Unmarshal([]byte(out), &e); err != nil || code != 0 || !e.Verified {
		s.t.Fatalf("export (%d): %v\n%s", code, err, out)
	}
	words, started := map[string]string{}, map[string]time.Time{}
	for _, r := range e.Items {
		switch r.Type {
		case "call.requested":
			words[r.CallID] = callWord.FindString(string(r.Body))
		case "call.started":
			if r.Tool == "shell" {
				started[words[r.CallID]] = r.Time
			}
		}
	}
	return started
}

var (
	callWord      = regexp.MustCompile(`\bc\d+\b`)
	tracedExec    = regexp.MustCompile(`^\d+ +(\d+)\.(\d{6}) execve(?:at)?\((.*)`)
	tracedConnect = regexp.MustCompile(`connect\(.*sa_family=AF_INET6?, .*port=htons\((\d+)\)`)
)

// trace is what the kernel did.
type trace struct {
	programs map[string]time.Time // when the first program with a word among its arguments was to start
	ports    map[string]int       // connections
}

func readTrace(t *testing.T, file string) trace {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := trace{map[string]time.Time{}, map[string]int{}}
	for line := range strings.Lines(string(b)) {
		if m := tracedConnect.FindStringSubmatch(line); m != nil {
			out.ports[m[1]]++
		}
		m := tracedExec.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at, err := strconv.ParseInt(m[1]+m[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range callWord.FindAllString(m[3], -1) {
			if _, ok := out.programs[word]; !ok {
				out.programs[word] = time.UnixMicro(at)
			}
		}
	}
	return out
}
