package stripepay

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	stripe "github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/checkout/session"
	"github.com/stripe/stripe-go/v76/customer"
	"github.com/stripe/stripe-go/v76/paymentintent"

	"gatehouse/app/payment"
	"gatehouse/app/pricing"
)

// AddPayer makes a customer.
func (c *Client) AddPayer(ctx context.Context, key string, p payment.NewPayer) (string, error) {
	in := &stripe.CustomerParams{Params: write(ctx, key), Name: stripe.String(p.Name), Email: stripe.String(p.Email)}
	if p.Locale != "" {
		in.PreferredLocales = stripe.StringSlice([]string{p.Locale})
	}
	in.AddMetadata(metaCustomer, p.Customer)
	out, err := customer.Client{B: c.api, Key: c.key()}.New(in)
	if err != nil {
		return "", said("add customer", err)
	}
	return out.ID, nil
}

// RemovePayer deletes a customer. Stripe answers a repeat that there is none: it needs no key of ours.
func (c *Client) RemovePayer(ctx context.Context, payer string) error {
	_, err := customer.Client{B: c.api, Key: c.key()}.Del(payer, &stripe.CustomerParams{Params: stripe.Params{Context: ctx}})
	var e *stripe.Error
	if errors.As(err, &e) && e.HTTPStatusCode == http.StatusNotFound && e.Code == stripe.ErrorCodeResourceMissing {
		return nil
	}
	return said("delete customer", err)
}

// OpenPage makes a Checkout Session that takes one payment and keeps the means of payment for later ones. Which means are offered
// is set in Stripe's dashboard.
func (c *Client) OpenPage(ctx context.Context, key string, a payment.PageAsk) (payment.Page, error) {
	meta := map[string]string{metaPayment: string(a.Payment)}
	in := &stripe.CheckoutSessionParams{
		Params: write(ctx, key), Mode: stripe.String(string(stripe.CheckoutSessionModePayment)), Customer: stripe.String(a.Payer),
		ClientReferenceID: stripe.String(string(a.Payment)), SuccessURL: stripe.String(a.Back), CancelURL: stripe.String(a.Cancel),
		ExpiresAt: stripe.Int64(a.Until.Unix()), Metadata: meta,
		LineItems: []*stripe.CheckoutSessionLineItemParams{{
			Quantity: stripe.Int64(1),
			PriceData: &stripe.CheckoutSessionLineItemPriceDataParams{
				Currency: stripe.String(strings.ToLower(a.Currency)), UnitAmount: stripe.Int64(int64(a.Amount)),
				ProductData: &stripe.CheckoutSessionLineItemPriceDataProductDataParams{Name: stripe.String(a.Title)},
			},
		}},
		PaymentIntentData: &stripe.CheckoutSessionPaymentIntentDataParams{
			SetupFutureUsage: stripe.String(string(stripe.PaymentIntentSetupFutureUsageOffSession)),
			Description:      stripe.String(a.Title), Metadata: meta,
		},
	}
	if a.Locale != "" {
		in.Locale = stripe.String(a.Locale)
	}
	out, err := c.sessions().New(in)
	if err != nil {
		return payment.Page{}, said("open page", err)
	}
	return page(out), nil
}

func (c *Client) sessions() session.Client { return session.Client{B: c.api, Key: c.key()} }

// Page looks at a Checkout Session with its payment.
func (c *Client) Page(ctx context.Context, id string) (payment.Page, error) {
	in := &stripe.CheckoutSessionParams{Params: stripe.Params{Context: ctx}}
	in.AddExpand("payment_intent.latest_charge")
	in.AddExpand("payment_intent.payment_method")
	out, err := c.sessions().Get(id, in)
	if err != nil {
		return payment.Page{}, said("look at page", err)
	}
	return page(out), nil
}

func page(s *stripe.CheckoutSession) payment.Page {
	p := payment.Page{ID: s.ID, Ours: payment.ID(s.Metadata[metaPayment])}
	switch s.Status {
	case stripe.CheckoutSessionStatusOpen:
		p.Open, p.URL = true, s.URL
	case stripe.CheckoutSessionStatusExpired:
		p.Expired = true
	}
	if s.PaymentIntent != nil && s.PaymentIntent.Status != "" {
		it := seen(s.PaymentIntent)
		p.Payment = &it
	}
	return p
}

