package slack

import (
	"encoding/json"
	"maps"
)

// cursor is how far what was written to an app was taken: the last message of each private chat, from which is read what Slack has given
// up bringing.
type cursor struct {
	App   string            `json:"app"`
	Team  string            `json:"team"`
	Chats map[string]string `json:"chats,omitempty"`
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

// ahead is the private chat of which another cursor has a newer message; empty: of none.
func (c cursor) ahead(other cursor) (chat string) {
	for one, at := range other.Chats {
		if newer(at, c.Chats[one]) {
			return one
		}
	}
	return ""
}

// newer says whether one message was written after another: they are named by when that was.
func newer(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}
