package discordtest

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The bot of a server.
const (
	BotID   = "420000000000000001"
	BotName = "team_test_bot"
)

// Account is the part of every token of the bot that names it.
var Account = base64.RawStdEncoding.EncodeToString([]byte(BotID))

// Server is Discord with one bot.
type Server struct {
	URL string // the base URL

	http *httptest.Server
	once sync.Once
	gone chan struct{} // closed when the server stops: what hangs lets go

	mu       sync.Mutex
	token    string
	next     int64               // number of what comes next
	chats    map[string]string   // the private channel of a person
	written  map[string][]any    // what people wrote, by channel
	sent     []Sent              // oldest first
	nonces   map[string]int      // the message that a nonce named
	files    map[string][]byte   // by path
	acks     []string            // interactions that the bot has acknowledged
	faults   map[string][]Fault  // by route
	calls    map[string]int      // by route
	sessions map[string]*session // by id
	conns    map[*conn]bool      // that are open
	begun    int                 // sessions in all
	every    time.Duration       // between signs of life
	mute     bool                // signs of life are not answered
	left     int                 // sessions that the bot may begin
	invalid  int                 // times that signing in is refused
	intents  int                 // that the bot has asked for last
}

// Fault is a bad answer to one call; the zero one is a good answer.
type Fault struct {
	Status     int     // of the answer, with Discord's own words
	Code       int     // Discord's own, beside it
	RetryAfter float64 // seconds, with 429
	Hang       bool    // no answer until the caller gives up
	Cut        bool    // the connection ends in the middle of the answer
	Garbage    bool    // an answer that is not Discord's, as of a proxy in between
	Done       bool    // the call has its effect all the same
}

// Sent is a message of the bot as it stands now.
type Sent struct {
	ID, Channel string
	Text        string
	Rows        [][]Button
	Answers     string
	Edits       int
	Quiet       bool // no previews, and nobody is called
	Nonce       string
	Files       []SentFile
}

// SentFile is a file of a message.
type SentFile struct {
	Name string
	Data []byte
}

// Button is one beneath a message.
type Button struct {
	Label string `json:"label"`
	Data  string `json:"custom_id"`
}

// Start starts a server that lives as long as the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		gone: make(chan struct{}), next: 900000000000000000, chats: map[string]string{}, written: map[string][]any{},
		nonces: map[string]int{}, files: map[string][]byte{}, faults: map[string][]Fault{}, calls: map[string]int{},
		sessions: map[string]*session{}, conns: map[*conn]bool{}, every: 20 * time.Second, left: 1000, token: newToken(),
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
		s.Break()
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

func newToken() string { return Account + "." + rand.Text()[:6] + "." + rand.Text() + "x" }

// Token is the one that the server takes now.
func (s *Server) Token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// Revoke has the server take another token from now on. Who is connected with the one before is thrown out.
func (s *Server) Revoke() {
	s.mu.Lock()
	s.token = newToken()
	s.mu.Unlock()
	s.Close(closeToken)
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

// Sent are the messages of the bot, oldest first.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent{}, s.sent...)
}

// Acknowledged are the presses that the bot has acknowledged.
func (s *Server) Acknowledged() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.acks...)
}

// number gives what comes next its number. The lock is held.
func (s *Server) number() string {
	s.next++
	return strconv.FormatInt(s.next, 10)
}

// answer is what a route answers.
type answer struct {
	status int
	body   any
}

func refusal(status, code int, text string) answer {
	return answer{status, map[string]any{"code": code, "message": text}}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/gateway"):
		s.gateway(w, r)
		return
	case strings.HasPrefix(r.URL.Path, "/attachments/"):
		s.download(w, r)
		return
	}
	route, do := s.route(r)
	s.mu.Lock()
	s.calls[route]++
	known := r.Header.Get("Authorization") == "Bot "+s.token || route == "callback"
	f := s.fault(route)
	s.mu.Unlock()
	switch {
	case !known:
		say(w, refusal(http.StatusUnauthorized, 0, "401: Unauthorized"))
	case do == nil:
		say(w, refusal(http.StatusNotFound, 0, "404: Not Found"))
	case f != Fault{}:
		s.fail(w, r, f, do)
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
	a := answer{http.StatusOK, map[string]any{"id": "1", "of": "nothing that has come about"}}
	if f.Done {
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
	case f.Status == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter)))
		say(w, answer{f.Status, map[string]any{"message": "You are being rate limited.", "retry_after": f.RetryAfter, "global": false}})
	default:
		say(w, refusal(f.Status, f.Code, http.StatusText(f.Status)))
	}
}

func say(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	if a.body != nil {
		_ = json.NewEncoder(w).Encode(a.body) // whoever asked may be gone
	}
}
