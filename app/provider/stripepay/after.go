package stripepay

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	stripe "github.com/stripe/stripe-go/v76"
	portal "github.com/stripe/stripe-go/v76/billingportal/session"
	"github.com/stripe/stripe-go/v76/customer"
	"github.com/stripe/stripe-go/v76/dispute"
	"github.com/stripe/stripe-go/v76/refund"

	"gatehouse/app/payment"
	"gatehouse/app/pricing"
)

// reasons are what Stripe calls our reasons. It takes no others.
var reasons = map[payment.Why]string{
	payment.WhyTwice: "duplicate", payment.WhyCancelled: "requested_by_customer", payment.WhyStaff: "requested_by_customer",
}

// Refund gives money back. What Stripe refuses for good is payment.Declined with its code.
func (c *Client) Refund(ctx context.Context, key string, a payment.RefundAsk) (payment.RefundSeen, error) {
	in := &stripe.RefundParams{Params: write(ctx, key), PaymentIntent: stripe.String(a.Intent), Amount: stripe.Int64(int64(a.Amount))}
	if why := reasons[a.Why]; why != "" {
		in.Reason = stripe.String(why)
	}
	in.AddMetadata(metaRefund, a.Refund)
	out, err := refund.Client{B: c.api, Key: c.key()}.New(in)
	var e *stripe.Error
	if errors.As(err, &e) && e.HTTPStatusCode == http.StatusBadRequest && e.Code != "" {
		return payment.RefundSeen{}, declined(e)
	}
	if err != nil {
		return payment.RefundSeen{}, said("refund", err)
	}
	return refunded(out), nil
}

// Refunds lists the refunds of a PaymentIntent.
func (c *Client) Refunds(ctx context.Context, intent string) ([]payment.RefundSeen, error) {
	in := &stripe.RefundListParams{ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)}, PaymentIntent: stripe.String(intent)}
	var all []payment.RefundSeen
	it := refund.Client{B: c.api, Key: c.key()}.List(in)
	for it.Next() {
		all = append(all, refunded(it.Refund()))
	}
	return all, said("list refunds", it.Err())
}

func refunded(r *stripe.Refund) payment.RefundSeen {
	return payment.RefundSeen{
		ID: r.ID, Ours: r.Metadata[metaRefund], Amount: pricing.Cents(r.Amount), Code: string(r.FailureReason),
		Failed: r.Status == stripe.RefundStatusFailed || r.Status == stripe.RefundStatusCanceled,
	}
}

// Dispute looks at a dispute.
func (c *Client) Dispute(ctx context.Context, id string) (payment.DisputeSeen, error) {
	d, err := dispute.Client{B: c.api, Key: c.key()}.Get(id, &stripe.DisputeParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return payment.DisputeSeen{}, said("look at dispute", err)
	}
	out := payment.DisputeSeen{Dispute: payment.Dispute{
		ID: d.ID, Amount: pricing.Cents(d.Amount), Reason: string(d.Reason), State: string(d.Status), OpenedAt: time.Unix(d.Created, 0).UTC(),
	}}
	if d.PaymentIntent != nil {
		out.Intent = d.PaymentIntent.ID
	}
	if d.EvidenceDetails != nil && d.EvidenceDetails.DueBy > 0 {
		out.DueAt = time.Unix(d.EvidenceDetails.DueBy, 0).UTC()
	}
	return out, nil
}

// Method is the means of payment that the customer has chosen, or else the one that came last.
func (c *Client) Method(ctx context.Context, payer string) (payment.Method, error) {
	in := &stripe.CustomerParams{Params: stripe.Params{Context: ctx}}
	in.AddExpand("invoice_settings.default_payment_method")
	all := customer.Client{B: c.api, Key: c.key()}
	out, err := all.Get(payer, in)
	if err != nil {
		return payment.Method{}, said("look at customer", err)
	}
	if out.Deleted {
		return payment.Method{}, nil
	}
	if out.InvoiceSettings != nil && out.InvoiceSettings.DefaultPaymentMethod != nil {
		return method(out.InvoiceSettings.DefaultPaymentMethod), nil
	}
	it := all.ListPaymentMethods(&stripe.CustomerListPaymentMethodsParams{
		ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(1), Single: true}, Customer: stripe.String(payer),
	})
	for it.Next() {
		return method(it.PaymentMethod()), nil
	}
	return payment.Method{}, said("list means of payment", it.Err())
}

// Portal opens the page where a customer changes the means of payment. It changes nothing by itself, so it needs no key of ours.
func (c *Client) Portal(ctx context.Context, payer, back string) (string, error) {
	out, err := portal.Client{B: c.api, Key: c.key()}.New(&stripe.BillingPortalSessionParams{
		Params: stripe.Params{Context: ctx}, Customer: stripe.String(payer), ReturnURL: stripe.String(back),
	})
	if err != nil {
		return "", said("open portal", err)
	}
	return strings.TrimSpace(out.URL), nil
}
