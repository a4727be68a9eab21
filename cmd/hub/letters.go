package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/billing"
	"gatehouse/app/machine"
	"gatehouse/app/order"
	"gatehouse/app/payment"
	"gatehouse/app/regain"
	"gatehouse/app/staff"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/work"
	"gatehouse/jobs"
	"gatehouse/views/i18n"
	"gatehouse/views/mail"
)

// reminders puts mails about approvals into words.
func reminders(public string) jobs.ReminderWriter {
	return func(ctx context.Context, r approval.Reminder) (subject, html, text string, err error) {
		ctx = i18n.With(ctx, r.Locale)
		if !r.Proven {
			written, err := mail.Write(ctx, mail.Props{Kind: mail.Waiting, Name: r.Name, Hub: public, Count: len(r.Items)})
			return written.Subject, written.HTML, written.Text, err
		}
		p := mail.Props{Kind: mail.Approvals, Name: r.Name, Hub: public}
		zone, err := time.LoadLocation(r.Zone)
		if err != nil {
			zone = time.UTC // as pages do
		}
		for _, it := range r.Items {
			a := mail.Asked{ID: it.ID, Code: it.Code, Agent: card.Unread(it.Agent).Name, Tool: it.Tool, Tier: it.Tier, Until: it.ExpiresAt.In(zone)}
			for _, f := range it.Facts {
				a.Facts = append(a.Facts, card.Words(ctx, f))
			}
			p.Asked = append(p.Asked, a)
		}
		written, err := mail.Write(ctx, p)
		return written.Subject, written.HTML, written.Text, err
	}
}

// letters puts letters into words. Their links begin with the configured address, whatever a request said.
func letters(public string) jobs.Writer {
	return func(ctx context.Context, l account.Letter) (subject, html, text string, err error) {
		ctx = i18n.With(ctx, l.Locale)
		written, err := mail.Write(ctx, mail.Props{
			Kind: mail.Kind(l.Template), Name: l.Name, Token: l.Token, Hub: public, By: l.By, ByEmail: l.ByEmail, Business: l.Business,
			Order: mail.Ordered(l.Order), Act: mail.Destroyed(l.Act), Pool: mail.Pool(l.Pool), Plan: mail.Plan(l.Plan), Ref: l.Ref,
		})
		return written.Subject, written.HTML, written.Text, err
	}
}

// post is who makes the contents of letters: to customers' people, and to our staff.
type post struct {
	accounts *account.Service
	staff    *staff.Service
	orders   *order.Service
	codes    *staff.Codes
	machines *machine.Service
	regain   *regain.Service
	payments *payment.Service
	bills    *billing.Service
}

func (p *parts) post() post {
	return post{p.accounts, p.staff, p.orders, p.codes, p.atProviders, p.regain, p.payments, p.billing}
}

// Letter gives the contents of a letter.
func (p post) Letter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	if order.Letters(m.Template) {
		return p.orderLetter(ctx, m)
	}
	if payment.Letters(m.Template) {
		return p.paymentLetter(ctx, m)
	}
	if billing.Letters(m.Template) {
		return p.poolLetter(ctx, m)
	}
	if billing.PlanLetters(m.Template) {
		return p.planLetter(ctx, m)
	}
	if machine.Letters(m.Template) {
		return p.machineLetter(ctx, m)
	}
	if regain.Letters(m.Template) {
		return p.regain.Letter(ctx, m)
	}
	if staff.CarriesCode(m.Template) {
		return p.codes.Letter(ctx, m)
	}
	if staff.Letters(m.Template) {
		return p.staff.Letter(ctx, m)
	}
	return p.accounts.Letter(ctx, m)
}

// poolLetter gives the contents of a letter about a pool: what was used then, and what happens when it is empty as it is chosen now.
func (p post) poolLetter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	n, beyond, err := p.bills.Notice(ctx, m.Ref)
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	l, err := p.accounts.Letter(ctx, m)
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	customer, err := p.accounts.Customer(ctx, n.CustomerID)
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	zone, err := time.LoadLocation(customer.TimeZone)
	if err != nil {
		zone = time.UTC // as pages do
	}
	l.Pool = account.Pool{Drawn: n.Drawn, Tokens: n.Pool, Beyond: beyond, Until: n.Until.In(zone)}
	return l, nil
}

// MailRefused remembers whose address takes no mail: of a customer's person, or of somebody whom our staff invited.
func (p post) MailRefused(ctx context.Context, id account.UserID) error {
	return errors.Join(p.accounts.MailRefused(ctx, id), p.staff.MailRefused(ctx, string(id)))
}

// InviteRefused remembers it of the address of an invitation to a customer's people.
func (p post) InviteRefused(ctx context.Context, invitation string) error {
	return p.accounts.InviteRefused(ctx, invitation)
}
