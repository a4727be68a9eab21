package account

import (
	"slices"
	"strings"
	"time"

	"gatehouse/views/ui"
)

// SignInsProps is how one signs in, and where one is signed in.
type SignInsProps struct {
	Signins    []SigninProps
	SignOutAll string
	CodeOn     bool // a code is asked at sign-in
	CodesLeft  int  // backup codes
	Passkeys   ui.PasskeyList
	Problems   map[string]string
}

// SigninProps is one browser's sign-in.
type SigninProps struct {
	ID, Device, Address string
	Since, Seen         time.Time
	Here                bool // the reader's own
}

// SecondProps is the page that sets up the code at sign-in.
type SecondProps struct {
	Address string // what the app reads from the QR code
	Typed   string // the same to be typed, in groups
	Problem string
}

// InGroups puts spaces into what somebody has to type.
func InGroups(text string) string {
	var groups []string
	for part := range slices.Chunk([]byte(text), 4) {
		groups = append(groups, string(part))
	}
	return strings.Join(groups, " ")
}
