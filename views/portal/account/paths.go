package account

import (
	"net/url"

	"gatehouse/views/portal"
)

// SecondConfirmPath takes the first code of an app.
const SecondConfirmPath = SecondPath + "/confirm"

// The forms of the settings.
const (
	ZonePath        = "/app/settings/time-zone"
	LanguagePath    = "/app/settings/language"
	TokensPath      = "/app/settings/tokens"
	KeyRequestsPath = "/app/settings/approver-requests"
	QuietPath       = "/app/settings/quiet-hours"
	SignInsPath     = "/app/settings/sign-in"
	SecondPath      = SignInsPath + "/code"
	BackupPath      = SignInsPath + "/backup-codes"
	SecondOffPath   = SignInsPath + "/code-off"
	EndOthersPath   = SignInsPath + "/end-others"

	PasskeyBeginPath  = SignInsPath + "/passkey-begin"
	PasskeyAddPath    = SignInsPath + "/passkey-add"
	PasskeyRenamePath = SignInsPath + "/passkey-rename"
	PasskeyRemovePath = SignInsPath + "/passkey-remove"

	RecoveryNewPath  = portal.Approvers + "/recovery"
	RecoveryKeptPath = RecoveryNewPath + "/kept"
)

// newPasswordPath is a page that needs no sign-in.
const newPasswordPath = "/auth/forgot"

// EndSigninPath ends one sign-in.
func EndSigninPath(id string) string { return SignInsPath + "/" + url.PathEscape(id) + "/end" }

// RevokeTokenPath ends an API token.
func RevokeTokenPath(token string) string {
	return TokensPath + "/" + url.PathEscape(token) + "/revoke"
}

// KeyRequestPath is where a device that waits for its key is answered: "add" or "refuse".
func KeyRequestPath(key, act string) string {
	return KeyRequestsPath + "/" + url.PathEscape(key) + "/" + act
}

// RevokeKeyPath ends an approver key.
func RevokeKeyPath(key string) string {
	return portal.Approvers + "/" + url.PathEscape(key) + "/revoke"
}

// DevicePath is where a device that gets notifications is changed: "name", "test" or "off".
func DevicePath(device, act string) string {
	return portal.Notifications + "/" + url.PathEscape(device) + "/" + act
}
