package signaltest

// User is somebody at Signal. Whoever hides their number has none here.
type User struct {
	ID, Number, Name string
}

// Person is a user of Signal.
func Person(id, name string) User { return User{ID: id, Name: name} }

// Me is the account itself.
var Me = User{ID: AccountID, Number: Account, Name: "Team"}

// Attachment is a file beside a message.
type Attachment struct {
	ID   string `json:"id"`
	Name string `json:"filename,omitempty"`
	Kind string `json:"contentType,omitempty"`
	Size int64  `json:"size"`
}

// Mention names somebody in a text, where Signal leaves a place for it.
type Mention struct {
	Name   string  `json:"name"`
	Number *string `json:"number"`
	ID     string  `json:"uuid"`
	Start  int     `json:"start"`
	Length int     `json:"length"`
}

// Place is what stands in a text where somebody is named.
const Place = "\uFFFC"

// Names names somebody at a place.
func Names(who User, start int) Mention {
	return Mention{Name: who.Name, ID: who.ID, Start: start, Length: 1}
}

// Quote is what a message answers.
type Quote struct {
	At     int64   `json:"id"`
	Author string  `json:"authorUuid"`
	Number *string `json:"authorNumber"`
	Text   string  `json:"text"`
}

// Group is where several people write.
type Group struct {
	ID   string `json:"groupId"`
	Type string `json:"type"`
}

// Message is a message as signal-cli shows it.
type Message struct {
	At       int64        `json:"timestamp"`
	Text     *string      `json:"message"`
	Once     bool         `json:"viewOnce"`
	Mentions []Mention    `json:"mentions,omitempty"`
	Files    []Attachment `json:"attachments,omitempty"`
	Quote    *Quote       `json:"quote,omitempty"`
	Group    *Group       `json:"groupInfo,omitempty"`
	Reaction any          `json:"reaction,omitempty"`
	Sticker  any          `json:"sticker,omitempty"`
}

// Says has a person write to the account in private.
func (s *Server) Says(from User, text string) Message { return s.Write(from, Message{Text: &text}) }

// Write has a message come to the account.
func (s *Server) Write(from User, m Message) Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.At == 0 {
		s.clock++
		m.At = s.clock
	}
	s.happens(envelope(from, m.At, "dataMessage", m))
	return m
}

// Edits has a person change what they wrote.
func (s *Server) Edits(from User, m Message, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	was := m.At
	m.At, m.Text = s.clock, &text
	s.happens(envelope(from, m.At, "editMessage", map[string]any{"targetSentTimestamp": was, "dataMessage": m}))
}

// Distrusts has a message come whose sender has a new key that nobody has confirmed.
func (s *Server) Distrusts(from User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	e := envelope(from, s.clock, "", nil)
	e["exception"] = map[string]string{"message": "Untrusted identity", "type": "UntrustedIdentityException"}
	s.happens(e)
}

// Event has anything happen.
func (s *Server) Event(what any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.happens(what)
}

// Other is an event of whatever kind, as of a receipt or of typing.
func Other(from User, kind string, what any) map[string]any {
	return envelope(from, 1780000000001, kind, what)
}

// envelope is what signal-cli hands on.
func envelope(from User, at int64, kind string, what any) map[string]any {
	e := map[string]any{
		"source": from.ID, "sourceNumber": nil, "sourceUuid": from.ID, "sourceName": from.Name, "sourceDevice": 1, "timestamp": at,
		"serverReceivedTimestamp": at, "serverDeliveredTimestamp": at,
	}
	if from.Number != "" {
		e["sourceNumber"] = from.Number
	}
	if kind != "" {
		e[kind] = what
	}
	return map[string]any{"envelope": e, "account": Account}
}
