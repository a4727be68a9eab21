package external

import (
	"strings"

	"golang.org/x/net/http/httpguts"

	"gatehouse/agentd/vault"
)

// readCredential reads a file that only agentd's user can read.
func readCredential(path string) (string, error) {
	raw, err := vault.ReadPrivate(path)
	text := strings.TrimSpace(string(raw))
	if err != nil || !isToken(text) {
		return "", &Error{Trouble: vault.TroubleCredential}
	}
	return text, nil
}

// isToken says whether s can be shown in a header.
func isToken(s string) bool {
	return s != "" && len(s) <= 8<<10 && httpguts.ValidHeaderFieldValue(s) && !strings.ContainsAny(s, " \t")
}
