package jobs

import (
	"context"
	"fmt"
	"strconv"

	"github.com/riverqueue/river"

	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/app/provider/mailer"
)

// MailApprovalsArgs names a mail about approvals that wait, and the owner who gets it.
type MailApprovalsArgs struct {
	Mail   int64  `json:"mail" river:"unique"`
	UserID string `json:"user_id" river:"unique"`
}

// Kind is stored in rows: never rename.
func (MailApprovalsArgs) Kind() string { return "mail_approvals" }

// InsertOpts gives a mail that cannot be sent up within the day that an approval lives.
func (MailApprovalsArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueMail, MaxAttempts: 8, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// Reminders says what such a mail is about; approval.Mails does.
type Reminders interface {
	Reminder(ctx context.Context, mail int64, user string) (approval.Reminder, error)
}

// ReminderWriter puts a reminder into words: subject, HTML and text.
type ReminderWriter func(ctx context.Context, r approval.Reminder) (subject, html, text string, err error)

// MailApprovalsWorker writes and sends a mail about approvals that wait.
type MailApprovalsWorker struct {
	river.WorkerDefaults[MailApprovalsArgs]
	Reminders Reminders
	Write     ReminderWriter
	Mailer    Mailer
	Addresses Addresses
}

// Work does one try. What was decided or ran out meanwhile is not in the mail; when nothing is left, none is sent.
func (w *MailApprovalsWorker) Work(ctx context.Context, job *river.Job[MailApprovalsArgs]) error {
	r, err := w.Reminders.Reminder(ctx, job.Args.Mail, job.Args.UserID)
	if err != nil {
		return giveUp(err, fault.Of(err).Kind == fault.NotFound)
	}
	subject, html, text, err := w.Write(ctx, r)
	if err != nil {
		return fmt.Errorf("write mail about approvals: %w", err)
	}
	err = w.Mailer.Send(ctx, mailer.Message{
		ID: "approvals-" + strconv.FormatInt(job.ID, 10), To: r.To, Subject: subject, HTML: html, Text: text,
	})
	if err != nil {
		return undelivered(ctx, w.Addresses, job.Args.UserID, fmt.Errorf("send mail about approvals: %w", err))
	}
	return nil
}
