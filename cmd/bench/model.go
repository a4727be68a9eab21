package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// What a message may ask the model to do. Anything else is answered with a sentence.
const (
	askList = "[list]" // one green call: list the folder
	askMail = "[mail]" // one call that is always asked: a letter to somebody outside
)

// model is an OpenAI-compatible endpoint that answers at once. It reads of a request only what its last message is.
type model struct {
	srv *http.Server
	l   net.Listener

	heard atomic.Pointer[func(request []byte)] // is told of each request before it is answered; nil: nobody is
}

func serveModel(ctx context.Context) (*model, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m := &model{l: l}
	m.srv = &http.Server{Handler: http.HandlerFunc(m.complete)} //nolint:gosec // loopback, for as long as the bench runs
	go func() {
		if err := m.srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			panic(fmt.Sprintf("the model ended: %v", err)) // every figure after this would be wrong
		}
	}()
	return m, nil
}

// URL is the endpoint for MODEL_BASE_URL.
func (m *model) URL() string { return "http://" + m.l.Addr().String() + "/v1" }

func (m *model) Close() error { return m.srv.Close() }

// hear has f told of each request, until it is called with nil.
func (m *model) hear(f func(request []byte)) {
	if f == nil {
		m.heard.Store(nil)
		return
	}
	m.heard.Store(&f)
}

// complete answers one chat completion as a stream.
func (m *model) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if tell := m.heard.Load(); tell != nil {
		(*tell)(body)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(replyTo(body)) // an agentd that is gone wants no answer
}

// replyTo is the whole stream for a request: a call when the newest message asks for one, a sentence when it does not
// or is the result of a call.
func replyTo(request []byte) []byte {
	role, around := newest(request)
	switch {
	case role == "tool":
		return sentence
	case bytes.Contains(around, []byte(askList)):
		return listCall
	case bytes.Contains(around, []byte(askMail)):
		return mailCall
	}
	return sentence
}

// newest finds the role of the newest message, and the part of the request that holds its content, whichever of the two
// comes first. It does not read the rest: a model that takes time would be part of what is measured.
func newest(request []byte) (role string, around []byte) {
	mark := []byte(`"role":"`)
	at := bytes.LastIndex(request, mark)
	if at < 0 {
		return "", nil
	}
	name, _, _ := bytes.Cut(request[at+len(mark):], []byte(`"`))
	if at > 0 && request[at-1] == '{' {
		return string(name), request[at:]
	}
	return string(name), request[max(0, bytes.LastIndex(request[:at], mark)):at]
}

// The streams, made once.
var (
	sentence = stream(
		`{"role":"assistant","content":"Here is"}`, `{"content":" what was found"}`, `{"content":" in the folder."}`)
	listCall = stream(call("file_list", `{"path":"."}`))
	mailCall = stream(call("message", `{"to":"someone@example.com","subject":"Hours","text":"We open at nine."}`))
)

func call(tool, args string) string {
	quoted, _ := json.Marshal(args) // a string always has a form in JSON
	return fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":%q,"arguments":%s}}]}`, tool, quoted)
}

// stream puts deltas into the form of the protocol.
func stream(deltas ...string) []byte {
	var b bytes.Buffer
	piece := func(delta, finish, usage string) {
		fmt.Fprintf(&b, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"instant\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]%s}\n\n", delta, finish, usage)
	}
	for _, d := range deltas {
		piece(d, "null", "")
	}
	finish := `"stop"`
	if bytes.Contains(b.Bytes(), []byte("tool_calls")) {
		finish = `"tool_calls"`
	}
	piece("{}", finish, `,"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}`)
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}
