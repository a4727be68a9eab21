package schedule

import (
	"context"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// WebhookPath is where acts on the address of a schedule go.
func WebhookPath(id string) string { return Path(id) + "/webhook" }

// Webhook is where the results of a schedule go.
type Webhook struct {
	Shown, By string
	Stale     bool
	Updated   time.Time
}

// Signs is what a signature is bound to, and the acts as they are signed.
type Signs struct {
	Server               string
	Config               int64 // version of the settings
	Set, Confirm, Remove string
}

// attrs make a form whose act is written by the script and signed before it is sent.
func (s Signs) attrs(act string) templ.Attributes {
	return templ.Attributes{
		"data-change": "schedule_webhook", "data-change-body": act, "data-server": s.Server,
		"data-version": strconv.FormatInt(s.Config, 10), "data-always": true, "data-hook": true, "data-open": "/app/credentials/open",
		"data-seals": "schedule.webhook",
	}
}

// Delivery is the way of a result to its address.
type Delivery struct {
	State, Reason string
	NextAt        time.Time
	Attempts      []Attempt
}

// Attempt is one try.
type Attempt struct {
	At     time.Time
	Status int // of HTTP; 0: no answer
	Reason string
}

var deliveryStates = map[string]i18n.Key{
	"waiting": "schedule.delivery_waiting", "sent": "schedule.delivery_sent", "held": "schedule.delivery_held",
	"failed": "schedule.delivery_failed",
}

var deliveryKinds = map[string]string{"waiting": "busy", "sent": "ok", "held": "warn", "failed": "bad"}

// delivered shows how far the result of a tick has come; nothing of one that goes nowhere.
func (t Tick) delivered(ctx context.Context) templ.Component {
	if t.Delivery == nil {
		return ui.Text("")
	}
	return delivery(*t.Delivery)
}

// facts are what is known of the address.
func (w Webhook) facts(ctx context.Context) []ui.Pair {
	return []ui.Pair{
		{Name: i18n.T(ctx, "schedule.webhook_address"), Value: w.Shown},
		{Name: i18n.T(ctx, "schedule.webhook_by"), Value: w.By},
		{Name: i18n.T(ctx, "schedule.webhook_updated"), View: ui.At(w.Updated)},
	}
}
