package netcuptest

import (
	"fmt"
	"net/http"
)

// device is a sign-in that waits for a yes.
type device struct {
	code  string
	state string // "", "yes", "no", "over", "used"
	slow  bool
}

func (p *Panel) signInRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST "+realm+"/auth/device", p.ask)
	mux.HandleFunc("POST "+realm+"/token", p.token)
	mux.HandleFunc("POST "+realm+"/revoke", p.revoke)
	mux.HandleFunc("GET "+realm+"/userinfo", p.who)
	mux.HandleFunc("GET /realms/scp/device", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintln(w, "Do you let the hub in?")
	})
}

// Approve says yes to the code that waits.
func (p *Panel) Approve() { p.decide("yes") }

// Deny says no to it.
func (p *Panel) Deny() { p.decide("no") }

// Expire has it end.
func (p *Panel) Expire() { p.decide("over") }

func (p *Panel) decide(state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.device.state = state
}

// Slow has the next question answered with: ask less often.
func (p *Panel) Slow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.device.slow = true
}

// Polls is how often somebody asked for a yes.
func (p *Panel) Polls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.polls
}

// Refreshes is how often new access was given for a lasting token.
func (p *Panel) Refreshes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refreshes
}

// Cut ends all access that was given out; the lasting token stays.
func (p *Panel) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.access)
}

// End ends the lasting token as well.
func (p *Panel) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.access)
	p.refresh = ""
}

// Grant gives a lasting token without a sign-in.
func (p *Panel) Grant() (refresh string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.give()
	return p.refresh
}

// Lasting says whether there is a lasting token.
func (p *Panel) Lasting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refresh != ""
}

func (p *Panel) give() (access string) {
	p.next++
	access, p.refresh = fmt.Sprintf("access-%d-of-the-test", p.next), fmt.Sprintf("refresh-%d-of-the-test", p.next)
	p.access[access] = true
	return access
}

func (p *Panel) ask(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.PostFormValue("client_id") != "scp" || r.PostFormValue("scope") != "offline_access openid" {
		oauthError(w, "invalid_client")
		return
	}
	p.next++
	p.device = device{code: fmt.Sprintf("device-%d-of-the-test", p.next)}
	answer(w, http.StatusOK, map[string]any{
		"device_code": p.device.code, "user_code": "ABCD-EFGH", "verification_uri": p.URL + "/realms/scp/device",
		"verification_uri_complete": p.URL + "/realms/scp/device?user_code=ABCD-EFGH", "expires_in": 600, "interval": 5,
	})
}

func oauthError(w http.ResponseWriter, code string) {
	answer(w, http.StatusBadRequest, map[string]string{"error": code})
}

func (p *Panel) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r.PostFormValue("grant_type") {
	case "urn:ietf:params:oauth:grant-type:device_code":
		if code := p.decided(r.PostFormValue("device_code")); code != "" {
			oauthError(w, code)
			return
		}
		p.device.state = "used"
	case "refresh_token":
		if used := r.PostFormValue("refresh_token"); used == "" || used != p.refresh {
			p.refresh = "" // an old one came back: somebody else may have it
			clear(p.access)
			oauthError(w, "invalid_grant")
			return
		}
		p.refreshes++
	default:
		oauthError(w, "unsupported_grant_type")
		return
	}
	life := 300
	if p.Life > 0 {
		life = int(p.Life.Seconds())
	}
	access := p.give()
	answer(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": life, "refresh_token": p.refresh, "refresh_expires_in": 0,
	})
}

// decided is why a code gives nothing; empty: it does.
func (p *Panel) decided(code string) string {
	p.polls++
	switch {
	case code == "" || code != p.device.code || p.device.state == "used":
		return "invalid_grant"
	case p.device.slow:
		p.device.slow = false
		return "slow_down"
	case p.device.state == "no":
		return "access_denied"
	case p.device.state == "over":
		return "expired_token"
	case p.device.state == "":
		return "authorization_pending"
	}
	return ""
}

func (p *Panel) revoke(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.PostFormValue("token") == p.refresh {
		p.refresh = ""
		clear(p.access)
	}
	w.WriteHeader(http.StatusOK)
}

func (p *Panel) who(w http.ResponseWriter, r *http.Request) {
	if !p.allowed(r) {
		oauthError(w, "invalid_token")
		return
	}
	answer(w, http.StatusOK, map[string]any{"id": Owner, "preferred_username": Customer})
}
