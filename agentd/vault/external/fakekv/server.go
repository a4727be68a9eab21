package fakekv

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// The places of a Server.
const (
	Mount     = "apps/kv"
	Namespace = "team-a"
	Login     = "approle"
)

// Server is one external vault.
type Server struct {
	*httptest.Server

	mu      sync.Mutex
	now     func() time.Time
	secrets map[string]*entry
	tokens  map[string]*token
	roles   map[string]*role
	failing map[string]int // status of paths that are not answered
	sealed  bool
	instead http.HandlerFunc
	says    answers
	asked   []string
}

// answers is what is said to some questions.
type answers struct{ end, body string }

// New starts one that ends with the test, over TLS or without. now is its clock.
func New(t *testing.T, overTLS bool, now func() time.Time) *Server {
	t.Helper()
	s := &Server{now: now, secrets: map[string]*entry{}, tokens: map[string]*token{}, roles: map[string]*role{}, failing: map[string]int{}}
	s.Server = httptest.NewUnstartedServer(s)
	if overTLS {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP answers one question.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	instead := s.instead
	s.mu.Unlock()
	if instead != nil {
		instead(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/v1/")
	switch {
	case s.says.end != "" && strings.HasSuffix(path, s.says.end):
		_, _ = io.WriteString(w, s.says.body) // who asks may be gone
	case s.sealed:
		fail(w, http.StatusServiceUnavailable, "Vault is sealed")
	case !ok || r.Header.Get("X-Vault-Request") != "true":
		fail(w, http.StatusPreconditionFailed, "missing required header")
	case r.Header.Get("X-Vault-Namespace") != Namespace:
		fail(w, http.StatusForbidden, "permission denied")
	case strings.HasPrefix(path, "auth/"):
		s.auth(w, r, strings.TrimPrefix(path, "auth/"))
	case s.live(r) == nil:
		fail(w, http.StatusForbidden, "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n")
	default:
		s.kv(w, r, path)
	}
}

// Instead lets fn answer everything; nil ends that.
func (s *Server) Instead(fn http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = fn
}

// Say gives one answer, a good one by its status, to every question whose path ends like this; an empty one ends that.
func (s *Server) Say(end, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says = answers{end, body}
}

// Seal seals it, or opens it again.
func (s *Server) Seal(sealed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed = sealed
}

// Asked gives what was asked since the last time, as method and path.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.asked
	s.asked = nil
	return was
}

// answer is the envelope that every answer has.
func answer(w http.ResponseWriter, status int, data, auth any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // who asks may be gone
		"request_id": rand.Text(), "lease_id": "", "renewable": false, "lease_duration": 0,
		"data": data, "wrap_info": nil, "warnings": nil, "auth": auth, "mount_type": "kv",
	})
}

func fail(w http.ResponseWriter, status int, words ...string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": append([]string{}, words...)}) // who asks may be gone
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func noRoute(w http.ResponseWriter, path string) {
	fail(w, http.StatusNotFound, fmt.Sprintf("no handler for route %q. route entry not found.", path))
}
