package slacktest

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/coder/websocket"
)

// envelope is something that Slack brings, until it hears that it has come.
type envelope struct {
	Type    string `json:"type"`
	ID      string `json:"envelope_id,omitempty"`
	Accepts bool   `json:"accepts_response_payload"`
	Retry   int    `json:"retry_attempt"`
	Payload any    `json:"payload,omitempty"`
}

// conn is one connection of the app.
type conn struct {
	*websocket.Conn
	out chan any
}

// link is one connection of Socket Mode: hello, then what was not acknowledged, then what happens.
func (s *Server) link(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.CloseNow() }()
	ctx, end := context.WithCancel(context.WithoutCancel(r.Context()))
	defer end()
	c := &conn{ws, make(chan any, 10_000)}
	s.mu.Lock()
	disabled, deaf := s.disabled, s.deaf
	if disabled {
		c.out <- map[string]string{"type": "disconnect", "reason": "link_disabled"}
	} else {
		c.out <- map[string]any{"type": "hello", "num_connections": len(s.conns) + 1, "connection_info": map[string]string{"app_id": App}}
		s.opened++
		for _, e := range s.queue {
			e.Retry++
			c.out <- *e
		}
		if !deaf {
			s.conns[c] = true
		}
	}
	s.mu.Unlock()
	defer s.drop(c)
	go c.write(ctx, s.gone)
	if deaf {
		select {
		case <-s.gone:
		case <-r.Context().Done():
		}
		return
	}
	for {
		_, raw, err := ws.Read(ctx)
		if err != nil {
			return
		}
		s.hear(raw)
	}
}

func (s *Server) drop(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

func (c *conn) write(ctx context.Context, gone <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-gone:
			return
		case f := <-c.out:
			raw, _ := json.Marshal(f) // always marshals
			if c.Write(ctx, websocket.MessageText, raw) != nil {
				return
			}
		}
	}
}

// hear takes note that something has come.
func (s *Server) hear(raw []byte) {
	var in struct {
		ID string `json:"envelope_id"`
	}
	_ = json.Unmarshal(raw, &in) // what cannot be read is nothing
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range s.queue {
		if e.ID == in.ID {
			s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
			s.acks = append(s.acks, in.ID)
			return
		}
	}
}

// brings has something be brought to the app, by each of its connections until one says that it has come. The lock is held.
func (s *Server) brings(kind string, payload any) (id string) {
	id = "envelope-" + strconv.FormatInt(s.clock, 10) + "-" + strconv.Itoa(len(s.acks)+len(s.queue))
	e := &envelope{Type: kind, ID: id, Payload: payload}
	s.queue = append(s.queue, e)
	for c := range s.conns {
		c.out <- *e
		break // Slack brings it by one of them
	}
	return id
}

// Waiting is how much was brought of which Slack has not heard that it has come.
func (s *Server) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// GiveUp has Slack bring nothing anymore that was not acknowledged.
func (s *Server) GiveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = nil
}

// Again brings everything that waits once more by the same connection.
func (s *Server) Again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		for _, e := range s.queue {
			c.out <- *e
		}
	}
}

// Break ends every connection without a word.
func (s *Server) Break() {
	for _, c := range s.connections() {
		_ = c.CloseNow() // it is over anyway
	}
}

// Disconnect says goodbye with a reason, as Slack does some times a day.
func (s *Server) Disconnect(reason string) {
	for _, c := range s.connections() {
		c.out <- map[string]string{"type": "disconnect", "reason": reason}
	}
}

func (s *Server) connections() (all []*conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		all = append(all, c)
	}
	return all
}

// Disable turns Socket Mode off, for connections from now on.
func (s *Server) Disable() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disabled = true
}

// Deaf has connections from now on read nothing, so that signs of life are not answered.
func (s *Server) Deaf(deaf bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = deaf
}

// Opened is how many connections were opened.
func (s *Server) Opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}
