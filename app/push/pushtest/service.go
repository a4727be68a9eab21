package pushtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Service is a push service on this machine.
type Service struct {
	URL string

	t        testing.TB
	now      func() time.Time
	mu       sync.Mutex
	browsers map[string]*Browser // by the path of their address
	answers  []Answer            // given one after the other before messages are taken
	asked    int
	came     chan Message
}

// Answer is what the service says instead of taking a message.
type Answer struct {
	Status int
	After  string // Retry-After
}

// Message is one that the service took, opened as the browser opens it.
type Message struct {
	To      *Browser
	Body    []byte
	Topic   string
	Urgency string
	TTL     time.Duration
	Subject string // whom the sender names
	Raw     []byte // as it came: sealed
}

// Start starts a service. What comes with a wrong signature or cannot be opened fails the test.
func Start(t testing.TB, now func() time.Time) *Service {
	t.Helper()
	s := &Service{t: t, now: now, browsers: map[string]*Browser{}, came: make(chan Message, 100)}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// Say has the service give these answers, one after the other, before it takes messages again.
func (s *Service) Say(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// Asked counts the requests so far.
func (s *Service) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Next waits for the next message.
func (s *Service) Next(t testing.TB) Message {
	t.Helper()
	select {
	case m := <-s.came:
		return m
	case <-time.After(time.Minute):
		t.Fatal("no message came to the push service")
		return Message{}
	}
}

// None fails when a message is there that nobody has asked for.
func (s *Service) None(t testing.TB) {
	t.Helper()
	select {
	case m := <-s.came:
		t.Errorf("nobody should have been told, but: %s", m.Body)
	default:
	}
}

// ServeHTTP is RFC 8030, section 5: a message is put to the address of a subscription.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked++
	b := s.browsers[r.URL.Path]
	var instead *Answer
	if len(s.answers) > 0 {
		instead, s.answers = &s.answers[0], s.answers[1:]
	}
	s.mu.Unlock()
	raw, err := io.ReadAll(io.LimitReader(r.Body, 5000))
	switch {
	case err != nil || len(raw) > 4096:
		s.refuse(w, http.StatusRequestEntityTooLarge, "a body of %d bytes, %v", len(raw), err)
	case b == nil:
		w.WriteHeader(http.StatusNotFound)
	case instead != nil:
		if instead.After != "" {
			w.Header().Set("Retry-After", instead.After)
		}
		w.WriteHeader(instead.Status)
	default:
		s.take(w, r, b, raw)
	}
}

func (s *Service) take(w http.ResponseWriter, r *http.Request, b *Browser, raw []byte) {
	m := Message{To: b, Topic: r.Header.Get("Topic"), Urgency: r.Header.Get("Urgency"), Raw: raw}
	ttl, err := strconv.Atoi(r.Header.Get("TTL"))
	m.TTL = time.Duration(ttl) * time.Second
	if err != nil || ttl < 0 {
		s.refuse(w, http.StatusBadRequest, "TTL %q", r.Header.Get("TTL"))
		return
	}
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "aes128gcm" {
		s.refuse(w, http.StatusBadRequest, "%s with encoding %q", r.Method, r.Header.Get("Content-Encoding"))
		return
	}
	if m.Subject, err = vapid(r.Header.Get("Authorization"), s.URL, b.server, s.now()); err != nil {
		s.refuse(w, http.StatusForbidden, "the signature: %v", err)
		return
	}
	if m.Body, err = b.open(raw); err != nil {
		s.refuse(w, http.StatusBadRequest, "the browser cannot open it: %v", err)
		return
	}
	w.Header().Set("Location", s.URL+"/m/"+strings.TrimPrefix(r.URL.Path, "/p/"))
	w.WriteHeader(http.StatusCreated)
	s.came <- m
}

func (s *Service) refuse(w http.ResponseWriter, status int, format string, args ...any) {
	s.t.Errorf("push service: "+format, args...)
	w.WriteHeader(status)
}
