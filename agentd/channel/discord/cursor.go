package discord

import (
	"encoding/json"
	"maps"
)

// cursor is how far the events of a bot were taken: a session at the gateway and its last event, and the last message of each private chat
// besides, from which is read what a session that Discord has forgotten would have brought.
type cursor struct {
	Bot     string            `json:"bot"`
	Session string            `json:"session,omitempty"`
	Seq     int64             `json:"seq,omitempty"`
	URL     string            `json:"url,omitempty"` // where the session goes on
	Chats   map[string]string `json:"chats,omitempty"`
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

// maxChats is of how many private chats the place is kept. Those that were silent longest go first.
const maxChats = 100

// took is the cursor after a message of a private chat.
func (c cursor) took(chat, message string) cursor {
	if !newer(message, c.Chats[chat]) {
		return c
	}
	all := maps.Clone(c.Chats)
	if all == nil {
		all = map[string]string{}
	}
	all[chat] = message
	for len(all) > maxChats {
		oldest := chat
		for one, at := range all {
			if newer(all[oldest], at) {
				oldest = one
			}
		}
		delete(all, oldest)
	}
	c.Chats = all
	return c
}

// newer says whether one message was written after another: numbers grow with time.
func newer(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

// ends is the cursor of a bot whose session is over.
func (c cursor) ends() cursor {
	c.Session, c.Seq, c.URL = "", 0, ""
	return c
}
