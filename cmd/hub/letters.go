package main

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/web/inbox/card"
	"gatehouse/jobs"
	"gatehouse/views/mail"
)

// reminders puts mails about approvals into words.
func reminders(public string) jobs.ReminderWriter {
	return func(ctx context.Context, r approval.Reminder) (subject, html, text string, err error) {
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
				a.Facts = append(a.Facts, card.Words(f))
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
		written, err := mail.Write(ctx, mail.Props{Kind: mail.Kind(l.Template), Name: l.Name, Token: l.Token, Hub: public})
		return written.Subject, written.HTML, written.Text, err
	}
}
