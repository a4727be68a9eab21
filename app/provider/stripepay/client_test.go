package stripepay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/app/payment"
	"gatehouse/app/provider/stripepay"
	"gatehouse/app/provider/stripepay/stripetest"
)

// world is a client before an account of its own.
type world struct {
	t      *testing.T
	stripe *stripetest.Stripe
	*stripepay.Client
	now time.Time
}

func start(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)}
	w.stripe = stripetest.New(func() time.Time { return w.now })
	t.Cleanup(w.stripe.Close)
	w.Client = stripepay.New(stripepay.Options{
		URL: w.stripe.URL, Key: func() string { return stripetest.Key },
		Hook: func() string { return "whsec_new" }, HookOld: func() string { return "whsec_old" },
	})
	return w
}

// payer makes a customer with a card, who has paid once.
func (w *world) payer() (payer string, first payment.Seen) {
	w.t.Helper()
	payer, err := w.AddPayer(w.t.Context(), "payer", payment.NewPayer{Customer: "c", Name: "B", Email: "owner@example.com"})
	if err != nil {
		w.t.Fatal(err)
	}
	page := w.page(payer, "first")
	if _, err := w.stripe.Pay(page.ID, stripetest.ByCard); err != nil {
		w.t.Fatal(err)
	}
	if page, err = w.Page(w.t.Context(), page.ID); err != nil || page.Payment == nil {
		w.t.Fatalf("%+v, %v", page, err)
	}
	return payer, *page.Payment
}

func (w *world) page(payer string, id payment.ID) payment.Page {
	w.t.Helper()
	p, err := w.OpenPage(w.t.Context(), "page-"+string(id), payment.PageAsk{
		Payment: id, Payer: payer, Amount: 4500, Currency: "EUR", Title: "Build", Back: "http://hub/back", Cancel: "http://hub/pay",
		Until: w.now.Add(time.Hour),
	})
	if err != nil || !p.Open || p.URL == "" || p.Ours != id {
		w.t.Fatalf("%+v, %v", p, err)
	}
	return p
}

