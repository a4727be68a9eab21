package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/approval"
	"gatehouse/app/work"
)

// ApprovalMails keeps which approvals owners were mailed about. It is approval.MailStore. Its statements are pgx's, for it
// reads approvals as Approvals does.
type ApprovalMails struct {
	DB   *DB
	Jobs Enqueuer
}

var _ approval.MailStore = (*ApprovalMails)(nil)

// mailsAtOnce bounds the businesses of one claim; the next claim has the others.
const mailsAtOnce = 500

// mayBeMailed picks owners who have confirmed their address, or whose address the mail server has not refused yet.
const mayBeMailed = `u.role = 'owner' AND (u.verified_at IS NOT NULL OR u.mail_refused_at IS NULL)`

// claimMails locks each business it makes a mail for: of two claims at once, one makes it. An approval that somebody is
// deciding is left alone, and without another one that is due there is no mail.
const claimMails = `WITH due AS (
		SELECT c.id FROM customers c
		WHERE EXISTS (SELECT FROM approvals a WHERE a.customer_id = c.id AND a.state = 'pending' AND a.mail_id IS NULL
				AND a.created_at <= @asked AND a.expires_at > @now)
			AND NOT EXISTS (SELECT FROM approval_mails m WHERE m.customer_id = c.id AND m.created_at > @mailed)
			AND EXISTS (SELECT FROM users u WHERE u.customer_id = c.id AND ` + mayBeMailed + `)
		LIMIT @limit FOR NO KEY UPDATE SKIP LOCKED
	), free AS (
		SELECT a.id, a.customer_id, a.created_at FROM approvals a JOIN due ON due.id = a.customer_id
		WHERE a.state = 'pending' AND a.mail_id IS NULL AND a.expires_at > @now FOR UPDATE OF a SKIP LOCKED
	), mails AS (
		INSERT INTO approval_mails (customer_id, created_at)
		SELECT customer_id, @now FROM free GROUP BY customer_id HAVING min(created_at) <= @asked RETURNING id, customer_id
	), marked AS (
		UPDATE approvals SET mail_id = m.id FROM free JOIN mails m ON m.customer_id = free.customer_id WHERE approvals.id = free.id
	)
	SELECT m.id, u.id::text FROM mails m JOIN users u ON u.customer_id = m.customer_id AND ` + mayBeMailed

// Claim makes the mails that are due and queues them.
func (s *ApprovalMails) Claim(ctx context.Context, now, asked, mailed time.Time) (n int, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		rows, err := tx.PGX.Query(ctx, claimMails, cached, named{"now": now, "asked": asked, "mailed": mailed, "limit": mailsAtOnce})
		if err != nil {
			return toFault(err)
		}
		items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (work.Item, error) {
			var m work.MailApprovals
			err := row.Scan(&m.Mail, &m.UserID)
			return m, err
		})
		if err != nil {
			return toFault(err)
		}
		n = len(items)
		return s.Jobs.EnqueueTx(ctx, tx.PGX, items)
	})
	if err != nil {
		return 0, fmt.Errorf("claim approval mails: %w", err)
	}
	return n, nil
}

// mailedOwner is whom a mail goes to, as long as they may be mailed.
const mailedOwner = `SELECT u.email, u.name, u.verified_at IS NOT NULL, c.time_zone, u.locale FROM users u JOIN approval_mails m ON m.customer_id = u.customer_id
	JOIN customers c ON c.id = u.customer_id
	WHERE m.id = @mail AND u.id = @user AND ` + mayBeMailed

const mailedItems = staffSelect + ` WHERE a.mail_id = @mail AND a.state = 'pending' AND a.expires_at > @now ORDER BY a.expires_at, a.id`

// Reminder reads what a mail says to an owner now.
func (s *ApprovalMails) Reminder(ctx context.Context, mail int64, user string, now time.Time) (r approval.Reminder, err error) {
	db := s.DB.pgx(ctx)
	err = db.QueryRow(ctx, mailedOwner, cached, named{"mail": mail, "user": user}).Scan(&r.To, &r.Name, &r.Proven, &r.Zone, &r.Locale)
	if err != nil {
		return approval.Reminder{}, fmt.Errorf("load approval mail: %w", toFault(err))
	}
	rows, err := db.Query(ctx, mailedItems, cached, named{"mail": mail, "now": now})
	if err != nil {
		return approval.Reminder{}, fmt.Errorf("load approval mail: %w", toFault(err))
	}
	if r.Items, err = pgx.CollectRows(rows, scanForStaff); err != nil {
		return approval.Reminder{}, fmt.Errorf("load approval mail: %w", toFault(err))
	}
	if len(r.Items) == 0 {
		return approval.Reminder{}, fmt.Errorf("load approval mail: %w", ErrNotFound)
	}
	return r, nil
}

// Forget drops the mails made before then.
func (s *ApprovalMails) Forget(ctx context.Context, before time.Time) (int, error) {
	tag, err := s.DB.pgx(ctx).Exec(ctx, `WITH unmarked AS (
			UPDATE approvals SET mail_id = NULL FROM approval_mails m WHERE m.id = approvals.mail_id AND m.created_at < @before
		) DELETE FROM approval_mails WHERE created_at < @before`, cached, named{"before": before})
	if err != nil {
		return 0, fmt.Errorf("forget approval mails: %w", toFault(err))
	}
	return int(tag.RowsAffected()), nil
}
