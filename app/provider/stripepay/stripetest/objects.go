package stripetest

import (
	"maps"
	"slices"
	"strings"
)

func (s *Stripe) newCustomer(f form) Object {
	c := s.add("cus", "customer", Object{
		"name": f.Get("name"), "email": f.Get("email"), "metadata": f.meta("metadata"),
		"invoice_settings": Object{"default_payment_method": nil},
	})
	s.happened("customer.created", c, nil)
	return c
}

// customer answers a customer, or its means of payment.
func (s *Stripe) customer(parts []string, f form) (int, []byte) {
	if len(parts) == 3 {
		return s.list(f, "payment_method", func(o Object) bool { return o["customer"] == parts[1] })
	}
	c, ok := s.all[parts[1]]
	if !ok {
		return s.get(parts[1], f)
	}
	out := s.expanded(c, f)
	settings, _ := c["invoice_settings"].(Object)
	if id, set := settings["default_payment_method"].(string); set {
		out["invoice_settings"] = Object{"default_payment_method": s.all[id]}
	}
	return s.made(out)
}

// remove deletes a customer with their means of payment. What is left says that it is deleted, to who looks at it; a second time
// there is none.
func (s *Stripe) remove(id string) (int, []byte) {
	c, ok := s.all[id]
	if !ok || c["deleted"] == true {
		return 404, refusal(404, "invalid_request_error", "resource_missing", "No such customer: "+id, nil)
	}
	for one, o := range s.all {
		if o["object"] == "payment_method" && o["customer"] == id {
			delete(s.all, one)
			s.ids = slices.DeleteFunc(s.ids, func(k string) bool { return k == one })
		}
	}
	s.all[id] = Object{"id": id, "object": "customer", "deleted": true}
	s.happened("customer.deleted", c, nil)
	return s.made(s.all[id])
}

// newSession makes a page on which somebody pays once.
func (s *Stripe) newSession(f form) (int, []byte) {
	amount := f.int("line_items[0][price_data][unit_amount]") * f.int("line_items[0][quantity]")
	if f.Get("mode") != "payment" || amount <= 0 || s.all[f.Get("customer")] == nil || f.Get("success_url") == "" {
		return 400, refusal(400, "invalid_request_error", "parameter_missing", "Missing required param.", nil)
	}
	until := f.int("expires_at")
	if now := s.now().Unix(); until < now+30*60 || until > now+24*3600 {
		return 400, refusal(400, "invalid_request_error", "", "expires_at must be between 30 minutes and 24 hours from now.", nil)
	}
	o := s.add("cs_test", "checkout.session", Object{
		"mode": "payment", "status": "open", "payment_status": "unpaid", "customer": f.Get("customer"), "amount_total": amount,
		"currency": f.Get("line_items[0][price_data][currency]"), "success_url": f.Get("success_url"), "cancel_url": f.Get("cancel_url"),
		"metadata": f.meta("metadata"), "client_reference_id": f.Get("client_reference_id"), "payment_intent": nil, "expires_at": until,
	})
	id, _ := o["id"].(string)
	o["url"] = s.URL + "/c/pay/" + id
	o["_intent"] = Object{
		"metadata": f.meta("payment_intent_data[metadata]"), "description": f.Get("payment_intent_data[description]"),
		"keep": f.Get("payment_intent_data[setup_future_usage]") == "off_session",
	}
	o["_title"] = f.Get("line_items[0][price_data][product_data][name]")
	return s.made(o)
}

func (s *Stripe) expire(id string) (int, []byte) {
	o, ok := s.all[id]
	if !ok || o["status"] != "open" {
		return 400, refusal(400, "invalid_request_error", "", "Only open sessions can be expired.", nil)
	}
	o["status"], o["url"] = "expired", nil
	s.happened("checkout.session.expired", o, nil)
	return s.made(o)
}

// intent makes a PaymentIntent.
func (s *Stripe) intent(customer, method string, amount int64, currency string, meta any, text string) Object {
	i := s.add("pi", "payment_intent", Object{
		"amount": amount, "amount_received": int64(0), "currency": currency, "customer": customer, "payment_method": method,
		"metadata": meta, "description": text, "status": "requires_confirmation", "last_payment_error": nil, "latest_charge": nil,
	})
	return i
}

