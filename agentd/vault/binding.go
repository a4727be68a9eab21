package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/wire"
)

// maxBindings is more than any secret needs.
const maxBindings = 20

// cleanBinding brings a binding to the form in which uses are compared with it, and refuses what is none. There are
// no wildcards.
func cleanBinding(b wire.SecretBinding) (wire.SecretBinding, error) {
	b.Scheme, b.Host = strings.ToLower(b.Scheme), strings.ToLower(strings.TrimSuffix(b.Host, "."))
	if b.Header != "" {
		b.Header = http.CanonicalHeaderKey(b.Header)
	}
	bad := func(why string) (wire.SecretBinding, error) {
		return b, fmt.Errorf("%w: a binding %s", ErrInvalid, why)
	}
	switch {
	case b.Tool != "http_request" && b.Tool != "env_update":
		return bad("names the tool http_request or env_update")
	case (b.Header == "") == (b.Field == ""):
		return bad("names a header or a field, not both")
	case b.Header != "" && !httpguts.ValidHeaderFieldName(b.Header), len(b.Field) > 4096, strings.ContainsAny(b.Host, "*/ @?#\\"):
		return bad("names one host and one header or field; there are no wildcards")
	case b.Tool == "http_request" && (b.Scheme != "http" && b.Scheme != "https" || b.Host == "" || b.Port < 1 || b.Port > 65535):
		return bad("to a host names scheme, host and port")
	case b.Tool == "env_update" && (b.Scheme != "" || b.Host != "" || b.Port != 0 || b.Header != "" || !strings.Contains(b.Field, "#")):
		return bad("to a file has the field path#KEY and nothing else")
	}
	return b, nil
}

// cleanBindings is cleanBinding for all places of one secret, each once.
func cleanBindings(to []wire.SecretBinding) ([]wire.SecretBinding, error) {
	if len(to) > maxBindings {
		return nil, fmt.Errorf("%w: a secret is bound to %d places at most", ErrInvalid, maxBindings)
	}
	clean := make([]wire.SecretBinding, 0, len(to))
	for _, b := range to {
		b, err := cleanBinding(b)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(clean, b) {
			clean = append(clean, b)
		}
	}
	return clean, nil
}

// bindingsHash names the places of a secret, so that a change of them can say which ones its author saw.
func bindingsHash(all []wire.SecretBinding) string {
	text, _ := json.Marshal(all) // of strings and numbers alone
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ReboundError says that a secret is bound to other places than the author of a change saw.
type ReboundError struct{ Now []wire.SecretBinding }

func (e *ReboundError) Error() string {
	now := bindingsText(e.Now)
	if now == "" {
		now = "nowhere"
	}
	return "Access to this credential has changed meanwhile, so nothing was changed now. It may be used in: " + now + "."
}

// useOf is the use that a binding allows.
func useOf(b wire.SecretBinding) gate.Use {
	return gate.Use{Tool: b.Tool, Scheme: b.Scheme, Host: b.Host, Port: b.Port, Header: b.Header, Field: b.Field}
}

// allows says whether the secret may be used there, all fields compared.
func (r *row) allows(u gate.Use) bool {
	u.Name, u.Host = "", strings.ToLower(strings.TrimSuffix(u.Host, "."))
	if u.Header != "" {
		u.Header = http.CanonicalHeaderKey(u.Header)
	}
	return slices.ContainsFunc(r.meta.Bindings, func(b wire.SecretBinding) bool { return useOf(b) == u })
}
