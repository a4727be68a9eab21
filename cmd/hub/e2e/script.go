package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// play begins a message that tells the scripted model what to do; the rest is JSON.
const play = "PLAY "

// Step is one answer of the scripted model.
type Step struct {
	Say    string        `json:"say,omitempty"`
	Pieces int           `json:"pieces,omitempty"` // that many numbered words, one by one
	Pause  time.Duration `json:"pause,omitempty"`  // between them
	Every  int           `json:"every,omitempty"`  // after so many of them it waits for GoOn
	Calls  []ToolCall    `json:"calls,omitempty"`
	Raw    string        `json:"raw,omitempty"`    // this body instead, as it stands
	Type   string        `json:"type,omitempty"`   // its content type; an event stream otherwise
	Status int           `json:"status,omitempty"` // this status instead
	Hang   bool          `json:"hang,omitempty"`   // nothing more, until the caller leaves
	Break  bool          `json:"break,omitempty"`  // the connection breaks where it stands
}

// ToolCall is a tool call as the model writes it; Args is a string, for it may be no JSON at all.
type ToolCall struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// Script is the message that makes the model take those steps.
func Script(t *testing.T, steps ...Step) string {
	t.Helper()
	b, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	return play + string(b)
}

// ToolScript is the message that makes the model ask for tools at once, and then say something.
func ToolScript(t *testing.T, say string, calls ...ToolCall) string {
	t.Helper()
	return Script(t, Call(calls...), Step{Say: say})
}

// next finds the step: as many answers as were given since the script came are behind us.
func next(messages []chatMessage) Step {
	var steps []Step
	n := 0
	for _, m := range messages {
		switch _, text, found := strings.Cut(m.text(), play); {
		case m.Role == "user" && found:
			steps, n = nil, 0
			if err := json.NewDecoder(strings.NewReader(text)).Decode(&steps); err != nil {
				return Step{Say: "the script cannot be read: " + err.Error()}
			}
		case m.Role == "assistant":
			n++
		}
	}
	if n >= len(steps) {
		return Step{Say: "That is all I know."}
	}
	return steps[n]
}

// stream writes the step as chunks of a chat completion.
func (s Step) stream(w http.ResponseWriter, r *http.Request, more <-chan struct{}) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta map[string]any, finish any) {
		choice := map[string]any{"index": 0, "delta": delta, "finish_reason": finish}
		b, _ := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": []any{choice}}) // strings and numbers
		_, _ = fmt.Fprintf(w, "data: %s\n\n", b)
		w.(http.Flusher).Flush()
	}
	if s.Say != "" {
		chunk(map[string]any{"role": "assistant", "content": s.Say}, nil)
	}
	for i := range s.Pieces {
		chunk(map[string]any{"content": word(i)}, nil)
		if s.Every > 0 && (i+1)%s.Every == 0 {
			if !hold(w, r, more) {
				return
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(s.Pause):
		}
	}
	for i, c := range s.Calls {
		function := map[string]any{"name": c.Name, "arguments": c.Args}
		one := map[string]any{"index": i, "id": max(c.ID, fmt.Sprintf("call_%d", i)), "type": "function", "function": function}
		chunk(map[string]any{"tool_calls": []any{one}}, nil)
	}
	switch {
	case s.Hang:
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case s.Break:
		panic(http.ErrAbortHandler)
	default:
		chunk(map[string]any{}, map[bool]string{true: "tool_calls", false: "stop"}[len(s.Calls) > 0])
		const usage = `{"id":"c","object":"chat.completion.chunk","choices":[],` +
			`"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`
		_, _ = fmt.Fprint(w, "data: "+usage+"\n\ndata: [DONE]\n\n")
	}
}

// hold waits until the answer may go on, and says whether it may: false when who asked has left. Meanwhile it sends comments, as real
// endpoints do while their model thinks, so that a slow machine does not take the answer for one that stands still.
func hold(w http.ResponseWriter, r *http.Request, more <-chan struct{}) bool {
	thinks := time.NewTicker(5 * time.Second)
	defer thinks.Stop()
	for {
		select {
		case <-r.Context().Done():
			return false
		case <-more:
			return true
		case <-thinks.C:
			_, _ = fmt.Fprint(w, ": thinking\n\n")
			w.(http.Flusher).Flush()
		}
	}
}

// word is the i-th piece of a long answer.
func word(i int) string {
	if i%12 == 11 {
		return fmt.Sprintf("word%d.\n\n", i)
	}
	return fmt.Sprintf("word%d ", i)
}

// Words are n pieces as one text.
func Words(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(word(i))
	}
	return b.String()
}

// Call is a step that asks for tools.
func Call(calls ...ToolCall) Step { return Step{Calls: calls} }

// Tool is one call with its arguments as JSON.
func Tool(name string, args map[string]any) ToolCall {
	b, _ := json.Marshal(args) // strings and numbers
	return ToolCall{Name: name, Args: string(b)}
}