func TestPage_fromOpenToPaid(t *testing.T) {
	t.Parallel()
	w := start(t)
	payer, seen := w.payer()
	if seen.State != payment.Paid || seen.Amount != 4500 || seen.Currency != "EUR" || seen.Ours != "first" || seen.Payer != payer {
		t.Errorf("%+v", seen)
	}
	if m := seen.Method; m.Kind != "card" || m.Last4 != "4242" || m.Year != 2031 || m.ID == "" {
		t.Errorf("%+v", m)
	}
	again := w.page(payer, "second")
	if same := w.page(payer, "second"); same.ID != again.ID {
		t.Errorf("the same key made %s and %s", again.ID, same.ID)
	}
	if err := w.ClosePage(t.Context(), again.ID); err != nil {
		t.Fatal(err)
	}
	if p, err := w.Page(t.Context(), again.ID); err != nil || !p.Expired || p.Open || p.URL != "" {
		t.Errorf("%+v, %v", p, err)
	}
	if err := w.ClosePage(t.Context(), again.ID); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestCharge_whatBanksSay(t *testing.T) {
	t.Parallel()
	w := start(t)
	payer, first := w.payer()
	ask := func(id payment.ID) (payment.Seen, error) {
		return w.Charge(t.Context(), "charge-"+string(id), payment.ChargeAsk{
			Payment: id, Payer: payer, Method: first.Method.ID, Amount: 100, Currency: "EUR", Title: "x",
		})
	}
	if s, err := ask("a"); err != nil || s.State != payment.Paid || s.Amount != 100 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, code := range []string{"insufficient_funds", "authentication_required", "expired_card"} {
		w.stripe.Bank(payer, code)
		_, err := ask(payment.ID(code))
		d, refused := payment.AsDeclined(err)
		if !refused || d.Code != code || d.Seen.State != payment.Failed || d.Seen.Ours != payment.ID(code) {
			t.Errorf("%s: %+v, %v", code, d, err)
		}
		if err != nil && strings.Contains(err.Error(), "client_secret") {
			t.Errorf("an error holds a whole object: %v", err)
		}
		all, err := w.Charges(t.Context(), payer, w.now)
		if err != nil || all[0].Ours != payment.ID(code) || all[0].State != payment.Failed {
			t.Errorf("find %s: %+v %v", code, all, err)
		}
	}
	w.stripe.Bank(payer, "")
	w.stripe.Fail(stripetest.Fault{Path: "/v1/payment_intents", Does: true})
	if _, err := ask("lost"); !errors.Is(err, payment.ErrAway) {
		t.Errorf("lost answer: %v", err)
	}
	before := w.stripe.Taken(payer)
	if s, err := ask("lost"); err != nil || s.State != payment.Paid || w.stripe.Taken(payer) != before {
		t.Errorf("repeat after a lost answer: %+v, %v; taken %d, then %d", s, err, before, w.stripe.Taken(payer))
	}
	w.stripe.ForgetKeys()
	if all, err := w.Charges(t.Context(), payer, w.now); err != nil || all[0].Ours != "lost" || all[0].State != payment.Paid {
		t.Errorf("after a day: %+v, %v", all, err)
	}
}

func TestErrors_whatHelps(t *testing.T) {
	t.Parallel()
	w := start(t)
	for what, f := range map[string]stripetest.Fault{
		"too many": {Status: 429}, "trouble": {Status: 500}, "a proxy's page": {Status: 502, Body: "<html>"}, "nothing": {},
		"key refused": {Status: 401}, "a key in use": {Status: 409}, "what is no JSON": {Status: 200, Body: "{"},
	} {
		w.stripe.Fail(f)
		if _, err := w.Look(t.Context(), "pi_1"); !errors.Is(err, payment.ErrAway) {
			t.Errorf("%s: %v", what, err)
		}
	}
	w.stripe.Fail(stripetest.Fault{Status: 400})
	if _, err := w.Look(t.Context(), "pi_1"); !errors.Is(err, payment.ErrOurs) || errors.Is(err, payment.ErrAway) {
		t.Errorf("what is refused for good: %v", err)
	}
	w.stripe.Away(true)
	if _, err := w.AddPayer(t.Context(), "k", payment.NewPayer{}); !errors.Is(err, payment.ErrAway) {
		t.Errorf("away: %v", err)
	}
}

func TestRefund_onceAndNoMoreThanThereIs(t *testing.T) {
	t.Parallel()
	w := start(t)
	payer, first := w.payer()
	ask := payment.RefundAsk{Refund: "r", Intent: first.Intent, Amount: 4500, Why: payment.WhyTwice}
	one, err := w.Refund(t.Context(), "refund-r", ask)
	if err != nil || one.Ours != "r" || one.Failed {
		t.Fatalf("%+v, %v", one, err)
	}
	if same, err := w.Refund(t.Context(), "refund-r", ask); err != nil || same.ID != one.ID || w.stripe.Taken(payer) != 0 {
		t.Errorf("%+v, %v", same, err)
	}
	_, err = w.Refund(t.Context(), "refund-s", ask)
	if d, refused := payment.AsDeclined(err); !refused || d.Code != "charge_already_refunded" {
		t.Errorf("%v", err)
	}
	if all, err := w.Refunds(t.Context(), first.Intent); err != nil || len(all) != 1 || all[0].ID != one.ID {
		t.Errorf("%+v, %v", all, err)
	}
	if s, err := w.Look(t.Context(), first.Intent); err != nil || s.Refunded != 4500 || s.State != payment.Paid {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestMethod_theOneThatIsChosen(t *testing.T) {
	t.Parallel()
	w := start(t)
	payer, first := w.payer()
	if m, err := w.Method(t.Context(), payer); err != nil || m.ID != first.Method.ID {
		t.Errorf("%+v, %v", m, err)
	}
	w.stripe.NewCard(payer)
	if m, err := w.Method(t.Context(), payer); err != nil || m.ID == first.Method.ID || m.Kind != "card" {
		t.Errorf("%+v, %v", m, err)
	}
	if url, err := w.Portal(t.Context(), payer, "http://hub/app"); err != nil || !strings.HasPrefix(url, w.stripe.URL) {
		t.Errorf("%q, %v", url, err)
	}
}

func TestVerify_onlyWhatStripeSent(t *testing.T) {
	t.Parallel()
	w := start(t)
	_, first := w.payer()
	id := w.stripe.Dispute(first.Intent)
	all := w.stripe.Events()
	body := all[len(all)-1].Body
	good := stripetest.Sign(body, "whsec_new", w.now)
	e, err := w.Verify(body, good, w.now)
	if err != nil || e.Kind != "charge.dispute.created" || e.Of != id || e.Intent != first.Intent || !bytes.Equal(e.Raw, body) {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := w.Verify(body, stripetest.Sign(body, "whsec_old", w.now), w.now); err != nil {
		t.Errorf("signed with the secret of before: %v", err)
	}
	var whole any
	if err := json.Unmarshal(body, &whole); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(body, []byte("evt_"), []byte("evu_"), 1)
	for what, c := range map[string]struct {
		body []byte
		sign string
	}{
		"no signature":               {body, ""},
		"another endpoint's secret":  {body, stripetest.Sign(body, "whsec_other", w.now)},
		"the empty secret":           {body, stripetest.Sign(body, "", w.now)},
		"old":                        {body, stripetest.Sign(body, "whsec_new", w.now.Add(-301*time.Second))},
		"from the future":            {body, stripetest.Sign(body, "whsec_new", w.now.Add(301*time.Second))},
		"a changed byte":             {changed, good},
		"written in another way":     {again, good},
		"signed in the old way only": {body, strings.Replace(good, "v1=", "v0=", 1)},
		"signed well, but no event":  {[]byte("{}"), stripetest.Sign([]byte("{}"), "whsec_new", w.now)},
		"signed well, but no JSON":   {[]byte("x"), stripetest.Sign([]byte("x"), "whsec_new", w.now)},
	} {
		if e, err := w.Verify(c.body, c.sign, w.now); !errors.Is(err, payment.ErrSignature) {
			t.Errorf("%s: %+v, %v", what, e, err)
		}
	}
	if _, err := w.Verify(body, stripetest.Sign(body, "whsec_new", w.now.Add(-299*time.Second)), w.now); err != nil {
		t.Errorf("not too old: %v", err)
	}
}

func TestEvents_areTheSameAsSent(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.payer()
	sent := w.stripe.Events()
	listed, err := w.Events(t.Context(), w.now.Add(-time.Hour))
	if err != nil || len(listed) != len(sent) {
		t.Fatalf("%d events of %d, %v", len(listed), len(sent), err)
	}
	for i, e := range listed {
		s := sent[i]
		is, err := w.Verify(s.Body, stripetest.Sign(s.Body, "whsec_new", w.now), w.now)
		if e.Raw, is.Raw = nil, nil; err != nil || e.ID != is.ID || e.Of != is.Of || e.Intent != is.Intent || e.Payer != is.Payer {
			t.Errorf("listed %+v, sent %+v, %v", e, is, err)
		}
	}
	if later, err := w.Events(t.Context(), w.now.Add(time.Hour)); err != nil || len(later) != 0 {
		t.Errorf("%d events of the future, %v", len(later), err)
	}
}
