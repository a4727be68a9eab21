package signaltest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The account of a server, and its id.
const (
	Account   = "+4930555000001"
	AccountID = "42000000-0000-4000-8000-000000000001"
)

// Server is signal-cli with one account.
type Server struct {
	URL string // the base URL

	http *httptest.Server
	once sync.Once
	gone chan struct{} // closed when the server stops: what hangs lets go

	mu       sync.Mutex
	version  string
	single   bool // it was started for the account alone
	numbers  bool // its events have numbers
	unlinked bool
	mute     bool             // events are not followed by signs of life
	clock    int64            // Unix milliseconds of what comes next
	kept     []occurrence     // what happened, to be asked for again
	waiting  []any            // what people wrote while nobody listened
	streams  map[*stream]bool // who listens
	asked    string           // Last-Event-ID of who listened last
	sent     []Sent           // oldest first
	receipts []Receipt
	files    map[string][]byte  // by id
	faults   map[string][]Fault // by method
	calls    map[string]int     // by method
}

// Fault is a bad answer to one call; the zero one is a good answer.
type Fault struct {
	Status     int    // of HTTP, of something that is not signal-cli
	Code       int    // of an error of JSON-RPC
	Message    string // beside it
	Kind       string // of a message that was not sent, such as RATE_LIMIT_FAILURE
	RetryAfter int    // seconds, with a Kind
	Proof      bool   // that a person writes is to be shown
	Hang       bool   // no answer until the caller gives up
	Cut        bool   // the connection ends in the middle of the answer
	Garbage    bool   // an answer that is not signal-cli's
	Done       bool   // the call has its effect all the same
}

// Sent is a message of the account as it stands now.
type Sent struct {
	At     int64
	To     string // the id of a person, or of a group
	Group  bool
	Text   string
	Edits  int
	Quotes int64  // when the message was sent that it quotes
	Author string // of that
	Files  []SentFile
}

// SentFile is a file of a message.
type SentFile struct {
	Name, Kind string
	Data       []byte
}

// Receipt is what somebody was told about what they wrote.
type Receipt struct {
	To, Type string
	At       []int64
}

// Start starts a server that lives as long as the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		gone: make(chan struct{}), version: "0.13.18", numbers: true, clock: 1780000000000, streams: map[*stream]bool{},
		files: map[string][]byte{}, faults: map[string][]Fault{}, calls: map[string]int{},
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

// Version has another version run.
func (s *Server) Version(v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = v
}

// Clock sets when it is there: messages of long ago cannot be changed.
func (s *Server) Clock(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = now.UnixMilli()
}

// Single has signal-cli be started for the account alone.
func (s *Server) Single() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.single = true
}

// Unnumbered has events be without numbers, as in older versions.
func (s *Server) Unnumbered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers = false
}

// Unlink has Signal take the account no more.
func (s *Server) Unlink() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unlinked = true
}

// Mute has the server give no signs of life from now on.
func (s *Server) Mute(mute bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute = mute
}

// Fail has the next calls of a method answered badly, one after the other. The stream of events is the method "events".
func (s *Server) Fail(method string, f ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], f...)
}

// FailAfter is Fail for the calls after the next n, which are answered well.
func (s *Server) FailAfter(method string, n int, f ...Fault) {
	s.Fail(method, append(make([]Fault, n), f...)...)
}

// Calls is how often a method was called.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Sent are the messages of the account, oldest first.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent{}, s.sent...)
}

// Receipts are what people were told about what they wrote.
func (s *Server) Receipts() []Receipt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Receipt{}, s.receipts...)
}

// AddFile puts a file where messages can name it, and gives its id.
func (s *Server) AddFile(data []byte) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = "file" + strconv.Itoa(len(s.files)+1) + ".bin"
	s.files[id] = data
	return id
}

// fault is that of the next call of a method. The lock is held.
func (s *Server) fault(method string) Fault {
	s.calls[method]++
	all := s.faults[method]
	if len(all) == 0 {
		return Fault{}
	}
	s.faults[method] = all[1:]
	return all[0]
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "POST /api/v1/rpc":
		s.rpc(w, r)
	case "GET /api/v1/events":
		s.events(w, r)
	case "GET /api/v1/check":
		w.WriteHeader(http.StatusOK)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// fail answers badly.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, f Fault, do func() response) {
	a := response{Version: "2.0", ID: "1", Result: map[string]any{"of": "nothing that has come about"}}
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
		raw, _ := json.Marshal(a) // always marshals
		w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
		_, _ = w.Write(raw[:len(raw)/2])
		_ = http.NewResponseController(w).Flush() // the connection ends now anyway
		panic(http.ErrAbortHandler)
	case f.Garbage:
		_, _ = w.Write([]byte("<html>It works!</html>")) // whoever asked may be gone
	case f.Status != 0:
		w.WriteHeader(f.Status)
	default:
		say(w, f.refusal())
	}
}

// refusal is the error of JSON-RPC that a fault asks for.
func (f Fault) refusal() response {
	e := &failure{Code: f.Code, Message: f.Message}
	if f.Kind != "" {
		one := map[string]any{"recipientAddress": map[string]any{"number": nil}, "type": f.Kind}
		if f.RetryAfter > 0 {
			one["retryAfterSeconds"] = f.RetryAfter
		}
		if f.Proof {
			one["token"] = "challenge"
		}
		e.Data = map[string]any{"response": map[string]any{"timestamp": 1, "results": []any{one}}}
	}
	return response{Version: "2.0", ID: "1", Error: e}
}

func say(w http.ResponseWriter, a response) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a) // whoever asked may be gone
}
