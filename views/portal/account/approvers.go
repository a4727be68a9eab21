package account

import (
	"time"

	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// ApproversProps is the keys that may allow on the customer's server.
type ApproversProps struct {
	Server    string     // id, part of what is signed
	Version   int64      // of the configuration in force, likewise
	Keys      []KeyProps // of the business
	Staff     []KeyProps // of our staff
	Vouchers  bool       // a browser or a passkey of an owner may approve: it can let this device in
	Waiting   []WaitingKeyProps
	Recovery  *ui.Recovery          // nil: no code waits to be written down
	Unwritten *portal.RecoveryProps // likewise
	Next      string                // where to go once a key is enrolled
	Folder    string                // of the server's state, for the command that prints a code; empty: the usual one
	Problem   string
}

// KeyProps is one approver key.
type KeyProps struct {
	ID, Label, Kind string
	User, Person    string // whose it is: id and name; empty: it is not known
	Member          bool   // it is one of a member: it allows one request at a time
	Outlived        bool   // its person may no longer do what it allows
	Device          bool   // kept by a browser or a passkey, as opposed to a program
	Words           string // what people compare
	Fingerprint     string // the same for programs
	Added           string // how it was added, in words
	Created         time.Time
	Used            time.Time // staff only: when it allowed something last; zero: never
	Revoke          string    // JSON of what is signed to revoke it; empty: the last one stays. That of staff goes unsigned
}
