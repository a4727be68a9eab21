package channel

import (
	"errors"
	"net/http"
	"net/http/httptrace"
	"time"
)

// ErrNotGiven is within the error of a request of which nothing has left.
var ErrNotGiven = errors.New("the provider was not reached")

var transport = func() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	// Shorter than servers wait: a connection that just ends leaves open what came of a message.
	t.IdleConnTimeout = 20 * time.Second
	return t
}()

// RoundTrip sends a request to a provider. It follows no redirect: a token goes with it.
func RoundTrip(r *http.Request) (*http.Response, error) {
	connected := false
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected = true },
	}))
	answer, err := transport.RoundTrip(r)
	if err != nil && !connected {
		return nil, errors.Join(ErrNotGiven, err)
	}
	return answer, err
}
