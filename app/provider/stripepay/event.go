package stripepay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	stripe "github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/event"
	"github.com/stripe/stripe-go/v76/webhook"

	"gatehouse/app/payment"
)

// tolerance is how old, or how far ahead, a signature may be.
const tolerance = 300 * time.Second

// Verify reads an event that was sent to us. It counts when one of the secrets in use has signed its very bytes a short while ago.
func (c *Client) Verify(body []byte, signature string, now time.Time) (payment.Event, error) {
	if age := now.Sub(signedAt(signature)); age > tolerance || age < -tolerance {
		return payment.Event{}, fmt.Errorf("%w: signed at another time", payment.ErrSignature)
	}
	opt := webhook.ConstructEventOptions{IgnoreTolerance: true, IgnoreAPIVersionMismatch: true}
	for _, secret := range []string{c.opt.Hook.Or(""), c.opt.HookOld.Or("")} {
		if secret == "" {
			continue
		}
		if e, err := webhook.ConstructEventWithOptions(body, signature, secret, opt); err == nil {
			return read(e, body)
		}
	}
	return payment.Event{}, payment.ErrSignature
}

// signedAt is the time that a signature names; zero when it names none.
func signedAt(signature string) time.Time {
	for part := range strings.SplitSeq(signature, ",") {
		if at, ok := strings.CutPrefix(strings.TrimSpace(part), "t="); ok {
			if n, err := strconv.ParseInt(at, 10, 64); err == nil {
				return time.Unix(n, 0)
			}
		}
	}
	return time.Time{}
}

// hint is all that is read of the object of an event.
type hint struct {
	ID       string `json:"id"`
	Object   string `json:"object"`
	Intent   ref    `json:"payment_intent"`
	Customer ref    `json:"customer"`
}

// ref is an id, or an object with one.
type ref string

// UnmarshalJSON reads either; what is neither is none.
func (r *ref) UnmarshalJSON(raw []byte) error {
	var whole struct {
		ID string `json:"id"`
	}
	var id string
	if json.Unmarshal(raw, &id) == nil {
		*r = ref(id)
	} else if json.Unmarshal(raw, &whole) == nil {
		*r = ref(whole.ID)
	}
	return nil
}

// read takes from an event where to look.
func read(e stripe.Event, raw []byte) (payment.Event, error) {
	if e.ID == "" || e.Data == nil {
		return payment.Event{}, fmt.Errorf("%w: no event", payment.ErrSignature)
	}
	var of, before hint
	if err := json.Unmarshal(e.Data.Raw, &of); err != nil {
		return payment.Event{}, fmt.Errorf("%w: no object", payment.ErrSignature)
	}
	if was, err := json.Marshal(e.Data.PreviousAttributes); err == nil {
		_ = json.Unmarshal(was, &before) // a means of payment that was taken away says whose it was
	}
	out := payment.Event{
		ID: e.ID, Kind: string(e.Type), Object: of.Object, Of: of.ID, Intent: string(of.Intent), Payer: string(of.Customer),
		At: time.Unix(e.Created, 0).UTC(), Raw: raw,
	}
	switch {
	case of.Object == "payment_intent":
		out.Intent = of.ID
	case of.Object == "customer":
		out.Payer = of.ID
	case out.Payer == "":
		out.Payer = string(before.Customer)
	}
	return out, nil
}

// Events lists what happened since then. Stripe lists the newest first.
func (c *Client) Events(ctx context.Context, since time.Time) ([]payment.Event, error) {
	in := &stripe.EventListParams{
		ListParams:   stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)},
		CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: since.Unix()},
	}
	var all []payment.Event
	it := event.Client{B: c.api, Key: c.key()}.List(in)
	for it.Next() {
		raw, err := json.Marshal(it.Event())
		if err != nil {
			return nil, fmt.Errorf("stripe: list events: %w", err)
		}
		e, err := read(*it.Event(), raw)
		if err != nil {
			return nil, fmt.Errorf("stripe: list events: %w", err)
		}
		all = append(all, e)
	}
	if err := it.Err(); err != nil {
		return nil, said("list events", err)
	}
	slices.Reverse(all)
	return all, nil
}
