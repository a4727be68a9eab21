package mail

import (
	"context"
	"strconv"
	"time"

	"gatehouse/views/i18n"
)

// Ordered is what a letter about an order says of it.
type Ordered struct {
	ID       string
	Number   int64
	Customer string    // name of the business
	Why      string    // closed, refunded, unpaid; to our staff: failed, late
	On       time.Time // when its server is released, in the customer's time zone
}

var (
	endWords = map[string]i18n.Key{
		"closed": "mail.order_ended.closed", "refunded": "mail.order_ended.refunded", "unpaid": "mail.order_ended.unpaid",
	}
	helpWords = map[string]i18n.Key{"failed": "mail.order_help.failed", "late": "mail.order_help.late"}
)

// disputeWords are what our staff are told about a payment.
var disputeWords = map[string]i18n.Key{
	"dispute": "mail.payment_help.dispute", "lost": "mail.payment_help.lost", "refund": "mail.payment_help.refund",
	"ours": "mail.payment_help.ours", "differs": "mail.payment_help.differs",
}

// orderWords are those of a letter about an order.
func orderWords(ctx context.Context, p Props, w text) text {
	number := strconv.FormatInt(p.Order.Number, 10)
	w.Subject = i18n.T(ctx, i18n.Key("mail."+string(p.Kind)+".subject"), "number", number)
	w.Title, w.Button = w.Subject, i18n.T(ctx, i18n.Key("mail."+string(p.Kind)+".button"))
	switch p.Kind {
	case OrderEnded:
		w.Text = i18n.T(ctx, endWords[p.Order.Why]) + " " + i18n.T(ctx, "mail.order_ended.text", "day", i18n.Day(ctx, p.Order.On))
	case OrderHelp:
		w.Text = i18n.T(ctx, helpWords[p.Order.Why], "number", number, "customer", p.Order.Customer)
	default:
		w.Text = i18n.T(ctx, "mail.order_late.text")
	}
	return w
}
