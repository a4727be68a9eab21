package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/jsonbody"
)

// scheduleWebhook is where the results of a schedule go.
type scheduleWebhook struct {
	Address   string    `json:"address"` // up to the host
	Stale     bool      `json:"stale"`
	UpdatedAt time.Time `json:"updated_at"`
}

func webhookOf(w *wire.ScheduleWebhook) *scheduleWebhook {
	if w == nil {
		return nil
	}
	return &scheduleWebhook{Address: w.Shown, Stale: w.Stale, UpdatedAt: w.Updated}
}

// scheduleDelivery is the way of the result of a tick to its address.
type scheduleDelivery struct {
	State    wire.DeliveryState `json:"state"`
	Reason   string             `json:"reason"`
	NextAt   *time.Time         `json:"next_at"`
	Attempts []deliveryAttempt  `json:"attempts"`
}

// deliveryAttempt is one try.
type deliveryAttempt struct {
	At     time.Time `json:"at"`
	Status int       `json:"status"` // of HTTP; 0: no answer
	Reason string    `json:"reason"`
}

func deliveryOf(d *wire.ScheduleDelivery) *scheduleDelivery {
	if d == nil {
		return nil
	}
	v := &scheduleDelivery{State: d.State, Reason: d.Reason, Attempts: make([]deliveryAttempt, 0, len(d.Attempts))}
	if !d.NextAt.IsZero() {
		v.NextAt = &d.NextAt
	}
	for _, a := range d.Attempts {
		v.Attempts = append(v.Attempts, deliveryAttempt(a))
	}
	return v
}

// webhookRequest is an act with what signs it, and the secret sealed for the server.
type webhookRequest struct {
	Act       wire.WebhookAct `json:"act"`
	Signature *wire.Signature `json:"signature"`
	Nonce     string          `json:"nonce"`
	Box       wire.SecretBox  `json:"box"`
}

// scheduleWebhook answers PATCH schedules/{id}/webhook.
func (h *handler) scheduleWebhook(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in webhookRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	in.Act.Schedule = id
	s, err := h.Schedules.Webhook(c.Request().Context(), customerOf(c), wire.WebhookChange{
		Act: in.Act, Signature: in.Signature, Nonce: in.Nonce, Box: in.Box, By: decider(c),
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, plannedOf(s))
}

// dropScheduleWebhook answers DELETE schedules/{id}/webhook, which takes no signature.
func (h *handler) dropScheduleWebhook(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	_, err = h.Schedules.Webhook(c.Request().Context(), customerOf(c), wire.WebhookChange{
		Act: wire.WebhookAct{ID: uuid.Must(uuid.NewV7()).String(), Do: wire.WebhookRemove, Schedule: id}, By: decider(c),
	})
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
