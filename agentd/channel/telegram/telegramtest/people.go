package telegramtest

import "strconv"

// Update is something that happened, as getUpdates gives it.
type Update struct {
	ID       int64     `json:"update_id"`
	Message  *Message  `json:"message,omitempty"`
	Edited   *Message  `json:"edited_message,omitempty"`
	Callback *Callback `json:"callback_query,omitempty"`
}

// User is a person, or a bot.
type User struct {
	ID    int64  `json:"id"`
	Bot   bool   `json:"is_bot"`
	First string `json:"first_name"`
	Name  string `json:"username,omitempty"`
}

// Chat is where messages stand.
type Chat struct {
	ID    int64  `json:"id"`
	Type  string `json:"type"`
	Title string `json:"title,omitempty"`
}

// Entity is a part of a text that means something.
type Entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"` // UTF-16 units
	Length int    `json:"length"`
	User   *User  `json:"user,omitempty"`
	URL    string `json:"url,omitempty"`
}

// Document is a file beside a message.
type Document struct {
	FileID   string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Name     string `json:"file_name,omitempty"`
	Mime     string `json:"mime_type,omitempty"`
	Size     int64  `json:"file_size,omitempty"`
}

// Photo is one size of a photo.
type Photo struct {
	FileID   string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Size     int64  `json:"file_size,omitempty"`
}

// Forward is where a message was forwarded from.
type Forward struct {
	Type string `json:"type"`
	Date int64  `json:"date"`
	User *User  `json:"sender_user,omitempty"`
}

// Message is a message as Telegram shows it.
type Message struct {
	ID       int64     `json:"message_id"`
	From     *User     `json:"from,omitempty"`
	Sender   *Chat     `json:"sender_chat,omitempty"`
	Chat     Chat      `json:"chat"`
	Date     int64     `json:"date"`
	Text     string    `json:"text,omitempty"`
	Caption  string    `json:"caption,omitempty"`
	Entities []Entity  `json:"entities,omitempty"`
	Captions []Entity  `json:"caption_entities,omitempty"`
	ReplyTo  *Message  `json:"reply_to_message,omitempty"`
	Forward  *Forward  `json:"forward_origin,omitempty"`
	Document *Document `json:"document,omitempty"`
	Photo    []Photo   `json:"photo,omitempty"`
	Album    string    `json:"media_group_id,omitempty"`
}

// Callback says that a button was pressed.
type Callback struct {
	ID       string   `json:"id"`
	From     User     `json:"from"`
	Message  *Message `json:"message,omitempty"`
	Instance string   `json:"chat_instance"`
	Data     string   `json:"data"`
}

// Person is a user of Telegram with this id, whose private chat with the bot has the same one.
func Person(id int64, name string) User {
	return User{ID: id, First: name, Name: "user" + strconv.FormatInt(id, 10)}
}

// Says has a person write to the bot in private.
func (s *Server) Says(from User, text string) Message {
	return s.Write(Message{From: &from, Chat: Chat{ID: from.ID, Type: "private"}, Text: text})
}

// Write has a message come to the bot. Without an id it gets the next one of its chat.
func (s *Server) Write(m Message) Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.ID == 0 {
		s.messages[m.Chat.ID]++
		m.ID = s.messages[m.Chat.ID]
	}
	if m.Date == 0 {
		m.Date = 1780000000
	}
	s.add(Update{Message: &m})
	return m
}

// Edits has a person change what they wrote.
func (s *Server) Edits(m Message, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.Text = text
	s.add(Update{Edited: &m})
}

// Press has a person press a button of a message.
func (s *Server) Press(from User, on Sent, data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.shown(on)
	s.add(Update{Callback: &Callback{
		ID: strconv.FormatInt(s.nextID*7919, 10), From: from, Message: &m, Instance: "1", Data: data,
	}})
}

// add puts an update at the end. The lock is held.
func (s *Server) add(u Update) {
	s.nextID++
	u.ID = s.nextID
	s.updates = append(s.updates, u)
	s.wake()
}

// Unconfirmed are the updates that the bot has not confirmed.
func (s *Server) Unconfirmed() []Update {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Update{}, s.updates...)
}

// Again hands out updates that came before once more, in this order and whatever the bot has confirmed.
func (s *Server) Again(all ...Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again = append(s.again, all...)
	s.wake()
}
