package whatsapptest

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// The number of a server.
const (
	Account  = "106540352242922"
	Display  = "+1 555 010 0100"
	Template = "team_update"
	Verify   = "Tulip-Meadow-Harbor"
)

// The routes, for faults and counts.
const (
	RouteMe    = "me"
	RouteSend  = "send"
	RouteRead  = "read"
	RouteMedia = "media" // where a file lies
	RouteFile  = "file"
)

// Server is the Cloud API with one number.
type Server struct {
	URL    string // the base URL
	Secret string // of the app

	http *httptest.Server
	once sync.Once
	gone chan struct{} // closed when the server stops: what hangs lets go
	now  func() time.Time

	mu      sync.Mutex
	token   string
	next    int
	sent    []Sent               // oldest first
	read    []string             // messages that were marked as read
	heard   map[string]time.Time // when somebody wrote last
	late    bool                 // nobody has written for a day, whatever they did
	files   map[string]File      // by id
	faults  map[string][]Fault   // by route
	calls   map[string]int       // by route
	to      func(wire.ChannelDelivery) wire.ChannelAnswer
	waiting [][]byte // what is to be brought, oldest first
	more    chan struct{}
}

// File is one that somebody has sent.
type File struct {
	Kind string
	Data []byte
	Size int64 // that Meta says it has; 0: as it is
}

// Fault is a bad answer to one call; the zero one is a good answer.
type Fault struct {
	Status     int  // of the answer, with Meta's own words
	Code       int  // Meta's own, beside it
	Sub        int  // likewise
	RetryAfter int  // seconds
	Hang       bool // no answer until the caller gives up
	Cut        bool // the connection ends in the middle of the answer
	Garbage    bool // an answer that is not Meta's, as of a proxy in between
	Done       bool // the call has its effect all the same
}

// Sent is a message of the number.
type Sent struct {
	ID, To, Type string
	Text         string
	Buttons      []Button
	Answers      string
	Template     string
	Words        []string // of the template
	Ours         string
}

// Button is one beneath a message.
type Button struct{ ID, Title string }

// Start starts a server that lives as long as the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		gone: make(chan struct{}), now: time.Now, token: "EAAtest" + rand.Text(),
		Secret: strings.ToLower(rand.Text()), heard: map[string]time.Time{},
		files: map[string]File{}, faults: map[string][]Fault{}, calls: map[string]int{}, more: make(chan struct{}, 1),
	}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	go s.bring()
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

// Token is the one that the server takes now.
func (s *Server) Token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// Secrets are those of a channel, as a browser seals them.
func (s *Server) Secrets() string {
	raw, err := json.Marshal(map[string]string{"access_token": s.Token(), "app_secret": s.Secret, "verify_token": Verify})
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(raw)
}

// Revoke has the server take another token from now on.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = "EAAtest" + rand.Text()
}

// Late has it be a day since anybody wrote.
func (s *Server) Late() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = true
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

// Sent are the messages of the number, oldest first.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent{}, s.sent...)
}

// Read are the messages that were marked as read.
func (s *Server) Read() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.read...)
}

// Sign is the header with which Meta signs a body.
func (s *Server) Sign(body []byte) string {
	mac := hmac.New(sha256.New, []byte(s.Secret))
	_, _ = mac.Write(body) // it never fails
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func (s *Server) proof(token string) string {
	return strings.TrimPrefix(s.Sign([]byte(token)), "sha256=")
}

// number gives what comes next its number. The lock is held.
func (s *Server) number() string {
	s.next++
	return strconv.Itoa(1000000 + s.next)
}

// answer is what a route answers.
type answer struct {
	status int
	body   any
}

func refusal(status, code int, text string) answer {
	return answer{status, map[string]any{"error": map[string]any{
		"message": text, "type": "OAuthException", "code": code, "fbtrace_id": "AbCdEf",
	}}}
}

// refused is the refusal of a fault.
func refused(f Fault) answer {
	said := map[string]any{"message": http.StatusText(f.Status), "type": "OAuthException", "code": f.Code}
	if f.Sub != 0 {
		said["error_subcode"] = f.Sub
	}
	return answer{f.Status, map[string]any{"error": said}}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, do := s.route(r)
	s.mu.Lock()
	s.calls[route]++
	token := s.token
	f := s.fault(route)
	s.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != "Bearer "+token:
		say(w, refusal(http.StatusUnauthorized, 190, "Error validating access token"))
	case route != RouteFile && r.URL.Query().Get("appsecret_proof") != s.proof(token):
		say(w, refusal(http.StatusBadRequest, 100, "Invalid appsecret_proof provided in the API argument"))
	case f != Fault{}:
		s.fail(w, r, f, do)
	case route == RouteFile:
		s.download(w, r)
	case do == nil:
		say(w, refusal(http.StatusBadRequest, 100, "Unsupported request"))
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
		say(w, refused(f))
	}
}

func say(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body) // whoever asked may be gone
}
