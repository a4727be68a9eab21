package slacktest

import "strconv"

// User is a person in the workspace.
type User struct {
	ID, Name string
}

// Person is a user of Slack.
func Person(id, name string) User { return User{id, name} }

// File is a file beside a message.
type File struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Kind     string `json:"mimetype,omitempty"`
	Size     int64  `json:"size"`
	URL      string `json:"url_private"`
	External bool   `json:"is_external,omitempty"`
}

// Shared is somebody else's message that stands beneath one.
type Shared struct {
	Text  string `json:"text"`
	Share bool   `json:"is_share"`
}

// Message is a message as Slack shows it.
type Message struct {
	Type    string   `json:"type"`
	Kind    string   `json:"subtype,omitempty"`
	Where   string   `json:"channel_type,omitempty"`
	Channel string   `json:"channel,omitempty"`
	User    string   `json:"user,omitempty"`
	Bot     string   `json:"bot_id,omitempty"`
	Text    string   `json:"text"`
	At      string   `json:"ts"`
	Thread  string   `json:"thread_ts,omitempty"`
	Parent  string   `json:"parent_user_id,omitempty"`
	Files   []File   `json:"files,omitempty"`
	Beside  []Shared `json:"attachments,omitempty"`
	Edited  *Edited  `json:"edited,omitempty"`
	Now     *Message `json:"message,omitempty"`
}

// Edited is when a message was changed.
type Edited struct {
	User string `json:"user"`
	At   string `json:"ts"`
}

// event is what Slack brings about a message.
func event(m Message) map[string]any {
	return map[string]any{
		"type": "event_callback", "team_id": Team, "api_app_id": App, "event": m, "event_id": "Ev" + m.At, "event_time": 1780000000,
	}
}

// Says has a person write to the app in private.
func (s *Server) Says(from User, text string) Message {
	return s.Write(Message{User: from.ID, Text: text})
}

// Names has a person write in a channel what names the app.
func (s *Server) Names(from User, channel, text string) Message {
	return s.Write(Message{Type: "app_mention", User: from.ID, Channel: channel, Text: text})
}

// Write has a message come to the app: in private, unless it names a channel.
func (s *Server) Write(m Message) Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Channel == "" {
		m.Type, m.Where, m.Channel = "message", "im", s.chat(m.User)
	}
	if m.At == "" {
		m.At = s.now()
	}
	s.written[m.Channel] = append(s.written[m.Channel], m)
	s.brings("events_api", event(m))
	return m
}

// Edits has a person change what they wrote.
func (s *Server) Edits(m Message, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.Text, m.Edited = text, &Edited{m.User, s.now()}
	s.brings("events_api", event(Message{
		Type: "message", Kind: "message_changed", Where: m.Where, Channel: m.Channel, At: s.now(), Now: &m,
	}))
}

// Event brings anything to the app.
func (s *Server) Event(kind string, payload any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.brings(kind, payload)
}

// EventOf is what Slack brings about a message, to be brought once more or otherwise.
func EventOf(m Message) map[string]any { return event(m) }

// Press has a person press a button of a message.
func (s *Server) Press(from User, on Sent, data string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.brings("interactive", map[string]any{
		"type": "block_actions", "api_app_id": App, "team": map[string]string{"id": Team, "domain": "workplace"},
		"user":      map[string]string{"id": from.ID, "username": from.Name, "team_id": Team},
		"container": map[string]any{"type": "message", "message_ts": on.At, "channel_id": on.Channel},
		"channel":   map[string]string{"id": on.Channel},
		"actions":   []any{map[string]any{"action_id": "b0", "type": "button", "value": data, "action_ts": s.now()}},
	})
}

// Commands has a person type something after the app's command, in whatever channel.
func (s *Server) Commands(from User, channel, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.brings("slash_commands", map[string]any{
		"command": "/team", "text": text, "user_id": from.ID, "user_name": from.Name, "channel_id": channel, "team_id": Team,
		"api_app_id": App, "trigger_id": strconv.FormatInt(s.clock, 10) + "." + s.now(),
	})
}

// Acknowledged says whether Slack has heard that something has come.
func (s *Server) Acknowledged(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.acks {
		if one == id {
			return true
		}
	}
	return false
}
