package account

import "time"

// WaitingKeyProps is a key of another device that asks to be added.
type WaitingKeyProps struct {
	ID, Label, Kind string
	Fingerprint     string // what people compare
	Address         string // where it asked from
	At, Until       time.Time
	Staff           bool   // one of our staff asks
	Body            string // JSON of what is signed to add it
}
