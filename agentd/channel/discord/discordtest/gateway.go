package discordtest

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// What the gateway and its clients say to each other, and codes with which it ends a connection.
const (
	opEvent     = 0
	opBeat      = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opBeaten    = 11

	closeToken    = 4004
	closeSequence = 4007
)

// frame is one message of the gateway.
type frame struct {
	Op   int    `json:"op"`
	Data any    `json:"d"`
	Seq  int64  `json:"s,omitempty"`
	Type string `json:"t,omitempty"`
}

// session is what the bot has begun, which outlives its connections.
type session struct {
	id     string
	events []frame
	conn   *conn
}

// conn is one connection of the bot.
type conn struct {
	*websocket.Conn
	out chan frame
}

// gateway is one connection: hello, then who the bot is, then what happens.
func (s *Server) gateway(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.CloseNow() }()
	ctx, end := context.WithCancel(context.WithoutCancel(r.Context()))
	defer end()
	c := &conn{ws, make(chan frame, 10_000)}
	s.mu.Lock()
	s.conns[c] = true
	every := s.every
	s.mu.Unlock()
	defer s.drop(c)
	go c.write(ctx, s.gone)
	c.out <- frame{Op: opHello, Data: map[string]int64{"heartbeat_interval": every.Milliseconds()}}
	for {
		_, raw, err := ws.Read(ctx)
		if err != nil || !s.hear(c, raw) {
			return
		}
	}
}

func (s *Server) drop(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	for _, one := range s.sessions {
		if one.conn == c {
			one.conn = nil
		}
	}
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

// heard is what the bot says.
type heard struct {
	Op   int `json:"op"`
	Data struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
		Intents int    `json:"intents"`
	} `json:"d"`
}

// hear does what the bot asks for, and says whether the connection goes on.
func (s *Server) hear(c *conn, raw []byte) bool {
	var in heard
	_ = json.Unmarshal(raw, &in) // signs of life carry a number
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls["op "+string(rune('0'+in.Op))]++
	switch {
	case in.Op == opBeat:
		if !s.mute {
			c.out <- frame{Op: opBeaten}
		}
		return true
	case in.Op != opIdentify && in.Op != opResume:
		return true
	case in.Data.Token != s.token:
		go func() { _ = c.Close(closeToken, "Authentication failed.") }()
		return true
	case s.invalid > 0:
		s.invalid--
		c.out <- frame{Op: opInvalid, Data: false}
		return true
	case in.Op == opIdentify:
		s.begin(c, in.Data.Intents)
		return true
	}
	one := s.sessions[in.Data.Session]
	if one == nil {
		c.out <- frame{Op: opInvalid, Data: false}
		return true
	}
	if in.Data.Seq > int64(len(one.events)) {
		go func() { _ = c.Close(closeSequence, "Invalid seq") }()
		return true
	}
	one.conn = c
	for _, f := range one.events[in.Data.Seq:] {
		c.out <- f
	}
	c.out <- frame{Op: opEvent, Type: "RESUMED", Seq: int64(len(one.events)), Data: map[string]any{}}
	return true
}

// begin begins a session. The lock is held.
func (s *Server) begin(c *conn, intents int) {
	s.begun++
	s.left--
	s.intents = intents
	one := &session{id: "session-" + s.number(), conn: c}
	s.sessions[one.id] = one
	one.add(frame{Type: "READY", Data: map[string]any{
		"v": 10, "session_id": one.id, "resume_gateway_url": s.gatewayURL(), "guilds": []any{},
		"user": User{ID: BotID, Name: BotName, Bot: true},
	}})
}

// add has something happen in a session.
func (one *session) add(f frame) {
	f.Op, f.Seq = opEvent, int64(len(one.events)+1)
	one.events = append(one.events, f)
	if one.conn != nil {
		one.conn.out <- f
	}
}

// dispatch has something happen. The lock is held.
func (s *Server) dispatch(kind string, data any) {
	for _, one := range s.sessions {
		one.add(frame{Type: kind, Data: data})
	}
}

// Break ends every connection without a word. Sessions can go on.
func (s *Server) Break() {
	for _, c := range s.connections() {
		_ = c.CloseNow() // it is over anyway
	}
}

// Close ends every connection with a code.
func (s *Server) Close(code int) {
	for _, c := range s.connections() {
		_ = c.Conn.Close(websocket.StatusCode(code), "") // it is over anyway
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

// Reconnect asks the bot to connect anew, and go on.
func (s *Server) Reconnect() {
	for _, c := range s.connections() {
		c.out <- frame{Op: opReconnect}
	}
}

// Ask asks the bot for a sign of life.
func (s *Server) Ask() {
	for _, c := range s.connections() {
		c.out <- frame{Op: opBeat}
	}
}

// Forget has every session be over: none can go on. Who is connected is told, or else learns it when they go on.
func (s *Server) Forget() {
	s.mu.Lock()
	clear(s.sessions)
	s.mu.Unlock()
	for _, c := range s.connections() {
		c.out <- frame{Op: opInvalid, Data: false}
	}
}

// Refuse has the next n times that the bot signs in be refused.
func (s *Server) Refuse(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.invalid = n
}

// Every says how often signs of life are wanted from the next connection on, and whether they are answered.
func (s *Server) Every(d time.Duration, mute bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.every, s.mute = d, mute
}

// Left says how many sessions the bot may begin today.
func (s *Server) Left(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = n
}

// Begun is how many sessions were begun, and what the last one asked for.
func (s *Server) Begun() (sessions, intents int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun, s.intents
}
