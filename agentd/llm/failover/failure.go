package failover

import (
	"net/http"
	"strings"
	"time"
)

// Why is a class of failures that lets a profile rest.
type Why string

// The classes. Empty means that another profile would say the same: the request itself was refused.
const (
	Account     Why = "account"     // the key is not accepted
	Billing     Why = "billing"     // the account has run dry
	Rate        Why = "rate"        // too many requests for now
	Unavailable Why = "unavailable" // the endpoint is down, or at fault
)

// rests are how long a profile rests after the first failure, and at most. Each failure in a row doubles it.
var rests = map[Why]struct{ first, most time.Duration }{
	Account:     {10 * time.Minute, 24 * time.Hour},
	Billing:     {30 * time.Minute, 24 * time.Hour},
	Rate:        {30 * time.Second, 15 * time.Minute},
	Unavailable: {10 * time.Second, 5 * time.Minute},
}

// mostAsked bounds how long an endpoint may ask to be left alone.
const mostAsked = time.Hour

// Of classifies an answer by its status and by what its error says.
func Of(status int, said string) Why {
	switch {
	case status == http.StatusPaymentRequired, status == http.StatusTooManyRequests && dry(said):
		return Billing
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Account
	case status == http.StatusTooManyRequests:
		return Rate
	case status == http.StatusRequestTimeout, status >= 500:
		return Unavailable
	}
	return ""
}

// dry says whether the words of a 429 mean that no waiting helps.
func dry(said string) bool {
	said = strings.ToLower(said)
	return strings.Contains(said, "insufficient_quota") || strings.Contains(said, "billing") || strings.Contains(said, "credit balance")
}

// wholeAccount says whether the failure is about the account, whatever model was asked for.
func (w Why) wholeAccount() bool { return w == Account || w == Billing }

// rest is how long after the n-th failure in a row.
func (w Why) rest(n int, asked time.Duration) time.Duration {
	r := rests[w]
	d := r.first
	for range n - 1 {
		if d = min(2*d, r.most); d == r.most {
			break
		}
	}
	return max(d, min(asked, mostAsked))
}
