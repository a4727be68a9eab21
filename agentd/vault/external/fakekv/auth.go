package fakekv

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"
)

// token is one that was given out.
type token struct {
	made, ends time.Time
	ttl, most  time.Duration // 0: it does not end; 0: no bound
	renewable  bool
}

// role is one of AppRole.
type role struct {
	secretID  string
	ttl, most time.Duration
}

// Token gives one out. It lives for ttl, and renewed for most altogether.
func (s *Server) Token(ttl, most time.Duration, renewable bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mint(ttl, most, renewable)
}

func (s *Server) mint(ttl, most time.Duration, renewable bool) string {
	name, now := rand.Text(), s.now()
	s.tokens[name] = &token{made: now, ends: now.Add(ttl), ttl: ttl, most: most, renewable: renewable}
	return name
}

// Revoke takes back every token.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// Prolong renews a token as another process does that has it too.
func (s *Server) Prolong(name string, by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[name].ends = s.now().Add(by)
}

// Role makes a role of AppRole, whose tokens live for ttl and renewed for most altogether.
func (s *Server) Role(ttl, most time.Duration) (roleID, secretID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	roleID, secretID = rand.Text(), rand.Text()
	s.roles[roleID] = &role{secretID, ttl, most}
	return roleID, secretID
}

// Dismiss takes the secret id of a role back.
func (s *Server) Dismiss(roleID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roles[roleID].secretID = rand.Text()
}

// live is the token that a question shows, if it has not ended.
func (s *Server) live(r *http.Request) *token {
	t := s.tokens[r.Header.Get("X-Vault-Token")]
	if t == nil || t.ttl != 0 && !s.now().Before(t.ends) {
		return nil
	}
	return t
}

func (s *Server) auth(w http.ResponseWriter, r *http.Request, path string) {
	if path == Login+"/login" && r.Method == http.MethodPost {
		s.login(w, r)
		return
	}
	t := s.live(r)
	switch {
	case t == nil:
		fail(w, http.StatusForbidden, "permission denied")
	case path == "token/lookup-self" && r.Method == http.MethodGet:
		left := int64(0)
		if t.ttl != 0 {
			left = int64(t.ends.Sub(s.now()) / time.Second)
		}
		answer(w, http.StatusOK, map[string]any{
			"id": r.Header.Get("X-Vault-Token"), "ttl": left, "creation_ttl": int64(t.ttl / time.Second), "renewable": t.renewable, "policies": []string{"default"}, "num_uses": 0, "type": "service",
		}, nil)
	case path == "token/renew-self" && r.Method == http.MethodPost:
		s.renew(w, r, t)
	default:
		noRoute(w, path)
	}
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var in struct {
		RoleID   string `json:"role_id"`
		SecretID string `json:"secret_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		fail(w, http.StatusBadRequest, "error parsing JSON")
		return
	}
	g := s.roles[in.RoleID]
	if g == nil || g.secretID != in.SecretID {
		fail(w, http.StatusBadRequest, "invalid role or secret ID")
		return
	}
	name := s.mint(g.ttl, g.most, true)
	answer(w, http.StatusOK, nil, s.tokens[name].auth(name, s.now()))
}

func (s *Server) renew(w http.ResponseWriter, r *http.Request, t *token) {
	if !t.renewable {
		fail(w, http.StatusBadRequest, "lease is not renewable")
		return
	}
	t.ends = s.now().Add(t.ttl)
	if last := t.made.Add(t.most); t.most != 0 && t.ends.After(last) {
		t.ends = last
	}
	answer(w, http.StatusOK, nil, t.auth(r.Header.Get("X-Vault-Token"), s.now()))
}

func (t *token) auth(name string, now time.Time) map[string]any {
	seconds := int64(0)
	if t.ttl != 0 {
		seconds = int64(t.ends.Sub(now) / time.Second)
	}
	return map[string]any{
		"client_token": name, "accessor": rand.Text(), "policies": []string{"default"}, "metadata": nil, "lease_duration": seconds, "renewable": t.renewable, "token_type": "service",
	}
}
