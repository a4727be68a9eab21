package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// play begins a message that tells the scripted model what to do; the rest is JSON.
const play = "PLAY "

// step is one answer of the scripted model.
type step struct {
	Say    string        `json:"say,omitempty"`
	Pieces int           `json:"pieces,omitempty"` // that many numbered words, one by one
	Pause  time.Duration `json:"pause,omitempty"`  // between them
	Every  int           `json:"every,omitempty"`  // after so many of them it waits for goOn
	Calls  []scripted    `json:"calls,omitempty"`
	Raw    string        `json:"raw,omitempty"`    // this body instead, as it stands
	Type   string        `json:"type,omitempty"`   // its content type; an event stream otherwise
	Status int           `json:"status,omitempty"` // this status instead
	Hang   bool          `json:"hang,omitempty"`   // nothing more, until the caller leaves
	Break  bool          `json:"break,omitempty"`  // the connection breaks where it stands
}

// scripted is a tool call as the model writes it; Args is a string, for it may be no JSON at all.
type scripted struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// model is an OpenAI-compatible endpoint that does what the message tells it to, step by step. It obeys whatever it is
// told: the worst model there can be.
type model struct {
	srv  *httptest.Server
	key  string // what a caller signs in with
	word string // what the model knows and no message may say: it stands for WORD in the arguments of its calls
	more chan struct{}

	mu    sync.Mutex
	asked [][]chatMessage // the messages of every request
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

func startModel(t *testing.T) *model {
	m := &model{key: random(), word: "gh" + "p_" + (rand.Text() + rand.Text())[:36], more: make(chan struct{})}
	m.srv = httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(m.srv.Close)
	return m
}

// env makes a hub use the model.
func (m *model) env() []string {
	return []string{"MODEL_BASE_URL=" + m.srv.URL + "/v1", "MODEL_NAME=scripted", "MODEL_API_KEY=" + m.key}
}

// script is the message that makes the model take those steps.
func script(t *testing.T, steps ...step) string {
	t.Helper()
	b, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	return play + string(b)
}

func (m *model) answer(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []chatMessage `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Header.Get("Authorization") != "Bearer "+m.key {
		http.Error(w, "no request of ours", http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.asked = append(m.asked, in.Messages)
	m.mu.Unlock()
	s := next(in.Messages)
	for i := range s.Calls {
		s.Calls[i].Args = strings.ReplaceAll(s.Calls[i].Args, "WORD", m.word)
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

// next finds the step: as many answers as were given since the script came are behind us.
func next(messages []chatMessage) step {
	var steps []step
	n := 0
	for _, m := range messages {
		switch _, text, found := strings.Cut(m.text(), play); {
		case m.Role == "user" && found:
			steps, n = nil, 0
			if err := json.NewDecoder(strings.NewReader(text)).Decode(&steps); err != nil {
				return step{Say: "the script cannot be read: " + err.Error()}
			}
		case m.Role == "assistant":
			n++
		}
	}
	if n >= len(steps) {
		return step{Say: "That is all I know."}
	}
	return steps[n]
}

// stream writes the step as chunks of a chat completion.
func (s step) stream(w http.ResponseWriter, r *http.Request, more <-chan struct{}) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta map[string]any, finish any) {
		b, _ := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}) // strings and numbers
		_, _ = fmt.Fprintf(w, "data: %s\n\n", b)
		w.(http.Flusher).Flush()
	}
	if s.Say != "" {
		chunk(map[string]any{"role": "assistant", "content": s.Say}, nil)
	}
	for i := range s.Pieces {
		chunk(map[string]any{"content": word(i)}, nil)
		if s.Every > 0 && (i+1)%s.Every == 0 {
			select {
			case <-r.Context().Done():
				return
			case <-more:
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(s.Pause):
		}
	}
	for i, c := range s.Calls {
		chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": max(c.ID, fmt.Sprintf("call_%d", i)), "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Args}}}}, nil)
	}
	switch {
	case s.Hang:
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case s.Break:
		panic(http.ErrAbortHandler)
	default:
		chunk(map[string]any{}, map[bool]string{true: "tool_calls", false: "stop"}[len(s.Calls) > 0])
		_, _ = fmt.Fprint(w, "data: "+`{"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`+"\n\ndata: [DONE]\n\n")
	}
}

// goOn lets an answer that waits go on.
func (m *model) goOn(t *testing.T) {
	t.Helper()
	select {
	case m.more <- struct{}{}:
	case <-time.After(waitLimit):
		t.Fatal("the model does not wait")
	}
}

// word is the i-th piece of a long answer.
func word(i int) string {
	if i%12 == 11 {
		return fmt.Sprintf("word%d.\n\n", i)
	}
	return fmt.Sprintf("word%d ", i)
}

// words are n pieces as one text.
func words(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(word(i))
	}
	return b.String()
}

// call is a step that asks for tools.
func call(calls ...scripted) step { return step{Calls: calls} }

// tool is one call with its arguments as JSON.
func tool(name string, args map[string]any) scripted {
	b, _ := json.Marshal(args) // strings and numbers
	return scripted{Name: name, Args: string(b)}
}

// saw is everything the model was ever told.
func (m *model) saw() string {
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

// told says whether the model was ever told text.
func (m *model) told(text string) bool {
	return strings.Contains(m.saw(), text)
}
