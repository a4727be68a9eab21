package jobs_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"gatehouse/app/provider/mailer"
	"gatehouse/db/dbtest"
)

// jobState is how the one letter of a template stands in the queue.
func (b *bench) jobState(t *testing.T, template string) (state string, tries int) {
	t.Helper()
	err := b.db.Pool.QueryRow(t.Context(), "SELECT state::text, attempt FROM river_job WHERE kind = 'send_mail' AND args->>'template' = $1", template).Scan(&state, &tries)
	if err != nil {
		t.Fatal(err)
	}
	return state, tries
}

func TestSendMail_refusedForGood(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.mails.err = fmt.Errorf("no such mailbox: %w", mailer.ErrRefused)
	b.work(t, b.deps(time.Now))
	b.checkout(t)
	eventually(t, "the letter is given up", func() bool {
		state, tries := b.jobState(t, "verify")
		return state == "cancelled" && tries == 1
	})
	var refused bool
	err := b.db.Pool.QueryRow(t.Context(), "SELECT mail_refused_at IS NOT NULL FROM users").Scan(&refused)
	if err != nil || !refused {
		t.Errorf("the refusal is not kept: %v", err)
	}
}

func TestSendMail_triedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.mails.err = errors.New("mail server is away")
	b.work(t, b.deps(time.Now))
	b.checkout(t)
	eventually(t, "the letter waits for its next try", func() bool {
		state, _ := b.jobState(t, "verify")
		return state == "retryable" || state == "available"
	})
	b.mails.mu.Lock()
	b.mails.err = nil
	b.mails.mu.Unlock()
	b.endPauses(t)
	eventually(t, "the letter is sent", func() bool { return b.mails.subjects()["verify"] == 1 })
	b.mails.mu.Lock()
	defer b.mails.mu.Unlock()
	seen := map[string]bool{}
	for _, m := range b.mails.sent {
		if seen[m.ID] || m.ID == "" {
			t.Errorf("letters share the id %q", m.ID)
		}
		seen[m.ID] = true
	}
}

// TestSendMail_rowHoldsNoSecret reads the whole queue: the secret of a link is made when the letter is sent.
func TestSendMail_rowHoldsNoSecret(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.work(t, b.deps(time.Now))
	b.checkout(t)
	eventually(t, "the letter is sent", func() bool { return b.mails.subjects()["verify"] == 1 })
	b.mails.mu.Lock()
	defer b.mails.mu.Unlock()
	for _, m := range b.mails.sent {
		var found int
		err := b.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM (SELECT j::text AS row FROM river_job j UNION ALL SELECT l::text FROM mail_links l) AS x
			WHERE strpos(row, $1) > 0`, m.Text).Scan(&found)
		if err != nil || (m.Text != "" && found > 0) {
			t.Errorf("%d rows hold the secret of a link, %v", found, err)
		}
	}
}
