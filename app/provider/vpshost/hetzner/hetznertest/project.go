package hetznertest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"
	"golang.org/x/crypto/ssh"
)

// Token is the one that the API takes.
const Token = "hcloud-test-token-for-loopback"

// Project is a project at the provider, and its API.
type Project struct {
	URL string // of the API
	// Boot gives a machine that was ordered its address; nil: one that nothing answers at.
	Boot func(order schema.ServerCreateRequest, key string) (address string)

	mu      sync.Mutex
	servers []schema.Server
	keys    []schema.SSHKey
	actions map[int64]schema.Action
	next    int64
	faults  []Fault
	made    int
	images  []schema.Image
	rescued map[int64]bool   // machines that run the rescue system
	built   map[int64]string // what disks were made of last
}

// Fault is an answer instead of the right one, to the next request that it fits.
type Fault struct {
	Method, Path string // Path: how the path begins
	Status       int    // 0: the connection is cut
	Code         string // of the error
	After        bool   // the work is done, and only its answer is bad
	Action       bool   // the request is answered, and the action that it began fails
}

// New makes an empty project that ends with the test.
func New(t testing.TB) *Project {
	t.Helper()
	p := &Project{actions: map[int64]schema.Action{}, rescued: map[int64]bool{}, built: map[int64]string{}, next: 1}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /servers", p.listServers)
	mux.HandleFunc("POST /servers", p.createServer)
	mux.HandleFunc("DELETE /servers/{id}", p.deleteServer)
	mux.HandleFunc("GET /ssh_keys", p.listKeys)
	mux.HandleFunc("POST /ssh_keys", p.createKey)
	mux.HandleFunc("GET /actions", p.listActions)
	p.machineRoutes(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "not_found") })
	s := httptest.NewServer(p.guard(mux))
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// Fail makes the next fitting requests go wrong, one each.
func (p *Project) Fail(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, faults...)
}

// Servers are the machines that there are.
func (p *Project) Servers() []schema.Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.servers)
}

// Made is how many machines were ever made.
func (p *Project) Made() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made
}

// guard checks the token, and answers badly where that was asked for.
func (p *Project) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+Token {
			refuse(w, http.StatusUnauthorized, "unauthorized")
			return
		}
		f, bad := p.fault(r)
		switch {
		case !bad:
			next.ServeHTTP(w, r)
			return
		case f.Action:
			next.ServeHTTP(w, r)
			p.failActions()
			return
		case f.After:
			next.ServeHTTP(httptest.NewRecorder(), r)
		}
		if f.Status == 0 {
			panic(http.ErrAbortHandler)
		}
		refuse(w, f.Status, f.Code)
	})
}

func (p *Project) fault(r *http.Request) (Fault, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, f := range p.faults {
		if f.Method == r.Method && strings.HasPrefix(r.URL.Path, f.Path) {
			p.faults = slices.Delete(p.faults, i, i+1)
			return f, true
		}
	}
	return Fault{}, false
}

