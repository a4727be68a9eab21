package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
	"gatehouse/app/work"
	"gatehouse/db"
)

var ending = staff.Destroying{Action: staff.EndOrder, Object: "0190a000-0000-7000-8000-000000000001", Name: "12 (Some Bakery)"}

// coded is staff with codes.
type coded struct {
	*access
	codes *staff.Codes
}

func newCoded(t *testing.T) *coded {
	t.Helper()
	c := &coded{access: newAccess(t)}
	c.codes = &staff.Codes{
		Store: &db.StaffCodes{DB: c.db, Jobs: c.jobs}, People: c.Service, Key: []byte("key"), Now: func() time.Time { return c.now },
	}
	return c
}

// ask has a code mailed and reads the mail.
func (c *coded) ask(t *testing.T, m staff.Member, d staff.Destroying) account.Letter {
	t.Helper()
	must(t, c.codes.Ask(t.Context(), as(m), d))
	return c.letter(t, c.jobs.items[len(c.jobs.items)-1].(work.SendMail))
}

func (c *coded) letter(t *testing.T, mail work.SendMail) account.Letter {
	t.Helper()
	l, err := c.codes.Letter(t.Context(), mail)
	must(t, err)
	return l
}

func (c *coded) try(t *testing.T, m staff.Member, d staff.Destroying, typed string) error {
	t.Helper()
	return c.codes.Confirm(staff.WithCode(t.Context(), typed), as(m), d)
}

// other is a code that is not that one.
func other(code string, n int) string {
	wrong := fmt.Sprintf("%08d", n)
	if wrong == code {
		return "99999999"
	}
	return wrong
}

// TestStaffCodes: a code is for one member, one act and one object, and works once.
func TestStaffCodes(t *testing.T) {
	t.Parallel()
	c := newCoded(t)
	boss, _ := c.add(t, "boss@example.com", staff.Owner)
	wantErr(t, c.try(t, boss, ending, ""), staff.ErrCodeNeeded)
	wantErr(t, c.try(t, boss, ending, "12345678"), staff.ErrCodeOver)
	l := c.ask(t, boss, ending)
	if len(l.Token) != 8 || strings.Trim(l.Token, "0123456789") != "" || l.To != boss.Email || l.Act.Name != ending.Name {
		t.Errorf("mailed was %+v", l)
	}
	replace, another := ending, ending
	replace.Action, another.Object = staff.ReplaceOrder, "0190a000-0000-7000-8000-000000000002"
	wantErr(t, c.try(t, boss, replace, l.Token), staff.ErrCodeOver)
	wantErr(t, c.try(t, boss, another, l.Token), staff.ErrCodeOver)
	wantErr(t, c.try(t, c.owner, ending, l.Token), staff.ErrCodeOver)
	var u *staff.Unconfirmed
	err := c.try(t, boss, ending, other(l.Token, 7))
	if !errors.As(err, &u) || u.Destroying != ending || !errors.Is(err, staff.ErrCodeWrong) {
		t.Errorf("a wrong code: %v", err)
	}
	must(t, c.try(t, boss, ending, " "+l.Token[:4]+"-"+l.Token[4:]))
	wantErr(t, c.try(t, boss, ending, l.Token), staff.ErrCodeOver)
	// Two at once: one.
	l = c.ask(t, boss, ending)
	var all sync.WaitGroup
	var worked atomic.Int32
	for range 4 {
		all.Go(func() {
			if c.codes.Confirm(staff.WithCode(context.WithoutCancel(t.Context()), l.Token), as(boss), ending) == nil {
				worked.Add(1)
			}
		})
	}
	all.Wait()
	if worked.Load() != 1 {
		t.Errorf("the code worked %d times", worked.Load())
	}
	if got := c.actions(t); got[0] != "staff.code" || got[1] != "staff.code" {
		t.Errorf("on record: %v", got)
	}
}

// TestStaffCodes_over: five tries, ten minutes, and the newest mail alone. No row holds a code.
func TestStaffCodes_over(t *testing.T) {
	t.Parallel()
	c := newCoded(t)
	l := c.ask(t, c.owner, ending)
	for i := range staff.CodeTries {
		want := error(staff.ErrCodeWrong)
		if i == staff.CodeTries-1 {
			want = staff.ErrCodeOver
		}
		wantErr(t, c.try(t, c.owner, ending, other(l.Token, i)), want)
	}
	wantErr(t, c.try(t, c.owner, ending, l.Token), staff.ErrCodeOver)
	if err := raw(t, c.db, "UPDATE staff_codes SET tries = 0"); err == nil {
		t.Error("tries of a code go back")
	}

	l = c.ask(t, c.owner, ending)
	first := c.jobs.items[len(c.jobs.items)-1].(work.SendMail)
	again := c.letter(t, first) // the mail server was away: it is made again
	if again.Token != l.Token { // of a hundred million
		wantErr(t, c.try(t, c.owner, ending, l.Token), staff.ErrCodeWrong)
	}
	c.now = c.now.Add(staff.CodeLife)
	wantErr(t, c.try(t, c.owner, ending, again.Token), staff.ErrCodeOver)

	c.ask(t, c.owner, ending)
	newest := c.ask(t, c.owner, ending)
	if _, err := c.codes.Letter(t.Context(), first); fault.Of(err).Kind != fault.NotFound {
		t.Errorf("a mail that was replaced is written: %v", err)
	}
	var dump string
	must(t, c.db.Pool.QueryRow(t.Context(),
		"SELECT (SELECT json_agg(s)::text FROM staff_codes s) || (SELECT json_agg(a)::text FROM audit_log a)").Scan(&dump))
	if strings.Contains(dump, newest.Token) {
		t.Error("the database holds the code")
	}
	c.now = c.now.Add(staff.CodeLife - time.Second)
	must(t, c.try(t, c.owner, ending, newest.Token))
}

// TestStaffCodes_asked: nobody is mailed a code for what the role does not include, or for what needs none.
func TestStaffCodes_asked(t *testing.T) {
	t.Parallel()
	c := newCoded(t)
	clerk, _ := c.add(t, "clerk@example.com", staff.Support)
	if err := c.codes.Ask(t.Context(), as(clerk), ending); fault.Of(err).Kind != fault.Forbidden {
		t.Errorf("Support asks for a code: %v", err)
	}
	harmless := ending
	harmless.Action = "order.retry"
	if err := c.codes.Ask(t.Context(), as(c.owner), harmless); fault.Of(err).Kind != fault.Invalid {
		t.Errorf("a code for a retry: %v", err)
	}
	wantErr(t, staff.Confirm(t.Context(), nil, as(c.owner), ending), staff.ErrCodeNeeded)
}
