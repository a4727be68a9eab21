package slack

import (
	"encoding/json"

	"gatehouse/agentd/channel"
)

// cursor is how far what was written to an app was taken: the last message of each private chat, from which is read what Slack has given
// up bringing.
type cursor struct {
	App   string         `json:"app"`
	Team  string         `json:"team"`
	Chats channel.Places `json:"chats,omitempty"`
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

// ahead is the private chat of which another cursor has a newer message; empty: of none.
func (c cursor) ahead(other cursor) (chat string) {
	for one, at := range other.Chats {
		if channel.Newer(at, c.Chats[one]) {
			return one
		}
	}
	return ""
}
