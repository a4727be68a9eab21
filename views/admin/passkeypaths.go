package admin

// The forms of passkeys for signing in.
const (
	PasskeyBeginPath  = ProfilePath + "/passkey-begin"
	PasskeyAddPath    = ProfilePath + "/passkey-add"
	PasskeyRenamePath = ProfilePath + "/passkey-rename"
	PasskeyRemovePath = ProfilePath + "/passkey-remove"
)
