package approval

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/tune"
)

// When owners are mailed. Whoever has the portal open answers sooner; a mail that comes at once would only be noise.
const (
	mailAfter = 10 * time.Minute   // that an approval has waited
	mailPause = 30 * time.Minute   // between two mails to one business: what comes in between stands in the next
	mailKept  = 7 * 24 * time.Hour // long after the last of its approvals ran out and the last try to send it
)

// Reminder is a mail to an owner about approvals that wait. Their contents are not in it: a mailbox keeps what the hub
// forgets with the decision.
type Reminder struct {
	To, Name string
	Proven   bool   // the address is confirmed; any other gets only the number of items
	Zone     string // IANA name of the business's time zone
	Locale   string // language of the owner; may be empty
	Items    []Item // without contents, the soonest to run out first
}

// MailStore is what Mails needs; db.ApprovalMails has it.
type MailStore interface {
	// Claim makes a mail for each business that has an owner who can be mailed, a pending approval asked before asked that
	// no mail was made for, and no mail made after mailed. An address that is not confirmed can be mailed until the mail
	// server refuses it. All that it has pending belongs to the mail. Mails are queued for
	// each owner in the same transaction.
	Claim(ctx context.Context, now, asked, mailed time.Time) (int, error)
	// Reminder reads what a mail says to an owner now. Without anything that still waits it is not found.
	Reminder(ctx context.Context, mail int64, user string, now time.Time) (Reminder, error)
	// Forget drops the mails made before then, and says how many.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// Mails tells owners by mail of approvals that have waited for a while.
type Mails struct {
	Store MailStore
	Now   func() time.Time
	Pace  func() (after, pause time.Duration) // that an approval has waited, and between two mails to one business; nil: as it comes
	Kept  tune.Value[time.Duration]           // that a mail can still be asked for
}

// Remind makes the mails that are due, and says how many.
func (m *Mails) Remind(ctx context.Context) (int, error) {
	now, after, pause := m.Now().UTC(), mailAfter, mailPause
	if m.Pace != nil {
		after, pause = m.Pace()
	}
	n, err := m.Store.Claim(ctx, now, now.Add(-after), now.Add(-pause))
	if err != nil {
		return 0, fmt.Errorf("mail about approvals: %w", err)
	}
	return n, nil
}

// Forget drops the mails that can be sent no more, and says how many.
func (m *Mails) Forget(ctx context.Context) (int, error) {
	return m.Store.Forget(ctx, m.Now().UTC().Add(-m.Kept.Or(mailKept)))
}

// Reminder is what a mail says to an owner now.
func (m *Mails) Reminder(ctx context.Context, mail int64, user string) (Reminder, error) {
	return m.Store.Reminder(ctx, mail, user, m.Now().UTC())
}
