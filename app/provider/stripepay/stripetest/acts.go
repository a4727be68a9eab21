package stripetest

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// How somebody pays on a page.
const (
	ByCard  = "card"
	ByDebit = "debit" // a direct debit, which the bank confirms days later
	Refused = "refused"
)

// Sessions are the ids of the pages that were made, the oldest first.
func (s *Stripe) Sessions() []string { return s.of("cs_test_") }

// Intents are the ids of the payments that were made, the oldest first.
func (s *Stripe) Intents() []string { return s.of("pi_") }

// Processing are the payments of a customer that a bank has not decided on, the oldest first.
func (s *Stripe) Processing(customer string) []string { return s.intentsOf(customer, "processing") }

// Succeeded are those that were paid.
func (s *Stripe) Succeeded(customer string) []string { return s.intentsOf(customer, "succeeded") }

func (s *Stripe) intentsOf(customer, status string) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.ids {
		if o := s.all[id]; o["object"] == "payment_intent" && o["customer"] == customer && o["status"] == status {
			ids = append(ids, id)
		}
	}
	return ids
}

// Customers are the ids of the customers that were made, the oldest first.
func (s *Stripe) Customers() []string { return s.of("cus_") }

func (s *Stripe) of(prefix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, id := range s.ids {
		if strings.HasPrefix(id, prefix) {
			out = append(out, id)
		}
	}
	return out
}

// Pay is what somebody does on a page. It says where their browser goes next, empty when it stays.
func (s *Stripe) Pay(session, how string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.all[session]
	if !ok || o["status"] != "open" {
		return "", fmt.Errorf("session %s is not open", session)
	}
	ask, _ := o["_intent"].(Object)
	text, _ := ask["description"].(string)
	customer, _ := o["customer"].(string)
	currency, _ := o["currency"].(string)
	kind := "card"
	if how == ByDebit {
		kind = "sepa_debit"
	}
	m := s.method(kind, customer)
	i, tried := s.all[fmt.Sprint(o["payment_intent"])]
	if !tried {
		i = s.intent(customer, "", o["amount_total"].(int64), currency, ask["metadata"], text)
		o["payment_intent"] = i["id"]
	}
	i["payment_method"] = m["id"]
	if how == Refused {
		s.decline(i, "card_declined")
		return "", nil
	}
	m["customer"] = customer
	o["status"], o["url"] = "complete", nil
	if how == ByDebit {
		i["status"] = "processing"
		s.happened("payment_intent.processing", i, nil)
	} else {
		s.pay(i)
		o["payment_status"] = "paid"
	}
	s.happened("payment_method.attached", m, nil)
	s.happened("checkout.session.completed", o, nil)
	to, _ := o["success_url"].(string)
	return to, nil
}

// method makes a means of payment, which belongs to nobody yet.
func (s *Stripe) method(kind, _ string) Object {
	m := s.add("pm", "payment_method", Object{"type": kind, "customer": nil})
	if kind == "sepa_debit" {
		m["sepa_debit"] = Object{"last4": "3000"}
	} else {
		m["card"] = Object{"brand": "visa", "last4": "4242", "exp_month": 12, "exp_year": 2031}
	}
	return m
}

// Settle ends a direct debit: the bank pays, or it does not.
func (s *Stripe) Settle(intent string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.all[intent]
	kind := "checkout.session.async_payment_failed"
	if ok {
		s.pay(i)
		kind = "checkout.session.async_payment_succeeded"
	} else {
		s.decline(i, "debit_not_authorized")
	}
	for _, id := range s.ids {
		if o := s.all[id]; o["object"] == "checkout.session" && o["payment_intent"] == intent {
			if ok {
				o["payment_status"] = "paid"
			}
			s.happened(kind, o, nil)
		}
	}
}

// Bank sets what the bank of a customer says when nobody is there: empty pays, else it is the code with which it refuses.
func (s *Stripe) Bank(customer, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cards[customer] = code
}

// Expire is what happens to a page when its time is over.
func (s *Stripe) Expire(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(session)
}

// RefundElsewhere is what our staff can do in Stripe's own dashboard.
func (s *Stripe) RefundElsewhere(intent string, amount int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refund(form{map[string][]string{"payment_intent": {intent}, "amount": {fmt.Sprint(amount)}}})
}

