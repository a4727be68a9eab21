package chat

import "encoding/json"

// NameProps is the field in which a conversation gets another name.
type NameProps struct {
	Title string // what the field holds
	Was   string // the name that it has
	Most  int    // characters
	Error string // what was wrong with the last try
}

// DeleteProps is a conversation that is about to be deleted.
type DeleteProps struct {
	ID, Title string
	Messages  int
	AtWork    bool   // it cannot be deleted now
	Problem   string // why it was not deleted

	ServerID      string // what is signed is bound to these two
	ConfigVersion int64
}

// body is what is signed.
func (p DeleteProps) body() string {
	b, _ := json.Marshal(map[string]string{"session_id": p.ID}) // a string always has JSON
	return string(b)
}
