package certificate

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/crypto/acme"
)

// longest is how much of what an authority says is repeated, in bytes.
const longest = 400

// inWords is why there is no certificate, with what the authority itself says and what to do.
func inWords(err error) error {
	if wait, limited := acme.RateLimit(err); limited {
		return fmt.Errorf("the authority gives this account or name no more for now; try again after %s (%w)", wait, err)
	}
	var proof *acme.AuthorizationError
	if errors.As(err, &proof) {
		said := make([]string, 0, len(proof.Errors))
		for _, e := range proof.Errors {
			said = append(said, detail(e))
		}
		return fmt.Errorf("the authority could not see that the name leads here: %s. "+
			"Check its records, and that port 80 is open, then try again", strings.Join(said, "; "))
	}
	var order *acme.OrderError
	if errors.As(err, &order) && order.Problem != nil {
		err = order.Problem
	}
	var refused *acme.Error
	if errors.As(err, &refused) {
		return fmt.Errorf("the authority refuses: %s", detail(refused))
	}
	return err
}

// detail is what the authority says, on one line.
func detail(err error) string {
	text := err.Error()
	var said *acme.Error
	if errors.As(err, &said) {
		text = said.Detail
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return strings.ToValidUTF8(strings.TrimRight(text[:min(len(text), longest)], ". "), "")
}
