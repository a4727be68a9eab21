package fakekv

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// entry is one secret with its versions.
type entry struct {
	current  int
	versions map[int]*version
}

type version struct {
	data      map[string]any
	made      time.Time
	deleted   time.Time
	destroyed bool
}

// Put writes the next version of a secret and gives its number.
func (s *Server) Put(path string, data map[string]any) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.secrets[path]
	if e == nil {
		e = &entry{versions: map[int]*version{}}
		s.secrets[path] = e
	}
	e.current++
	e.versions[e.current] = &version{data: maps.Clone(data), made: s.now()}
	return e.current
}

// Delete deletes the current version at a time, which may be to come; Undelete takes that back.
func (s *Server) Delete(path string, at time.Time) {
	s.newest(path, func(v *version) { v.deleted = at })
}

// Undelete brings the current version back.
func (s *Server) Undelete(path string) { s.newest(path, func(v *version) { v.deleted = time.Time{} }) }

// Destroy takes the value of the current version away for good.
func (s *Server) Destroy(path string) {
	s.newest(path, func(v *version) { v.destroyed, v.data = true, nil })
}

func (s *Server) newest(path string, fn func(*version)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.secrets[path]
	fn(e.versions[e.current])
}

// Forget deletes a secret whole: its versions begin anew.
func (s *Server) Forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.secrets, path)
}

// Empty makes a secret that has metadata and never had a value.
func (s *Server) Empty(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets[path] = &entry{versions: map[int]*version{}}
}

// Deny keeps everybody from reading a path, or lets them again.
func (s *Server) Deny(path string, denied bool) {
	status := 0
	if denied {
		status = http.StatusForbidden
	}
	s.Fail(path, status)
}

// Fail answers a status to whoever asks for a path; 0 ends that.
func (s *Server) Fail(path string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing[path] = status
}

func (s *Server) kv(w http.ResponseWriter, r *http.Request, path string) {
	rest, ok := strings.CutPrefix(path, Mount+"/")
	what, name, ok2 := strings.Cut(rest, "/")
	switch {
	case !ok || !ok2:
		noRoute(w, path)
	case s.failing[name] != 0:
		fail(w, s.failing[name], "1 error occurred:\n\t* "+http.StatusText(s.failing[name])+"\n\n")
	case s.secrets[name] == nil:
		fail(w, http.StatusNotFound)
	case what == "metadata" && r.Method == http.MethodGet:
		answer(w, http.StatusOK, s.secrets[name].metadata(), nil)
	case what == "data" && r.Method == http.MethodGet:
		s.data(w, r, s.secrets[name])
	default:
		fail(w, http.StatusMethodNotAllowed, "unsupported operation")
	}
}

func (e *entry) metadata() map[string]any {
	versions := map[string]any{}
	for n, v := range e.versions {
		versions[strconv.Itoa(n)] = map[string]any{"created_time": stamp(v.made), "deletion_time": stamp(v.deleted), "destroyed": v.destroyed}
	}
	return map[string]any{
		"cas_required": false, "current_version": e.current, "oldest_version": 0, "max_versions": 0, "delete_version_after": "0s",
		"custom_metadata": nil, "versions": versions,
	}
}

func (s *Server) data(w http.ResponseWriter, r *http.Request, e *entry) {
	n, err := strconv.Atoi(r.URL.Query().Get("version"))
	if err != nil || n == 0 {
		n = e.current
	}
	v := e.versions[n]
	if v == nil {
		fail(w, http.StatusNotFound)
		return
	}
	meta := map[string]any{"version": n, "created_time": stamp(v.made), "deletion_time": stamp(v.deleted), "destroyed": v.destroyed, "custom_metadata": nil}
	if v.destroyed || !v.deleted.IsZero() && v.deleted.Before(s.now()) {
		answer(w, http.StatusNotFound, map[string]any{"data": nil, "metadata": meta}, nil)
		return
	}
	answer(w, http.StatusOK, map[string]any{"data": v.data, "metadata": meta}, nil)
}
