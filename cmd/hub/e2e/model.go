package e2e

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Model is an OpenAI-compatible endpoint that does what the message tells it to, step by step. It obeys whatever it is
// told: the worst model there can be.
type Model struct {
	srv  *httptest.Server
	Key  string // what a caller signs in with
	Word string // what the model knows and no message may say: it stands for WORD in the arguments of its calls
	more chan struct{}

	mu       sync.Mutex
	asked    [][]chatMessage // the messages of every request
	embedded []string        // the texts that it was to turn into vectors
	vectors  int             // status with which it refuses that; 0: it does
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (m chatMessage) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	return string(m.Content)
}

// StartModel starts one for the test.
func StartModel(t *testing.T) *Model {
	m := &Model{Key: Random(), Word: "gh" + "p_" + (rand.Text() + rand.Text())[:36], more: make(chan struct{})}
	m.srv = httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(m.srv.Close)
	return m
}

// Env makes a hub use the model.
func (m *Model) Env() []string {
	return []string{
		"MODEL_BASE_URL=" + m.srv.URL + "/v1", "MODEL_NAME=scripted", "MODEL_API_KEY=" + m.Key,
		"MODEL_EMBEDDINGS=" + Embeddings,
	}
}

func (m *Model) answer(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []chatMessage `json:"messages"`
		Input    []string      `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Header.Get("Authorization") != "Bearer "+m.Key {
		http.Error(w, "no request of ours", http.StatusBadRequest)
		return
	}
	if r.URL.Path == "/v1/embeddings" {
		m.embed(w, in.Input)
		return
	}
	m.mu.Lock()
	m.asked = append(m.asked, in.Messages)
	m.mu.Unlock()
	s := next(in.Messages)
	for i := range s.Calls {
		s.Calls[i].Args = strings.ReplaceAll(s.Calls[i].Args, "WORD", m.Word)
	}
	switch {
	case s.Status != 0:
		http.Error(w, `{"error":{"message":"scripted"}}`, s.Status)
	case s.Raw != "":
		w.Header().Set("Content-Type", max(s.Type, "text/event-stream"))
		_, _ = w.Write([]byte(s.Raw)) // a caller that left is no fault of ours
	default:
		s.stream(w, r, m.more)
	}
}

// Close ends the endpoint and all connections to it.
func (m *Model) Close() {
	m.srv.CloseClientConnections()
	m.srv.Close()
}

// GoOn lets an answer that waits go on.
func (m *Model) GoOn(t *testing.T) {
	t.Helper()
	select {
	case m.more <- struct{}{}:
	case <-time.After(WaitLimit):
		t.Fatal("the model does not wait")
	}
}

// Transcript is everything the model was ever told.
func (m *Model) Transcript() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, messages := range m.asked {
		for _, one := range messages {
			b.WriteString(one.text() + "\n")
		}
	}
	return b.String()
}

// Saw reports whether the model was ever told text.
func (m *Model) Saw(text string) bool {
	return strings.Contains(m.Transcript(), text)
}

// Texts is everything the model was ever told, each text once.
func (m *Model) Texts() (texts []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := map[string]bool{}
	for _, messages := range m.asked {
		for _, one := range messages {
			if text := one.text(); !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	return texts
}
