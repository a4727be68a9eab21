package external

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"gatehouse/agentd/vault"
)

// maxAnswer is the longest answer that is read.
const maxAnswer = 1 << 20

// Error is why a question to the external vault has no answer. Its text is made of our words alone.
type Error struct {
	Trouble vault.Trouble
	Status  int // of HTTP; 0: there was no answer
}

func (e *Error) Error() string {
	if e.Status != 0 && e.Status != http.StatusOK {
		return fmt.Sprintf("%s (status %d)", e.Trouble.Text(), e.Status)
	}
	return e.Trouble.Text()
}

// troubleOf is what is wrong; empty for no error.
func troubleOf(err error) vault.Trouble {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Trouble
	}
	return vault.TroubleAway
}

// read reads one answer into out.
func read(res *http.Response, out any) error {
	trouble := refused(res.StatusCode)
	switch trouble {
	case "":
		trouble = decode(res.Body, out)
	case vault.TroubleMissing:
		var said map[string]json.RawMessage
		if wrong := decode(res.Body, &said); wrong != "" {
			trouble = wrong
		} else if said["errors"] == nil && said["request_id"] == nil {
			trouble = vault.TroubleAnswer // what stands before it has no way there: that makes no secret go
		}
	}
	if trouble == "" {
		return nil
	}
	return &Error{Trouble: trouble, Status: res.StatusCode}
}

// decode reads one JSON value of a decent size, and nothing behind it.
func decode(r io.Reader, out any) vault.Trouble {
	body, err := io.ReadAll(io.LimitReader(r, maxAnswer+1))
	switch {
	case err != nil:
		return vault.TroubleAway
	case len(body) > maxAnswer || !utf8.Valid(body) || json.Unmarshal(body, out) != nil:
		return vault.TroubleAnswer
	}
	return ""
}

// refused is what a status says; empty for an answer. The texts of errors are not looked at.
func refused(status int) vault.Trouble {
	switch {
	case status == http.StatusOK:
		return ""
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		return vault.TroubleDenied
	case status == http.StatusNotFound:
		return vault.TroubleMissing
	case status == http.StatusTooManyRequests:
		return vault.TroubleBusy
	case status >= 300 && status < 400:
		return vault.TroubleRedirect
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return vault.TroubleAway // that of whatever stands before it
	case status == http.StatusServiceUnavailable, status == http.StatusPreconditionFailed, status == 472, status == 473:
		return vault.TroubleSealed // sealed, not set up, a standby that does not answer or is behind
	}
	return vault.TroubleAnswer
}

// broken is why there was no answer.
func broken(err error) vault.Trouble {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	for _, target := range []any{&unknown, &host, &invalid, &verify, &record, &alert} {
		if errors.As(err, target) {
			return vault.TroubleTLS
		}
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return vault.TroubleTLS
	}
	return vault.TroubleAway
}
