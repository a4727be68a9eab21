package stripepay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	stripe "github.com/stripe/stripe-go/v76"

	"gatehouse/app/payment"
	"gatehouse/app/tune"
)

// Options are how Stripe is reached. Values are read at each request: our staff may change them while the hub runs.
type Options struct {
	Key     tune.Value[string] // the secret key; empty: no payments are taken
	Hook    tune.Value[string] // the secret that events are signed with
	HookOld tune.Value[string] // the one of before, while both are in use
	URL     string             // of the API; empty: Stripe's own
}

// Client asks Stripe.
type Client struct {
	opt Options
	api stripe.Backend
}

var _ payment.Provider = (*Client)(nil)

// answerWithin is how long Stripe may take for an answer. A page of ours waits for some.
const answerWithin = 12 * time.Second

// New makes a Client. Nothing is asked before it is used.
func New(opt Options) *Client {
	cfg := &stripe.BackendConfig{
		HTTPClient: &http.Client{
			Timeout:       answerWithin,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull}, MaxNetworkRetries: stripe.Int64(0),
		EnableTelemetry: stripe.Bool(false),
	}
	if opt.URL != "" {
		cfg.URL = stripe.String(strings.TrimSuffix(opt.URL, "/"))
	}
	return &Client{opt: opt, api: stripe.GetBackendWithConfig(stripe.APIBackend, cfg)}
}

// Ready says whether a key is set.
func (c *Client) Ready() bool { return c.key() != "" }

func (c *Client) key() string { return c.opt.Key.Or("") }

// metaPayment and metaRefund name what Stripe keeps of ours in what it makes for us.
const (
	metaPayment  = "gatehouse_payment"
	metaRefund   = "gatehouse_refund"
	metaCustomer = "gatehouse_customer"
)

// write is what comes with each request that changes something.
func write(ctx context.Context, key string) stripe.Params {
	p := stripe.Params{Context: ctx}
	p.SetIdempotencyKey(key)
	return p
}

// said puts what Stripe answered under the error that it stands for. The library's own text holds whole objects with secrets of
// theirs, so it is not passed on.
func said(what string, err error) error {
	if err == nil {
		return nil
	}
	var e *stripe.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("stripe: %s: %w: %s", what, payment.ErrAway, brief(err))
	}
	text := fmt.Sprintf("%d %s %s %s (request %s): %.200s", e.HTTPStatusCode, e.Type, e.Code, e.Param, e.RequestID, e.Msg)
	switch {
	case e.HTTPStatusCode == http.StatusPaymentRequired:
		return fmt.Errorf("stripe: %s: %w", what, declined(e))
	case e.HTTPStatusCode == http.StatusTooManyRequests, e.HTTPStatusCode == http.StatusConflict, e.HTTPStatusCode >= 500:
		return fmt.Errorf("stripe: %s: %w: %s", what, payment.ErrAway, text)
	case e.HTTPStatusCode == http.StatusUnauthorized, e.HTTPStatusCode == http.StatusForbidden:
		return fmt.Errorf("stripe: %s: %w: the key that is set is refused: %s", what, payment.ErrAway, text)
	}
	return fmt.Errorf("stripe: %s: %w: %s", what, payment.ErrOurs, text)
}

// brief is an error of the way there without the address, which may hold ids.
func brief(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, context.Canceled):
		return "given up"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection ended"
	}
	return fmt.Sprintf("%.120s", err.Error())
}

func declined(e *stripe.Error) *payment.Declined {
	code := string(e.Code)
	if e.DeclineCode != "" && code == "card_declined" {
		code = string(e.DeclineCode)
	}
	d := &payment.Declined{Code: code}
	if e.PaymentIntent != nil {
		d.Seen = seen(e.PaymentIntent)
		d.Seen.Code = code
	}
	return d
}