// ClosePage expires a Checkout Session that is open.
func (c *Client) ClosePage(ctx context.Context, id string) error {
	is, err := c.Page(ctx, id)
	if err != nil || !is.Open {
		return err
	}
	_, err = c.sessions().Expire(id, &stripe.CheckoutSessionExpireParams{Params: write(ctx, "close-"+id)})
	return said("close page", err)
}

// Charge makes and confirms a PaymentIntent while the customer is away.
func (c *Client) Charge(ctx context.Context, key string, a payment.ChargeAsk) (payment.Seen, error) {
	in := &stripe.PaymentIntentParams{
		Params: write(ctx, key), Amount: stripe.Int64(int64(a.Amount)), Currency: stripe.String(strings.ToLower(a.Currency)),
		Customer: stripe.String(a.Payer), PaymentMethod: stripe.String(a.Method), OffSession: stripe.Bool(true), Confirm: stripe.Bool(true),
		Description: stripe.String(a.Title), Metadata: map[string]string{metaPayment: string(a.Payment)},
		AutomaticPaymentMethods: &stripe.PaymentIntentAutomaticPaymentMethodsParams{
			Enabled: stripe.Bool(true), AllowRedirects: stripe.String("never"),
		},
	}
	in.AddExpand("latest_charge")
	in.AddExpand("payment_method")
	out, err := c.intents().New(in)
	if err != nil {
		return payment.Seen{}, said("charge", err)
	}
	return seen(out), nil
}

func (c *Client) intents() paymentintent.Client { return paymentintent.Client{B: c.api, Key: c.key()} }

// Look looks at a PaymentIntent.
func (c *Client) Look(ctx context.Context, intent string) (payment.Seen, error) {
	in := &stripe.PaymentIntentParams{Params: stripe.Params{Context: ctx}}
	in.AddExpand("latest_charge")
	in.AddExpand("payment_method")
	out, err := c.intents().Get(intent, in)
	if err != nil {
		return payment.Seen{}, said("look at payment", err)
	}
	return seen(out), nil
}

// Charges lists the payments of a payer.
func (c *Client) Charges(ctx context.Context, payer string, since time.Time) (all []payment.Seen, err error) {
	in := &stripe.PaymentIntentListParams{
		ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)}, Customer: stripe.String(payer),
		CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: since.Add(-time.Minute).Unix()},
	}
	in.AddExpand("data.latest_charge")
	in.AddExpand("data.payment_method")
	it := c.intents().List(in)
	for it.Next() {
		all = append(all, seen(it.PaymentIntent()))
	}
	return all, said("list payments", it.Err())
}

// seen reads a PaymentIntent.
func seen(i *stripe.PaymentIntent) payment.Seen {
	s := payment.Seen{
		Intent: i.ID, Ours: payment.ID(i.Metadata[metaPayment]), State: stateOf(i), Amount: pricing.Cents(i.Amount),
		Currency: strings.ToUpper(string(i.Currency)),
	}
	if s.State == payment.Paid {
		s.Amount = pricing.Cents(i.AmountReceived)
	}
	if i.Customer != nil {
		s.Payer = i.Customer.ID
	}
	if i.LatestCharge != nil {
		s.Refunded = pricing.Cents(i.LatestCharge.AmountRefunded)
	}
	if e := i.LastPaymentError; e != nil && s.State != payment.Paid {
		s.Code = declined(&stripe.Error{Code: e.Code, DeclineCode: e.DeclineCode}).Code
	}
	s.Method = method(i.PaymentMethod)
	return s
}

func stateOf(i *stripe.PaymentIntent) payment.State {
	switch i.Status {
	case stripe.PaymentIntentStatusSucceeded:
		return payment.Paid
	case stripe.PaymentIntentStatusProcessing:
		return payment.Processing
	case stripe.PaymentIntentStatusCanceled:
		return payment.Failed
	case stripe.PaymentIntentStatusRequiresPaymentMethod:
		if i.LastPaymentError != nil {
			return payment.Failed
		}
	}
	return payment.Waiting
}

// method is what may be shown of a means of payment.
func method(m *stripe.PaymentMethod) payment.Method {
	if m == nil || m.Type == "" {
		return payment.Method{}
	}
	out := payment.Method{ID: m.ID, Kind: string(m.Type)}
	switch {
	case m.Card != nil:
		out.Brand, out.Last4, out.Month, out.Year = string(m.Card.Brand), m.Card.Last4, int(m.Card.ExpMonth), int(m.Card.ExpYear)
	case m.SEPADebit != nil:
		out.Last4 = m.SEPADebit.Last4
	}
	return out
}
