package schedule

import (
	"encoding/json"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/schedule"
)

// errAct refuses a form whose act no page of ours has made.
var errAct = fault.New(fault.Malformed, "act-unreadable", "act cannot be read",
	"This form could not be read. Nothing was changed; load the page again and repeat it.")

// addressed are the sentences that say what was done with the address of a schedule.
var addressed = map[wire.WebhookDo]i18n.Key{
	wire.WebhookSet: "schedule.now_webhook", wire.WebhookConfirm: "schedule.now_webhook", wire.WebhookRemove: "schedule.now_no_webhook",
}

// webhook answers POST /app/schedules/:id/webhook: where the results of a schedule go, as the script has signed it.
func (p *Pages) webhook(c echo.Context) error {
	var a wire.WebhookAct
	if json.Unmarshal([]byte(c.FormValue("act")), &a) != nil || a.Schedule != c.Param("id") || addressed[a.Do] == "" {
		return errAct
	}
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	_, err = p.Schedules.Webhook(c.Request().Context(), frame.Customer(c), wire.WebhookChange{
		Act: a, Signature: sig, Nonce: c.FormValue("nonce"), Box: wire.SecretBox(c.FormValue("box")), By: inbox.Decider(c),
	})
	if err != nil {
		return err
	}
	frame.Said(c, addressed[a.Do])
	return web.SeeOther(c, views.Path(a.Schedule))
}

// signs is what the acts on the address of a schedule are bound to.
func (p *Pages) signs(c echo.Context, s wire.Schedule) (v views.Signs, err error) {
	of := func(do wire.WebhookDo) string {
		raw, err := json.Marshal(wire.WebhookAct{
			ID: uuid.Must(uuid.NewV7()).String(), Do: do, Schedule: s.ID, Agent: s.Agent, Task: s.Task, Version: s.Version,
		})
		if err != nil {
			panic("act of plain texts: " + err.Error())
		}
		return string(raw)
	}
	v.Set, v.Confirm, v.Remove = of(wire.WebhookSet), of(wire.WebhookConfirm), of(wire.WebhookRemove)
	v.Server, v.Config, err = signing.BoundTo(c, p.Frames, p.Settings)
	return v, err
}

// deliveryProps is the way of a result; nil when it goes nowhere.
func deliveryProps(d *wire.ScheduleDelivery) *views.Delivery {
	if d == nil {
		return nil
	}
	v := &views.Delivery{State: string(d.State), Reason: d.Reason, NextAt: d.NextAt}
	for _, a := range d.Attempts {
		v.Attempts = append(v.Attempts, views.Attempt(a))
	}
	return v
}
