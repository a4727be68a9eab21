package setting

import "time"

// Change is one change of a setting.
type Change struct {
	ID     string
	Key    Key
	Kept   bool   // a value is kept; else the setting is as it comes
	Value  string // what is kept; of a secret setting it is not told
	Sealed bool   // Value is secret
	Was    string // in force before, as people read it
	Now    string // in force after, likewise
	Reason string
	At     time.Time
	By     string // e-mail address
	ByID   string
}