// FailRefund is what happens days after a refund that Stripe had taken: the bank sends the money back.
func (s *Stripe) FailRefund(intent, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.ids {
		r := s.all[id]
		if r["object"] != "refund" || r["payment_intent"] != intent || r["status"] != "succeeded" {
			continue
		}
		charge, _ := r["charge"].(string)
		c := s.all[charge]
		r["status"], r["failure_reason"] = "failed", why
		c["amount_refunded"], c["refunded"] = c["amount_refunded"].(int64)-r["amount"].(int64), false
		s.happened("refund.failed", r, nil)
	}
}

// Dispute has a bank take a payment back, for as long as that is looked into.
func (s *Stripe) Dispute(intent string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.all[intent]
	d := s.add("dp", "dispute", Object{
		"amount": i["amount"], "currency": i["currency"], "charge": i["latest_charge"], "payment_intent": intent, "reason": "fraudulent",
		"status": "needs_response", "evidence_details": Object{"due_by": s.now().AddDate(0, 0, 7).Unix()},
	})
	s.happened("charge.dispute.created", d, nil)
	id, _ = d["id"].(string)
	return id
}

// CloseDispute ends a dispute: won or lost.
func (s *Stripe) CloseDispute(id, how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[id]["status"] = how
	s.happened("charge.dispute.closed", s.all[id], nil)
}

// NewCard is what a customer does in the portal: another card, which is used from now on.
func (s *Stripe) NewCard(customer string) { s.pays(customer, "card") }

// NewDebit likewise has a customer pay by direct debit, which the bank confirms days later: see Settle.
func (s *Stripe) NewDebit(customer string) { s.pays(customer, "sepa_debit") }

func (s *Stripe) pays(customer, kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.method(kind, customer)
	m["customer"] = customer
	c := s.all[customer]
	c["invoice_settings"] = Object{"default_payment_method": m["id"]}
	s.happened("payment_method.attached", m, nil)
	s.happened("customer.updated", c, Object{"invoice_settings": Object{"default_payment_method": nil}})
}

// Taken is the money that a customer paid and that did not go back, in cents.
func (s *Stripe) Taken(customer string) (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.ids {
		if c := s.all[id]; c["object"] == "charge" && c["customer"] == customer {
			sum += c["amount"].(int64) - c["amount_refunded"].(int64)
		}
	}
	return sum
}

// pages are what people see at Stripe.
func (s *Stripe) pages(mux *http.ServeMux) {
	mux.HandleFunc("GET /c/pay/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		o, ok := s.all[r.PathValue("id")]
		if !ok || o["status"] != "open" {
			http.Error(w, "This page has expired.", http.StatusGone)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Pay</title><link rel="icon" href="data:,"><h1>%s</h1><p id="amount">%v %v</p>
<form method="post"><button name="how" value="card">Pay by card</button><button name="how" value="debit">Pay by direct debit</button>
<button name="how" value="refused">Pay with a card that is declined</button></form><a href="%s">Back</a>`,
			html.EscapeString(fmt.Sprint(o["_title"])), o["amount_total"], o["currency"], html.EscapeString(fmt.Sprint(o["cancel_url"])))
	})
	mux.HandleFunc("POST /c/pay/{id}", func(w http.ResponseWriter, r *http.Request) {
		to, err := s.Pay(r.PathValue("id"), r.FormValue("how"))
		if err != nil {
			http.Error(w, "This page has expired.", http.StatusGone)
			return
		}
		if to == "" {
			to = "/c/pay/" + r.PathValue("id")
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	})
	mux.HandleFunc("GET /p/session/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		p, ok := s.all[r.PathValue("id")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Portal</title><link rel="icon" href="data:,"><h1>Your card</h1>
<form method="post"><button>Use another card</button></form><a href="%s">Back</a>`, html.EscapeString(fmt.Sprint(p["return_url"])))
	})
	mux.HandleFunc("POST /p/session/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		p := s.all[r.PathValue("id")]
		s.mu.Unlock()
		customer, _ := p["customer"].(string)
		s.NewCard(customer)
		http.Redirect(w, r, fmt.Sprint(p["return_url"]), http.StatusSeeOther)
	})
}
