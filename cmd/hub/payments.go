package main

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/payment"
	"gatehouse/app/provider/stripepay"
	"gatehouse/app/setting"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/jobs"
)

// openPayments puts the rules about payments on Stripe. Without a key there, the built-in test checkout completes orders.
func (p *parts) openPayments(cfg config, queue *jobs.Queue) {
	s := p.settings
	p.stripe = stripepay.New(stripepay.Options{
		Key: s.Text(setting.StripeKey), Hook: s.Text(setting.StripeHook), HookOld: s.Text(setting.StripeHookOld), URL: cfg.StripeURL,
	})
	p.payments = &payment.Service{
		Store: &db.Payments{DB: p.db, Jobs: queue}, Provider: p.stripe, Orders: p.orders, Accounts: p.accounts, Public: cfg.PublicURL,
		Now: time.Now,
	}
}

// paymentLetter gives the contents of a letter about a payment. What it would say may be over by then: such a letter is not sent.
func (p post) paymentLetter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	co, err := p.payments.Checkout(ctx, payment.CheckoutID(m.Ref))
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	if co.State != payment.Open {
		return account.Letter{}, fmt.Errorf("letter %s: it is %s: %w", m.Template, co.State, db.ErrNotFound)
	}
	return p.accounts.Letter(ctx, m)
}
