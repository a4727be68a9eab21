package googlechattest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// The app of a server.
const (
	Account = "team-bot@team-project.iam.gserviceaccount.com"
	Project = "123456789012"
)

// The routes, for faults and counts.
const (
	RouteToken = "token"
	RouteCerts = "certs"
	RouteList  = "list"
	RouteFind  = "find" // the direct messages with a person
	RouteSend  = "send"
	RoutePatch = "patch"
	RouteMedia = "media"
)

// keyID names the key by which the server signs, and that of the service account.
const keyID = "k1"

// pair are two keys that all servers of a test program share: making them takes long. The one signs for Google, the other for the app.
var pair = sync.OnceValue(func() (all [2]*rsa.PrivateKey) {
	for i := range all {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err) // the source of random never fails
		}
		all[i] = key
	}
	return all
})

// Server is Google Chat with one app.
type Server struct {
	URL string // the base URL

	http *httptest.Server
	once sync.Once
	gone chan struct{} // closed when the server stops: what hangs lets go
	now  func() time.Time

	mu       sync.Mutex
	next     int
	revoked  bool              // the key is not taken anymore
	tokens   map[string]bool   // that were given
	sent     []Sent            // oldest first
	requests map[string]int    // the message of a request id
	files    map[string][]byte // by resource
	faults   map[string][]Fault
	calls    map[string]int
	to       func(wire.ChannelDelivery) wire.ChannelAnswer
}

// Fault is a bad answer to one call; the zero one is a good answer.
type Fault struct {
	Status     int
	RetryAfter int  // seconds
	Hang       bool // no answer until the caller gives up
	Cut        bool // the connection ends in the middle of the answer
	Garbage    bool // an answer that is not Google's, as of a proxy in between
	Done       bool // the call has its effect all the same
}

// Sent is a message of the app as it stands now.
type Sent struct {
	Name, Space, Thread string
	Text                string
	Buttons             []Button
	Edits               int
}

// Button is one beneath a message.
type Button struct{ Label, Data string }

// Start starts a server that lives as long as the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		gone: make(chan struct{}), now: time.Now, tokens: map[string]bool{}, requests: map[string]int{}, files: map[string][]byte{},
		faults: map[string][]Fault{}, calls: map[string]int{},
	}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	t.Cleanup(s.Stop)
	return s
}

// Stop has the server be there no more.
func (s *Server) Stop() {
	s.once.Do(func() {
		close(s.gone)
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// Key is the file of the service account.
func (*Server) Key() string {
	der, err := x509.MarshalPKCS8PrivateKey(pair()[1])
	if err != nil {
		panic(err) // an RSA key always marshals
	}
	raw, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "team-project", "private_key_id": keyID, "client_email": Account,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"token_uri":   "https://elsewhere.example/token",
	})
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(raw)
}

// Revoke has the key be taken no more, and no token that was given for it.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked, s.tokens = true, map[string]bool{}
}

// Expire has the tokens that were given be over; the key gets others.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = map[string]bool{}
}

// Fail has the next calls of a route answered badly, one after the other.
func (s *Server) Fail(route string, f ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[route] = append(s.faults[route], f...)
}

// FailAfter is Fail for the calls after the next n, which are answered well.
func (s *Server) FailAfter(route string, n int, f ...Fault) {
	s.Fail(route, append(make([]Fault, n), f...)...)
}

// Calls is how often a route was called.
func (s *Server) Calls(route string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[route]
}

// Sent are the messages of the app, oldest first.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent{}, s.sent...)
}

// number gives what comes next its number. The lock is held.
func (s *Server) number() string {
	s.next++
	return strconv.Itoa(1000 + s.next)
}

// certificates are those by which the server signs.
func certificates(now time.Time) map[string]string {
	key := pair()[0]
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "chat"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		panic(err) // the form is always the same
	}
	return map[string]string{keyID: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

// answer is what a route answers.
type answer struct {
	status int
	body   any
}

func refusal(status int, text string) answer {
	return answer{status, map[string]any{"error": map[string]any{"code": status, "message": text, "status": text}}}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, do := s.route(r)
	s.mu.Lock()
	s.calls[route]++
	open := route == RouteToken || route == RouteCerts
	known := open || len(r.Header.Get("Authorization")) > 7 && s.tokens[r.Header.Get("Authorization")[7:]]
	f := s.fault(route)
	s.mu.Unlock()
	switch {
	case !known:
		say(w, refusal(http.StatusUnauthorized, "UNAUTHENTICATED"))
	case f != Fault{}:
		s.fail(w, r, f, do)
	case route == RouteMedia:
		s.download(w, r)
	case do == nil:
		say(w, refusal(http.StatusNotFound, "NOT_FOUND"))
	default:
		say(w, do())
	}
}

// fault is that of the next call of a route. The lock is held.
func (s *Server) fault(route string) Fault {
	all := s.faults[route]
	if len(all) == 0 {
		return Fault{}
	}
	s.faults[route] = all[1:]
	return all[0]
}

// fail answers badly.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, f Fault, do func() answer) {
	a := answer{http.StatusOK, map[string]any{"of": "nothing that has come about"}}
	if f.Done && do != nil {
		a = do()
	}
	switch {
	case f.Hang:
		select {
		case <-r.Context().Done():
		case <-s.gone:
		}
	case f.Cut:
		raw, _ := json.Marshal(a.body) // always marshals
		w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
		_, _ = w.Write(raw[:len(raw)/2])
		_ = http.NewResponseController(w).Flush() // the connection ends now anyway
		panic(http.ErrAbortHandler)
	case f.Garbage:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>Bad Gateway</html>")) // whoever asked may be gone
	default:
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
		}
		say(w, refusal(f.Status, http.StatusText(f.Status)))
	}
}

func say(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body) // whoever asked may be gone
}
