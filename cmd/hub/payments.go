package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/billing"
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
		Store: &db.Payments{DB: p.db, Jobs: queue}, Provider: p.stripe, Orders: p.orders, Accounts: p.accounts, Invoices: p.billing,
		Public: cfg.PublicURL,
		Now:    time.Now,
	}
	p.orders.TestPays, p.orders.MayKeep = p.payments.MayTest, p.payments.MayKeep
}

// pausedFor says why a customer's team has to rest: its server is told, and asks no model until the plan is kept, or it is paid.
func (p *parts) pausedFor(ctx context.Context, of account.CustomerID) (wire.PauseWhy, time.Time, error) {
	since, err := p.billing.RestsSince(ctx, of)
	if err != nil {
		return "", time.Time{}, err
	}
	if !since.IsZero() {
		return wire.PausedEnded, since, nil
	}
	err = p.payments.Paused(ctx, of)
	if errors.Is(err, payment.ErrPaused) {
		return wire.PausedPayment, time.Time{}, nil
	}
	return "", time.Time{}, err
}

// standing says whether a team takes messages: its plan has not ended, and nothing is unpaid for long.
type standing struct{ *parts }

// Paused refuses messages to a team that rests, and says why.
func (s standing) Paused(ctx context.Context, of account.CustomerID) error {
	if err := s.billing.Resting(ctx, of); err != nil {
		return err
	}
	return s.payments.Paused(ctx, of)
}

// withoutCard says whether nobody could be charged for what costs extra. The built-in test checkout needs no card.
func (p *parts) withoutCard(ctx context.Context, of account.CustomerID) (bool, error) {
	if !p.payments.On() {
		return false, nil
	}
	m, err := p.payments.Card(ctx, of)
	return m.ID == "", err
}

// paymentLetter gives the contents of a letter about a payment. What it would say may be over by then: such a letter is not sent.
func (p post) paymentLetter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	if m.Template == payment.LetterHelp {
		why, of, _ := strings.Cut(m.Ref, ".")
		of, _, _ = strings.Cut(of, ".")
		l, err := p.clerk(ctx, m)
		l.Act.Name, l.Ref = why, of
		return l, err
	}
	if m.Template == payment.LetterExpires {
		return p.accounts.Letter(ctx, m)
	}
	if m.Template != payment.LetterWaiting {
		return p.dunningLetter(ctx, m)
	}
	co, err := p.payments.Checkout(ctx, payment.CheckoutID(m.Ref))
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	if co.State != payment.Open {
		return account.Letter{}, fmt.Errorf("letter %s: it is %s: %w", m.Template, co.State, db.ErrNotFound)
	}
	return p.accounts.Letter(ctx, m)
}

// dunningLetter gives the contents of a letter about what was not paid, unless it was paid meanwhile.
func (p post) dunningLetter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	d, err := p.payments.Store.Dunning(ctx, m.Ref)
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	if !d.ClosedAt.IsZero() {
		return account.Letter{}, fmt.Errorf("letter %s: it was paid: %w", m.Template, db.ErrNotFound)
	}
	return p.accounts.Letter(ctx, m)
}

// collector has invoices paid at Stripe, or by the built-in test checkout where no key is set.
type collector struct{ *parts }

// Collect has one paid.
func (c collector) Collect(ctx context.Context, id billing.InvoiceID) error {
	if c.payments.On() {
		return c.payments.Collect(ctx, id)
	}
	if err := c.payments.MayTest(ctx); err != nil {
		return err
	}
	return billing.TestCheckout{Bills: c.billing}.Collect(ctx, id)
}

// Refund gives the money of a credit note back.
func (c collector) Refund(ctx context.Context, id billing.CreditID) error {
	if c.payments.On() {
		return c.payments.Refund(ctx, id)
	}
	if err := c.payments.MayTest(ctx); err != nil {
		return err
	}
	return billing.TestCheckout{Bills: c.billing}.Refund(ctx, id)
}
