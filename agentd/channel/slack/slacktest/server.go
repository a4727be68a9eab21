package slacktest

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The app of a server, and its workspace.
const (
	App      = "A0TEAMTEST"
	Team     = "T0WORKPLACE"
	TeamName = "Workplace"
	BotUser  = "U0TEAMBOT"
	BotName  = "team"
	botID    = "B0TEAMBOT"
)

// Server is Slack with one app.
type Server struct {
	URL string // the base URL

	http *httptest.Server
	once sync.Once
	gone chan struct{} // closed when the server stops: what hangs lets go

	mu        sync.Mutex
	bot, app  string // the tokens
	clock     int64  // of what comes next
	chats     map[string]string
	written   map[string][]Message // what was written, by channel
	sent      []Sent
	files     map[string][]byte  // by path
	uploads   map[string]*upload // by id
	faults    map[string][]Fault // by method
	calls     map[string]int     // by method
	conns     map[*conn]bool
	queue     []*envelope // that were not acknowledged, oldest first
	acks      []string    // of what, in the order of their coming
	opened    int         // connections in all
	disabled  bool        // Socket Mode is turned off
	deaf      bool        // nothing that comes is read
	belongsTo string      // the app of the bot
}

// Fault is a bad answer to one call; the zero one is a good answer.
type Fault struct {
	Status     int    // of the answer
	Error      string // Slack's word, with 200 if no status is given
	RetryAfter int    // seconds, with 429
	Hang       bool   // no answer until the caller gives up
	Cut        bool   // the connection ends in the middle of the answer
	Garbage    bool   // an answer that is not Slack's, as of a proxy in between
	Done       bool   // the call has its effect all the same
}

// Sent is a message of the app as it stands now.
type Sent struct {
	Channel, At string
	Text        string // as Slack keeps it
	Sections    []string
	Buttons     []Button
	Thread      string
	Edits       int
	Quiet       bool // no previews, and no names are linked
	Files       []SentFile
}

// SentFile is a file that the app has shared.
type SentFile struct {
	Name string
	Data []byte
}

// Button is one beneath a message.
type Button struct {
	Label, Data string
}

// Start starts a server that lives as long as the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		gone: make(chan struct{}), clock: 1780000000000000, chats: map[string]string{}, written: map[string][]Message{},
		files: map[string][]byte{}, uploads: map[string]*upload{}, faults: map[string][]Fault{}, calls: map[string]int{},
		conns: map[*conn]bool{}, belongsTo: App,
	}
	s.renew()
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

// renew makes new tokens.
func (s *Server) renew() {
	s.bot = "xoxb-" + rand.Text()
	s.app = "xapp-1-" + App + "-1-" + strings.ToLower(rand.Text())
}

// Secret are both tokens, as a page seals them.
func (s *Server) Secret() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, _ := json.Marshal(map[string]string{"bot_token": s.bot, "app_token": s.app}) // always marshals
	return string(raw)
}

// Tokens are both tokens.
func (s *Server) Tokens() (bot, app string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bot, s.app
}

// Revoke has the server take other tokens from now on, and ends every connection.
func (s *Server) Revoke() {
	s.mu.Lock()
	s.renew()
	s.mu.Unlock()
	s.Break()
}

// Belongs has the bot be that of another app.
func (s *Server) Belongs(app string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.belongsTo = app
}

// Fail has the next calls of a method answered badly, one after the other. Fetching a file is the method "file".
func (s *Server) Fail(method string, f ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[method] = append(s.faults[method], f...)
}

// Mend has a method answered well again.
func (s *Server) Mend(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.faults, method)
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

// Sent are the messages of the app, oldest first.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent{}, s.sent...)
}

// now names what comes next. The lock is held.
func (s *Server) now() string {
	s.clock++
	return fmt.Sprintf("%d.%06d", s.clock/1_000_000, s.clock%1_000_000)
}

// answer is what a method answers.
type answer struct {
	status int
	body   map[string]any
}

func fine(body map[string]any) answer {
	body["ok"] = true
	return answer{http.StatusOK, body}
}

func refusal(code string) answer {
	return answer{http.StatusOK, map[string]any{"ok": false, "error": code}}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/link"):
		s.link(w, r)
		return
	case strings.HasPrefix(r.URL.Path, "/files-pri/"):
		s.download(w, r)
		return
	case strings.HasPrefix(r.URL.Path, "/upload/v1/"):
		s.takeUpload(w, r)
		return
	}
	method, _ := strings.CutPrefix(r.URL.Path, "/api/")
	if r.ParseForm() != nil || r.Method != http.MethodPost {
		say(w, refusal("invalid_form_data"))
		return
	}
	s.mu.Lock()
	token := s.bot
	if method == "apps.connections.open" {
		token = s.app
	}
	f, may := s.fault(method), r.Header.Get("Authorization") == "Bearer "+token
	s.mu.Unlock()
	do := func() answer { return s.answer(method, r.PostForm) }
	switch {
	case !may:
		say(w, refusal("invalid_auth"))
	case f != Fault{}:
		s.fail(w, r, f, do)
	default:
		say(w, do())
	}
}

func (s *Server) answer(method string, form url.Values) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case "auth.test":
		return fine(map[string]any{"team": TeamName, "team_id": Team, "user": BotName, "user_id": BotUser, "bot_id": botID})
	case "bots.info":
		return fine(map[string]any{"bot": map[string]any{"id": form.Get("bot"), "app_id": s.belongsTo, "user_id": BotUser}})
	case "users.info":
		return s.userInfo(form.Get("user"))
	case "apps.connections.open":
		return fine(map[string]any{"url": "ws" + strings.TrimPrefix(s.URL, "http") + "/link?ticket=1&app_id=" + App})
	case "conversations.open":
		if !strings.HasPrefix(form.Get("users"), "U") {
			return refusal("user_not_found")
		}
		return fine(map[string]any{"channel": map[string]any{"id": s.chat(form.Get("users"))}})
	case "conversations.history":
		return s.history(form)
	case "chat.postMessage":
		return s.post(form)
	case "files.getUploadURLExternal":
		return s.beginUpload(form)
	case "files.completeUploadExternal":
		return s.share(form)
	case "chat.update":
		return s.update(form)
	}
	return refusal("unknown_method")
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

// fail answers badly.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, f Fault, do func() answer) {
	a := fine(map[string]any{"of": "nothing that has come about"})
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
		_, _ = w.Write([]byte("<html>Sign in</html>")) // whoever asked may be gone
	case f.Status == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
		say(w, answer{f.Status, map[string]any{"ok": false, "error": "ratelimited"}})
	case f.Status != 0:
		w.WriteHeader(f.Status)
	default:
		say(w, refusal(f.Error))
	}
}

func say(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body) // whoever asked may be gone
}

// AddFile puts a file where messages can name it.
func (s *Server) AddFile(name, kind string, data []byte) File {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := "/files-pri/" + Team + "-F" + strconv.Itoa(len(s.files)+1) + "/" + url.PathEscape(name)
	s.files[at] = data
	return File{ID: "F" + strconv.Itoa(len(s.files)), Name: name, Kind: kind, Size: int64(len(data)), URL: s.URL + at}
}

func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	data, there := s.files[r.URL.EscapedPath()]
	f, may := s.fault("file"), r.Header.Get("Authorization") == "Bearer "+s.bot
	s.mu.Unlock()
	switch {
	case f != Fault{}:
		s.fail(w, r, f, func() answer { return fine(map[string]any{}) })
	case !may: // whoever may not read it is led to where people sign in
		http.Redirect(w, r, "/signin", http.StatusFound)
	case !there:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
	}
}
