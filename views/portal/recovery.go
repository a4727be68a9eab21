package portal

// RecoveryProps is a recovery code that nobody has written down yet.
type RecoveryProps struct {
	Server string // id
	KeyID  string // of the device whose browser can show it
	Device string // what that device is called
}

// RecoveryPath is where it is shown, and where a new one is made.
const RecoveryPath = Approvers + "#recovery"
