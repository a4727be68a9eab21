package secret

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestRotate replaces a secret in its service and in the vault with one press, for a value that nobody sees. When the
// service does not take it, or nobody can tell, the former value stays in use and the page says so; so it does before the
// secret may be used at that service at all.
func TestRotate(t *testing.T) {
	wire := newTap(t)
	h, c, p := e2e.StartOwned(t, wire.env...)
	first := p.GiveSecret("shop.api_key")
	shop := startSignIn(t, first)
	h.Own(t, h.Server("state", "tool-registry.json"), shop.registry(t), 0o600)
	t.Run("not bound there", func(t *testing.T) { p.T = t; rotateUnbound(p, shop, first) })
	t.Run("taken", func(t *testing.T) { p.T = t; rotateTaken(p, shop, first) })
	second := shop.password()
	t.Run("not taken", func(t *testing.T) { p.T = t; rotateRefused(p, shop, second, 1) })
	t.Run("taken after all", func(t *testing.T) { p.T = t; rotateTaken(p, shop, second) })
	c.AwaitLink()
	wire.wantNothing(t, h, map[string]string{"first": first, "second": second, "third": shop.password()})
}

// signIn is a service with one password, which whoever has it can change.
type signIn struct {
	url string

	mu      sync.Mutex
	now     string
	refuses bool // to change it
	asked   int  // to change it
}

func startSignIn(t *testing.T, password string) *signIn {
	t.Helper()
	s := &signIn{now: password}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

// registry is what the server knows of the service.
func (s *signIn) registry(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"tools": []any{map[string]any{
		"name": "shop", "internal_url": s.url, "auth": map[string]string{"type": "bearer", "ref": "shop.api_key"},
		"rotate": map[string]string{"method": http.MethodPut, "path": "/me/key", "body": `{"key":"{{new}}"}`, "check": "/me"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (s *signIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var in struct {
		Key string `json:"key"`
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+s.now)) != 1:
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method != http.MethodPut:
	case s.refuses:
		s.asked++
		w.WriteHeader(http.StatusUnprocessableEntity)
	case json.NewDecoder(r.Body).Decode(&in) != nil || in.Key == "":
		w.WriteHeader(http.StatusBadRequest)
	default:
		s.asked++
		s.now = in.Key
	}
}

func (s *signIn) password() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// refuse makes it refuse changes, or not, and gives how many it was asked for.
func (s *signIn) refuse(on bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = on
	return s.asked
}

// rotateUnbound: a secret is not sent to a service at which nobody said that it may be used. Then its owner says so.
func rotateUnbound(p *e2e.Page, s *signIn, before string) {
	rotateRefused(p, s, before, 0)
	p.WriteBindings("http_request " + s.url + " header authorization")
	p.Leave("#bindings button[type=submit]")
	p.See("#bindings .token", "http_request "+s.url+" header Authorization")
}

func rotateTaken(p *e2e.Page, s *signIn, before string) {
	s.refuse(false)
	p.Open("/app/credentials/shop.api_key")
	p.Leave("#rotate button[value=rotate]")
	p.Until("no complaint", `!document.querySelector(".notice[data-kind=bad]")`)
	after := s.password()
	if after == before || len(after) < 16 {
		p.T.Errorf("the service has a password of %d characters", len(after))
	}
	if got := shown(p, "shop.api_key"); got != after {
		p.T.Errorf("the vault has another value of %d characters", len(got))
	}
	p.See("#audit", "Replaced")
	p.Shot("credential-rotated")
}

// rotateRefused: the value stays, and the service was asked so many times.
func rotateRefused(p *e2e.Page, s *signIn, before string, times int) {
	asked := s.refuse(true)
	p.Open("/app/credentials/shop.api_key")
	p.Leave("#rotate button[value=rotate]")
	p.See(".notice[data-kind=bad]", "")
	p.Shot("credential-not-rotated")
	if now := s.refuse(true); now != asked+times || s.password() != before {
		p.T.Errorf("the service was asked %d times more, not %d", now-asked, times)
	}
	if got := shown(p, "shop.api_key"); got != before {
		p.T.Errorf("the vault has another value of %d characters", len(got))
	}
}
