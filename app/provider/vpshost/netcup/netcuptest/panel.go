package netcuptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Owner is netcup's number of the account, and Customer its name there.
const (
	Owner    = 4711
	Customer = "80815"
)

// Panel is an account at netcup, its sign-in and its API.
type Panel struct {
	URL string
	// Boot gives a machine the address that it has with its new system; nil: it keeps the one that it had.
	Boot func(Install) (address string)
	// Life is how long access is good for, by the answer; 0: five minutes.
	Life time.Duration

	mu        sync.Mutex
	servers   []*Server
	keys      []key
	tasks     []*task
	faults    []Fault
	installs  []Install
	next      int
	device    device
	access    map[string]bool
	refresh   string
	refreshes int
	polls     int
	asked     int
}

// Fault is an answer instead of the right one, to the next request that it fits.
type Fault struct {
	Method, Path string // Path: how the path begins, below /scp-core/api/v1 or as it is
	Status       int    // 0: the connection is cut
	Code         string // of the error
	RetryAfter   int    // seconds; 0: not said
	After        bool   // the work is done, and only its answer is bad
	Task         bool   // the request is answered, and the task that it began fails
	Meanwhile    func() // happens when the work is done, before its answer, which is good
}

const (
	core  = "/scp-core/api/v1"
	realm = "/realms/scp/protocol/openid-connect"
)

// New makes an account with machines in Nuremberg that ends with the test.
func New(t testing.TB, machines int) *Panel {
	t.Helper()
	p := &Panel{access: map[string]bool{}}
	for i := range machines {
		p.servers = append(p.servers, &Server{
			ID: int64(800100 + i), Name: fmt.Sprintf("v22026%08d", i+1), Product: "RS 1000 G12", City: "Nuremberg", Address: "127.0.0.9",
			State: "RUNNING", UEFI: i%2 == 0,
		})
	}
	mux := http.NewServeMux()
	p.signInRoutes(mux)
	p.serverRoutes(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "not_found", 0) })
	s := httptest.NewServer(p.guard(mux))
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// Fail makes the next fitting requests go wrong, one each.
func (p *Panel) Fail(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, faults...)
}

// guard checks the access, and answers badly where that was asked for.
func (p *Panel) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, core) && !p.allowed(r) {
			refuse(w, http.StatusUnauthorized, "unauthorized", 0)
			return
		}
		f, bad := p.fault(r)
		switch {
		case !bad:
			next.ServeHTTP(w, r)
			return
		case f.Task:
			next.ServeHTTP(w, r)
			p.failTasks()
			return
		case f.Meanwhile != nil:
			done := httptest.NewRecorder()
			next.ServeHTTP(done, r)
			f.Meanwhile()
			maps.Copy(w.Header(), done.Header())
			w.WriteHeader(done.Code)
			_, _ = w.Write(done.Body.Bytes())
			return
		case f.After:
			next.ServeHTTP(httptest.NewRecorder(), r)
		}
		if f.Status == 0 {
			panic(http.ErrAbortHandler)
		}
		refuse(w, f.Status, f.Code, f.RetryAfter)
	})
}

func (p *Panel) allowed(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	return p.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
}

func (p *Panel) fault(r *http.Request) (Fault, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, core)
	for i, f := range p.faults {
		if f.Method == r.Method && strings.HasPrefix(path, f.Path) {
			p.faults = slices.Delete(p.faults, i, i+1)
			return f, true
		}
	}
	return Fault{}, false
}

// Asked is how many requests the API got.
func (p *Panel) Asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func refuse(w http.ResponseWriter, status int, code string, after int) {
	if after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(after))
	}
	answer(w, status, map[string]string{"code": code, "message": strings.ReplaceAll(code, "_", " ")})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// task is something that is done with a machine.
type task struct {
	UUID    string     `json:"uuid"`
	Name    string     `json:"name"`
	State   string     `json:"state"`
	Started *time.Time `json:"startedAt"`
	Message string     `json:"message,omitempty"`

	server *Server
	looks  int
	end    func(*Server)
}

// begin notes a task on a machine; end is what it does.
func (p *Panel) begin(name string, s *Server, end func(*Server)) *task {
	p.next++
	now := time.Now().UTC().Add(time.Duration(p.next) * time.Microsecond)
	t := &task{
		UUID: fmt.Sprintf("00000000-0000-4000-8000-%012d", p.next), Name: name, State: "RUNNING", Started: &now, server: s, end: end,
	}
	p.tasks = append(p.tasks, t)
	return t
}

// looked brings a task on: looked at twice, it is done.
func (t *task) looked() *task {
	if t.looks++; t.looks == 2 && t.State == "RUNNING" {
		t.State = "FINISHED"
		t.end(t.server)
	}
	return t
}

func (p *Panel) failTasks() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.tasks {
		if t.State == "RUNNING" {
			t.State, t.Message = "ERROR", "image cannot be written"
		}
	}
}

// busy says whether something is done with a machine. The API takes one thing at a time.
func (p *Panel) busy(s *Server) bool {
	return slices.ContainsFunc(p.tasks, func(t *task) bool { return t.server == s && t.State == "RUNNING" })
}

// Begun is how many tasks there ever were.
func (p *Panel) Begun() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.tasks)
}
