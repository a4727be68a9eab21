package wire

import "time"

// MethodScheduleWebhook changes the address to which the results of a schedule go, since version 6. WebhookChange → Schedule as it
// stands then; a repeat gives what is there.
const MethodScheduleWebhook Method = "schedule.webhook"

// ChangeWebhook is a change of such an address by a person; body: WebhookAct.
const ChangeWebhook ChangeKind = "schedule_webhook"

// WebhookDo is what a person does with the address of a schedule.
type WebhookDo string

// What is done with addresses.
const (
	WebhookSet     WebhookDo = "set"     // another address, another secret
	WebhookConfirm WebhookDo = "confirm" // the same ones, for the schedule as it is now
	WebhookRemove  WebhookDo = "remove"  // results stay in their conversation
)

// Signed says whether a person signs for it.
func (d WebhookDo) Signed() bool { return d != WebhookRemove }

// Bounds of addresses.
const (
	MaxWebhookURL    = 500 // bytes
	MinWebhookSecret = 16  // characters
)

// WebhookSecretName is the name under which the vault keeps the secret that signs the results of a schedule.
func WebhookSecretName(schedule string) string { return "schedule." + schedule }

// WebhookAct is what is signed: where the results go, and of what they are results.
type WebhookAct struct {
	ID         string    `json:"id"` // UUIDv7: names the act, which happens once
	Do         WebhookDo `json:"do"`
	Schedule   string    `json:"schedule"`
	Agent      string    `json:"agent"`
	Task       string    `json:"task"`
	URL        string    `json:"url"`
	SecretHash string    `json:"secret_hash"` // set: hex SHA-256 of the secret
	Version    int64     `json:"version"`     // of the schedule as the person saw it: another one is refused
}

// WebhookChange asks for an act. The secret travels in Box, sealed for MethodScheduleWebhook and WebhookSecretName.
type WebhookChange struct {
	Act       WebhookAct `json:"act"`
	Signature *Signature `json:"signature"`
	Nonce     string     `json:"nonce,omitempty"`
	Box       SecretBox  `json:"box,omitempty"`
	By        DecidedBy  `json:"by"`
}

// ScheduleWebhook is where the results of a schedule go. What stands behind the host may be a secret of the receiver's.
type ScheduleWebhook struct {
	Shown   string    `json:"shown"` // the address up to the host
	Stale   bool      `json:"stale"` // the schedule is not what the person signed for anymore: nothing is sent
	By      DecidedBy `json:"by"`
	Updated time.Time `json:"updated_at"`
}

// DeliveryState is how far the result of a tick has come.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryWaiting DeliveryState = "waiting" // it is tried, again at NextAt
	DeliverySent    DeliveryState = "sent"    // the receiver has answered 2xx
	DeliveryHeld    DeliveryState = "held"    // it was not sent, and is not tried again: Reason
	DeliveryFailed  DeliveryState = "failed"  // every try has failed
)

// ScheduleDelivery is the way of the result of a tick to its address.
type ScheduleDelivery struct {
	State    DeliveryState     `json:"state"`
	Reason   string            `json:"reason"`   // in words for people
	NextAt   time.Time         `json:"next_at"`  // zero except while it waits
	Attempts []DeliveryAttempt `json:"attempts"` // oldest first
}

// DeliveryAttempt is one try.
type DeliveryAttempt struct {
	At     time.Time `json:"at"`
	Status int       `json:"status"` // of HTTP; 0: there was no answer
	Reason string    `json:"reason"` // why it failed; empty when it did not
}

// The headers of a result that is sent to an address. The signature is "sha256=" and the HMAC-SHA-256, in hex, over the time, a
// dot and the body, with the secret of the schedule.
const (
	HeaderWebhookSignature = "X-Gatehouse-Signature"
	HeaderWebhookTime      = "X-Gatehouse-Timestamp" // Unix seconds, of this attempt
	HeaderWebhookKey       = "Idempotency-Key"       // the same at every attempt of a tick, and at no other
)

// WebhookResult is the body that a receiver gets, the same at every attempt.
type WebhookResult struct {
	Schedule string      `json:"schedule"`
	Due      time.Time   `json:"due"`
	RunID    string      `json:"run_id"`
	Verdict  TickVerdict `json:"verdict"` // ran or caught_up
	Outcome  TickOutcome `json:"outcome"` // done, failed or stopped
	Text     string      `json:"text"`    // the answer, or why there is none
}