// pay takes the money.
func (s *Stripe) pay(i Object) {
	c := s.add("ch", "charge", Object{
		"amount": i["amount"], "amount_refunded": int64(0), "currency": i["currency"], "customer": i["customer"], "payment_intent": i["id"],
		"paid": true, "refunded": false, "status": "succeeded",
	})
	i["status"], i["amount_received"], i["latest_charge"], i["last_payment_error"] = "succeeded", i["amount"], c["id"], nil
	s.happened("charge.succeeded", c, nil)
	s.happened("payment_intent.succeeded", i, nil)
}

func (s *Stripe) decline(i Object, code string) {
	e := Object{"type": "card_error", "code": code, "message": "Your card was declined."}
	if !strings.Contains("card_declined expired_card authentication_required", code) {
		e["code"], e["decline_code"] = "card_declined", code
	}
	i["status"], i["last_payment_error"] = "requires_payment_method", e
	s.happened("payment_intent.payment_failed", i, nil)
}

// charge makes and confirms a PaymentIntent while nobody is there.
func (s *Stripe) charge(f form) (int, []byte) {
	customer, method := f.Get("customer"), f.Get("payment_method")
	m, known := s.all[method]
	if f.Get("off_session") != "true" || f.Get("confirm") != "true" || f.int("amount") <= 0 {
		return 400, refusal(400, "invalid_request_error", "parameter_missing", "Missing required param.", nil)
	}
	if !known || m["customer"] != customer {
		return 400, refusal(400, "invalid_request_error", "resource_missing", "No such PaymentMethod for this customer.", nil)
	}
	i := s.intent(customer, method, f.int("amount"), f.Get("currency"), f.meta("metadata"), f.Get("description"))
	switch code := s.cards[customer]; code {
	case "":
		if m["type"] == "sepa_debit" {
			i["status"] = "processing"
			s.happened("payment_intent.processing", i, nil)
		} else {
			s.pay(i)
		}
	default:
		s.decline(i, code)
		more := maps.Clone(i["last_payment_error"].(Object))
		more["payment_intent"] = i
		return 402, refusal(402, "card_error", "", "Your card was declined.", more)
	}
	return s.made(s.expanded(i, f))
}

func (s *Stripe) intents(parts []string, f form) (int, []byte) {
	if len(parts) == 2 {
		return s.get(parts[1], f)
	}
	since := f.int("created[gte]")
	return s.list(f, "payment_intent", func(o Object) bool {
		at, _ := o["created"].(int64)
		return o["customer"] == f.Get("customer") && at >= since
	})
}

func (s *Stripe) refund(f form) (int, []byte) {
	i, ok := s.all[f.Get("payment_intent")]
	if !ok || i["status"] != "succeeded" {
		return 400, refusal(400, "invalid_request_error", "payment_intent_unexpected_state", "There is no successful charge.", nil)
	}
	charge, _ := i["latest_charge"].(string)
	c := s.all[charge]
	amount, back := c["amount"].(int64), c["amount_refunded"].(int64)
	more := f.int("amount")
	if more == 0 {
		more = amount - back
	}
	if back == amount {
		return 400, refusal(400, "invalid_request_error", "charge_already_refunded", "Charge has already been refunded.", nil)
	}
	if more > amount-back {
		return 400, refusal(400, "invalid_request_error", "", "Refund amount is greater than unrefunded amount.", nil)
	}
	c["amount_refunded"], c["refunded"] = back+more, back+more == amount
	r := s.add("re", "refund", Object{
		"amount": more, "currency": c["currency"], "payment_intent": i["id"], "charge": c["id"], "status": "succeeded",
		"metadata": f.meta("metadata"), "reason": f.Get("reason"),
	})
	s.happened("charge.refunded", c, nil)
	return s.made(r)
}

func (s *Stripe) portal(f form) (int, []byte) {
	if s.all[f.Get("customer")] == nil {
		return 400, refusal(400, "invalid_request_error", "resource_missing", "No such customer.", nil)
	}
	p := s.add("bps", "billing_portal.session", Object{"customer": f.Get("customer"), "return_url": f.Get("return_url")})
	id, _ := p["id"].(string)
	p["url"] = s.URL + "/p/session/" + id
	return s.made(p)
}
