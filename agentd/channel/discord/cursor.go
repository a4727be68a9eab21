package discord

import (
	"encoding/json"

	"gatehouse/agentd/channel"
)

// cursor is how far the events of a bot were taken: a session at the gateway and its last event, and the last message of each private chat
// besides, from which is read what a session that Discord has forgotten would have brought.
type cursor struct {
	Bot     string         `json:"bot"`
	Session string         `json:"session,omitempty"`
	Seq     int64          `json:"seq,omitempty"`
	URL     string         `json:"url,omitempty"` // where the session goes on
	Chats   channel.Places `json:"chats,omitempty"`
}

func readCursor(s string) (c cursor) {
	if json.Unmarshal([]byte(s), &c) != nil {
		c = cursor{}
	}
	return c
}

func (c cursor) String() string {
	raw, err := json.Marshal(c)
	if err != nil {
		return "" // never: it is made of texts
	}
	return string(raw)
}

// took is the cursor after a message of a private chat.
func (c cursor) took(chat, message string) cursor {
	c.Chats = c.Chats.Took(chat, message)
	return c
}

// ends is the cursor of a bot whose session is over.
func (c cursor) ends() cursor {
	c.Session, c.Seq, c.URL = "", 0, ""
	return c
}
