package account

import (
	"net/url"

	"gatehouse/views/portal"
)

// The forms of the settings.
const (
	ZonePath        = "/app/settings/time-zone"
	TokensPath      = "/app/settings/tokens"
	KeyRequestsPath = "/app/settings/approver-requests"
)

// newPasswordPath is a page that needs no sign-in.
const newPasswordPath = "/auth/forgot"

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
