package telegramtest

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
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
	BotID   = 4200000001
	BotName = "team_test_bot"
)

// Server is the Bot API with one bot.
type Server struct {
	URL string // the base URL

	http *httptest.Server
	once sync.Once
	gone chan struct{} // closed when the server stops: what hangs lets go

	mu       sync.Mutex
	token    string
	hook     string // a webhook that is set
	secret   string // of the webhook
	updates  []Update
	again    []Update // handed out without a look at the offset
	came     chan struct{}
	nextID   int64
	messages map[int64]int64 // the newest message of each chat
	sent     []Sent
	files    map[string]File
	faults   map[string][]Fault
	calls    map[string]int
	polls    int // getUpdates that wait
}

// Fault is a bad answer to one call; the zero one is a good answer.
type Fault struct {
	Status     int  // of the answer, with Telegram's own words; 0: none of Telegram's
	RetryAfter int  // seconds, with 429
	Hang       bool // no answer until the caller gives up
	Cut        bool // the connection ends in the middle of the answer
	Garbage    bool // an answer that is not Telegram's, as of a proxy in between
	Done       bool // the call has its effect all the same
}

// File is a file that the bot can fetch.
type File struct {
	Path string
	Data []byte
	Size int64 // that Telegram names; 0: that of Data
}

// Sent is a message of the bot as it stands in its chat now.
type Sent struct {
	Chat, ID  int64
	Text      string
	Buttons   [][]Button
	ReplyTo   int64
	Edits     int
	File      string // the name of a file that came with it
	Data      []byte
	NoPreview bool
}

// Button is one of an inline keyboard.
type Button struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

// Start starts a server that lives as long as the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		gone: make(chan struct{}), came: make(chan struct{}), nextID: 100, messages: map[int64]int64{}, files: map[string]File{},
		faults: map[string][]Fault{}, calls: map[string]int{}, token: newToken(),
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

func newToken() string { return fmt.Sprintf("%d:AA%s", BotID, rand.Text()+rand.Text()[:7]) }

// Token is the one that the server takes now.
func (s *Server) Token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// Revoke has the server take another token from now on, and none before it.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = newToken()
	s.wake()
}

// Fail has the next calls of a method answered badly, one after the other.
func (s *Server) Fail(method string, f ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], f...)
}

// FailAfter is Fail for the calls after the next n, which are answered well.
func (s *Server) FailAfter(method string, n int, f ...Fault) {
	s.Fail(method, append(make([]Fault, n), f...)...)
}

// Heal takes back what Fail has asked for.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.faults)
}

// SetHook sets a webhook, as another program that has the token would; empty: it is taken away.
func (s *Server) SetHook(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = url
	s.wake()
}

// Calls is how often a method was called.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Sent are the messages of the bot, oldest first.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent{}, s.sent...)
}

// Pending is how many updates the bot has not confirmed.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.updates)
}

// wake has polls look again. The lock is held.
func (s *Server) wake() {
	close(s.came)
	s.came = make(chan struct{})
}

// answer is what every method answers.
type answer struct {
	OK          bool        `json:"ok"`
	Result      any         `json:"result,omitempty"`
	ErrorCode   int         `json:"error_code,omitempty"`
	Description string      `json:"description,omitempty"`
	Parameters  *parameters `json:"parameters,omitempty"`
}

type parameters struct {
	RetryAfter int `json:"retry_after,omitempty"`
}

func refusal(code int, text string) answer { return answer{ErrorCode: code, Description: text} }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rest, is := strings.CutPrefix(r.URL.Path, "/file/bot"); is {
		s.download(w, r, rest)
		return
	}
	rest, _ := strings.CutPrefix(r.URL.Path, "/bot")
	token, method, _ := strings.Cut(rest, "/")
	call, err := read(r)
	if err != nil {
		say(w, refusal(http.StatusBadRequest, "Bad Request: "+err.Error()))
		return
	}
	s.mu.Lock()
	s.calls[method]++
	known := token == s.token
	var fault *Fault
	if all := s.faults[method]; len(all) > 0 {
		s.faults[method] = all[1:]
		if all[0] != (Fault{}) {
			fault = &all[0]
		}
	}
	s.mu.Unlock()
	do, there := methods[method]
	switch {
	case !known:
		say(w, refusal(http.StatusUnauthorized, "Unauthorized"))
	case !there:
		say(w, refusal(http.StatusNotFound, "Not Found"))
	case fault != nil:
		s.fail(w, r, *fault, func() answer { return do(s, r, call) })
	default:
		say(w, do(s, r, call))
	}
}

// fail answers badly.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, f Fault, do func() answer) {
	a := answer{OK: true, Result: true}
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
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>Bad Gateway</html>")) // whoever asked may be gone
	case f.Status == http.StatusTooManyRequests:
		a = refusal(f.Status, fmt.Sprintf("Too Many Requests: retry after %d", f.RetryAfter))
		a.Parameters = &parameters{RetryAfter: f.RetryAfter}
		say(w, a)
	default:
		say(w, refusal(f.Status, http.StatusText(f.Status)))
	}
}

func say(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json")
	if !a.OK {
		w.WriteHeader(a.ErrorCode)
	}
	_ = json.NewEncoder(w).Encode(a) // whoever asked may be gone
}

// poll answers getUpdates: what comes after the offset, as soon as there is some, or nothing when the time is over.
func (s *Server) poll(r *http.Request, c call) answer {
	offset, within := c.int("offset"), time.Duration(c.int("timeout"))*time.Second
	over := time.NewTimer(within)
	defer over.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.polls++
	defer func() { s.polls-- }()
	for {
		switch {
		case s.hook != "":
			return refusal(http.StatusConflict,
				"Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
		case s.polls > 1:
			return refusal(http.StatusConflict,
				"Conflict: terminated by other getUpdates request; make sure that only one bot instance is running")
		}
		if all := s.after(offset); len(all) > 0 {
			return answer{OK: true, Result: all}
		}
		came, token := s.came, s.token
		s.mu.Unlock()
		ended := false
		select {
		case <-came:
		case <-over.C:
			ended = true
		case <-r.Context().Done():
			ended = true
		case <-s.gone:
			ended = true
		}
		s.mu.Lock()
		switch {
		case token != s.token:
			return refusal(http.StatusUnauthorized, "Unauthorized")
		case ended:
			return answer{OK: true, Result: []Update{}}
		}
	}
}

// after drops what an offset confirms, and gives what is left. The lock is held.
func (s *Server) after(offset int64) []Update {
	if all := s.again; len(all) > 0 {
		s.again = nil
		return all
	}
	if offset < 0 {
		s.updates = s.updates[max(len(s.updates)+int(offset), 0):]
	}
	for offset > 0 && len(s.updates) > 0 && s.updates[0].ID < offset {
		s.updates = s.updates[1:]
	}
	return s.updates[:min(len(s.updates), 100)]
}
