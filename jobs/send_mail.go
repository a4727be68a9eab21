package jobs

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/riverqueue/river"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/provider/mailer"
	"gatehouse/app/work"
)

// SendMailArgs names a letter: which, to whom, about what.
type SendMailArgs struct {
	Template string `json:"template" river:"unique"`
	UserID   string `json:"user_id" river:"unique"`
	Ref      string `json:"ref" river:"unique"`
}

// Kind is stored in rows: never rename.
func (SendMailArgs) Kind() string { return "send_mail" }

// InsertOpts sends each letter once, also when it is asked for again after it went out.
func (SendMailArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueMail, MaxAttempts: 8, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// Letters gives the contents of a letter; account.Service does.
type Letters interface {
	Letter(ctx context.Context, m work.SendMail) (account.Letter, error)
}

// Writer puts a letter into words: subject, HTML and text.
type Writer func(ctx context.Context, l account.Letter) (subject, html, text string, err error)

// Mailer hands a message over; mailer.SMTP does.
type Mailer interface {
	Send(ctx context.Context, m mailer.Message) error
}

// Addresses remembers whose address takes no mail; account.Service does.
type Addresses interface {
	MailRefused(ctx context.Context, id account.UserID) error
	// InviteRefused remembers it of the address of an invitation.
	InviteRefused(ctx context.Context, invitation string) error
}

// SendMailWorker writes and sends a letter.
type SendMailWorker struct {
	river.WorkerDefaults[SendMailArgs]
	Letters   Letters
	Write     Writer
	Mailer    Mailer
	Addresses Addresses
}

// Work does one try. The id of the message is that of the job, so mail programs drop what a crash made it send twice.
func (w *SendMailWorker) Work(ctx context.Context, job *river.Job[SendMailArgs]) error {
	a := job.Args
	l, err := w.Letters.Letter(ctx, work.SendMail{Template: a.Template, UserID: a.UserID, Ref: a.Ref})
	if err != nil {
		return giveUp(err, fault.Of(err).Kind == fault.NotFound) // somebody who is gone gets no letter
	}
	subject, html, text, err := w.Write(ctx, l)
	if err != nil {
		return fmt.Errorf("write %s letter: %w", a.Template, err)
	}
	err = w.Mailer.Send(ctx, mailer.Message{
		ID: "letter-" + strconv.FormatInt(job.ID, 10), To: l.To, Subject: subject, HTML: html, Text: text,
	})
	if err != nil {
		return w.undelivered(ctx, a, fmt.Errorf("send %s letter: %w", a.Template, err))
	}
	return nil
}

// undelivered is undelivered of an invitation, which goes to somebody who is no person of a customer yet, or of a letter to one.
func (w *SendMailWorker) undelivered(ctx context.Context, a SendMailArgs, err error) error {
	if a.Template != account.LetterInvite {
		return undelivered(ctx, w.Addresses, a.UserID, err)
	}
	if !errors.Is(err, mailer.ErrRefused) {
		return err
	}
	if keep := w.Addresses.InviteRefused(ctx, a.Ref); keep != nil {
		return errors.Join(err, keep) // tried again
	}
	return river.JobCancel(err)
}

// undelivered ends the job for good when the mail server refused the mail for good, and has that remembered first.
func undelivered(ctx context.Context, addresses Addresses, user string, err error) error {
	if !errors.Is(err, mailer.ErrRefused) {
		return err
	}
	if keep := addresses.MailRefused(ctx, account.UserID(user)); keep != nil {
		return errors.Join(err, keep) // tried again
	}
	return river.JobCancel(err)
}

// giveUp ends the job for good when trying again cannot help.
func giveUp(err error, forGood bool) error {
	if forGood {
		return river.JobCancel(err)
	}
	return err
}
