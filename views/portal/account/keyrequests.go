package account

import "time"

// WaitingKeyProps is a key of another device that asks to be added.
type WaitingKeyProps struct {
	ID, Label, Kind string
	Words           string // what people compare
	Fingerprint     string // the same for programs
	Address         string // where it asked from
	At, Until       time.Time
	Staff           bool   // one of our staff asks
	User, Person    string // which person of the business asks: id and name; empty: it is not known
	Member          bool   // they are a member: their key would allow one request at a time
	Body            string // JSON of what is signed to add it
}