func (p *Project) failActions() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, a := range p.actions {
		if a.Status != "running" {
			continue
		}
		a.Status, a.Error = "error", &schema.ActionError{Code: "action_failed", Message: "Action failed"}
		p.actions[id] = a
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	if status == http.StatusTooManyRequests {
		w.Header().Set("RateLimit-Limit", "3600")
		w.Header().Set("RateLimit-Remaining", "0")
		w.Header().Set("RateLimit-Reset", strconv.FormatInt(time.Now().Add(time.Second).Unix(), 10))
	}
	answer(w, status, schema.ErrorResponse{Error: schema.Error{Code: code, Message: strings.ReplaceAll(code, "_", " ")}})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// begin notes an action on a machine. Looked at, it is done.
func (p *Project) begin(command string, server int64) schema.Action {
	p.next++
	a := schema.Action{
		ID: p.next, Status: "running", Command: command, Started: time.Now().UTC(),
		Resources: []schema.ActionResourceReference{{ID: server, Type: "server"}},
	}
	p.actions[a.ID] = a
	return a
}

func (p *Project) listActions(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := schema.ActionListResponse{Actions: []schema.Action{}}
	for _, text := range r.URL.Query()["id"] {
		id, _ := strconv.ParseInt(text, 10, 64)
		a, ok := p.actions[id]
		if !ok {
			continue
		}
		list.Actions = append(list.Actions, p.looked(a))
	}
	answer(w, http.StatusOK, list)
}

func (p *Project) listServers(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name, value, _ := strings.Cut(r.URL.Query().Get("label_selector"), "=")
	list := schema.ServerListResponse{Servers: []schema.Server{}}
	for _, s := range p.servers {
		if name == "" || s.Labels[name] == value {
			list.Servers = append(list.Servers, s)
		}
	}
	answer(w, http.StatusOK, list)
}

// locations are those that machines can be made at, with the kinds that there are.
var locations = map[string][]string{"nbg1": {"cx23", "cx33"}, "ash": {"cpx21"}}

func (p *Project) createServer(w http.ResponseWriter, r *http.Request) {
	var order schema.ServerCreateRequest
	if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
		refuse(w, http.StatusBadRequest, "json_error")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	kinds, known := locations[cmp.Or(order.Location, "nbg1")]
	switch {
	case !known || !slices.Contains(kinds, order.ServerType.Name) || order.Image.Name != "debian-12" || len(order.UserData) > 32<<10:
		refuse(w, http.StatusUnprocessableEntity, "invalid_input")
		return
	case slices.ContainsFunc(p.servers, func(s schema.Server) bool { return s.Name == order.Name }):
		refuse(w, http.StatusConflict, "uniqueness_error")
		return
	}
	p.next++
	p.made++
	s := schema.Server{
		ID: p.next, Name: order.Name, Status: "initializing", Created: time.Now().UTC(), Labels: map[string]string{},
		ServerType: schema.ServerType{Name: order.ServerType.Name}, Location: schema.Location{Name: order.Location},
	}
	if order.Labels != nil {
		s.Labels = *order.Labels
	}
	s.PublicNet.IPv4 = schema.ServerPublicNetIPv4{ID: p.next, IP: "127.0.0.9"}
	if p.Boot != nil {
		s.PublicNet.IPv4.IP = p.Boot(order, p.keyOf(order))
	}
	p.servers = append(p.servers, s)
	answer(w, http.StatusCreated, schema.ServerCreateResponse{
		Server: s, Action: p.begin("create_server", s.ID), NextActions: []schema.Action{p.begin("start_server", s.ID)},
	})
}

func (p *Project) keyOf(order schema.ServerCreateRequest) string {
	for _, k := range p.keys {
		if slices.Contains(order.SSHKeys, k.ID) {
			return k.PublicKey
		}
	}
	return ""
}

func (p *Project) deleteServer(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	i := slices.IndexFunc(p.servers, func(s schema.Server) bool { return s.ID == id })
	if i < 0 {
		refuse(w, http.StatusNotFound, "not_found")
		return
	}
	p.servers = slices.Delete(p.servers, i, i+1)
	answer(w, http.StatusOK, schema.ServerDeleteResponse{Action: p.begin("delete_server", id)})
}

func (p *Project) listKeys(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := schema.SSHKeyListResponse{SSHKeys: []schema.SSHKey{}}
	for _, k := range p.keys {
		if want := r.URL.Query().Get("fingerprint"); want == "" || want == k.Fingerprint {
			list.SSHKeys = append(list.SSHKeys, k)
		}
	}
	answer(w, http.StatusOK, list)
}

func (p *Project) createKey(w http.ResponseWriter, r *http.Request) {
	var order schema.SSHKeyCreateRequest
	if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
		refuse(w, http.StatusBadRequest, "json_error")
		return
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(order.PublicKey))
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, "invalid_input")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	k := schema.SSHKey{
		ID:          int64(len(p.keys) + 1),
		Name:        order.Name,
		PublicKey:   order.PublicKey,
		Fingerprint: ssh.FingerprintLegacyMD5(public),
	}
	if slices.ContainsFunc(p.keys, func(o schema.SSHKey) bool { return o.Name == k.Name || o.Fingerprint == k.Fingerprint }) {
		refuse(w, http.StatusConflict, "uniqueness_error")
		return
	}
	p.keys = append(p.keys, k)
	answer(w, http.StatusCreated, schema.SSHKeyCreateResponse{SSHKey: k})
}

// clock is the time at the provider.
func clock() time.Time { return time.Now().UTC() }
