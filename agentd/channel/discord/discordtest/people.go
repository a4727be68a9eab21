package discordtest

// theTime is when everything happens.
const theTime = "2026-06-01T12:00:00.000000+00:00"

// User is a person, or a bot.
type User struct {
	ID     string `json:"id"`
	Name   string `json:"username"`
	Global string `json:"global_name,omitempty"`
	Bot    bool   `json:"bot,omitempty"`
}

// Attachment is a file beside a message.
type Attachment struct {
	ID   string `json:"id"`
	Name string `json:"filename"`
	Kind string `json:"content_type,omitempty"`
	Size int64  `json:"size"`
	URL  string `json:"url"`
}

// Message is a message as Discord shows it.
type Message struct {
	ID        string       `json:"id"`
	Channel   string       `json:"channel_id"`
	Guild     string       `json:"guild_id,omitempty"`
	Author    User         `json:"author"`
	Webhook   string       `json:"webhook_id,omitempty"`
	Type      int          `json:"type"`
	Text      string       `json:"content"`
	Time      string       `json:"timestamp"`
	Edited    *string      `json:"edited_timestamp"`
	Mentions  []User       `json:"mentions"`
	Files     []Attachment `json:"attachments"`
	Answers   *Message     `json:"referenced_message,omitempty"`
	Reference *Reference   `json:"message_reference,omitempty"`
	Snapshots []Snapshot   `json:"message_snapshots,omitempty"`
}

// Reference is what a message refers to; type 1 passes it on.
type Reference struct {
	Type int    `json:"type"`
	ID   string `json:"message_id"`
}

// Snapshot is a message that is passed on.
type Snapshot struct {
	Message struct {
		Text  string       `json:"content"`
		Files []Attachment `json:"attachments"`
	} `json:"message"`
}

// Person is a user of Discord.
func Person(id, name string) User { return User{ID: id, Name: "user" + id, Global: name} }

// Says has a person write to the bot in private.
func (s *Server) Says(from User, text string) Message {
	return s.Write(Message{Author: from, Channel: s.Chat(from), Text: text})
}

// Write has a message come to the bot.
func (s *Server) Write(m Message) Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.ID == "" {
		m.ID = s.number()
	}
	if m.Time == "" {
		m.Time = theTime
	}
	s.written[m.Channel] = append(s.written[m.Channel], m)
	s.dispatch("MESSAGE_CREATE", m)
	return m
}

// Edits has a person change what they wrote.
func (s *Server) Edits(m Message, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := theTime
	m.Text, m.Edited = text, &at
	s.dispatch("MESSAGE_UPDATE", m)
}

// Event has anything happen, once more if it has happened before.
func (s *Server) Event(kind string, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatch(kind, data)
}

// Press has a person press a button of a message, in private or in a group.
func (s *Server) Press(from User, on Sent, data, guild string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = s.number()
	p := map[string]any{
		"id": id, "type": 3, "token": "secret" + id, "channel_id": on.Channel, "message": shown(on),
		"data": map[string]any{"custom_id": data, "component_type": 2},
	}
	if guild == "" {
		p["user"] = from
	} else {
		p["guild_id"], p["member"] = guild, map[string]any{"user": from}
	}
	s.dispatch("INTERACTION_CREATE", p)
	return id
}
