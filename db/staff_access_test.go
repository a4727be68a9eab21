package db_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/account/accounttest"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/second"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// access is the service of our staff over a database of its own, with a clock that the test moves, and one owner.
type access struct {
	*staff.Service
	db    *db.DB
	jobs  *queue
	now   time.Time
	owner staff.Member
}

func newAccess(t *testing.T) *access {
	t.Helper()
	a := &access{db: fresh(t), jobs: &queue{}, now: t0}
	clock := func() time.Time { return a.now }
	a.Service = &staff.Service{
		Store: &db.Staff{DB: a.db, Keys: keyring(t, 1), Jobs: a.jobs}, Hasher: accounttest.Hasher(), Now: clock,
		Tries: account.NewTries(100, time.Minute, clock),
	}
	a.Codes = dbtest.Sure{}
	a.owner, _ = a.add(t, "owner@example.com", staff.Owner)
	return a
}

func (a *access) add(t *testing.T, email string, r staff.Role) (staff.Member, second.Factor) {
	t.Helper()
	m, factor, err := a.Create(t.Context(), staff.NewMember{Email: email, Role: r, Password: pass}, audit.Itself)
	must(t, err)
	return m, factor
}

// as is a member as the one who acts.
func as(m staff.Member) audit.Actor {
	return audit.Actor{Kind: audit.Staff, ID: string(m.ID), Name: m.Email, Role: string(m.Role), Address: "192.0.2.1"}
}

// actions are what the record says, newest first.
func (a *access) actions(t *testing.T) (all []string) {
	t.Helper()
	log, err := (&db.Audit{DB: a.db}).List(t.Context(), "", page.Ask{})
	must(t, err)
	for _, e := range log.Items {
		all = append(all, e.Action)
	}
	return all
}

// token is the secret of a link, as the mail that was asked for last carries it.
func (a *access) token(t *testing.T) string {
	t.Helper()
	l, err := a.Letter(t.Context(), a.jobs.items[len(a.jobs.items)-1].(work.SendMail))
	must(t, err)
	return l.Token
}

// joining is what somebody brings who was invited.
func (a *access) joining(t *testing.T, token string) staff.Joining {
	t.Helper()
	_, factor, err := a.Invited(t.Context(), token)
	must(t, err)
	code, err := second.CodeAt(factor.Secret, a.now)
	must(t, err)
	return staff.Joining{Name: "Some Body", Password: pass, Code: code}
}

func TestStaff_invitation(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	i, err := a.Invite(t.Context(), " New@example.com ", staff.Support, "de", as(a.owner))
	must(t, err)
	first := a.token(t)
	_, err = a.InviteAgain(t.Context(), i.ID, as(a.owner))
	must(t, err)
	_, _, err = a.Invited(t.Context(), first)
	wantErr(t, err, staff.ErrInvite) // the newest link counts
	token := a.token(t)
	in := a.joining(t, token)
	bad := in
	bad.Name, bad.Password, bad.Code = "", "short", "000000"
	_, _, err = a.Join(t.Context(), token, bad, "")
	if f := fault.Of(err); len(f.Fields) != 3 {
		t.Fatalf("faults %v", err)
	}
	m, codes, err := a.Join(t.Context(), token, in, "192.0.2.9")
	must(t, err)
	if m.Email != "New@example.com" || m.Role != staff.Support || m.Locale != "de" || !m.Works() || len(codes) != second.BackupCodes {
		t.Errorf("joined %+v with %d codes", m, len(codes))
	}
	_, _, err = a.Join(t.Context(), token, in, "")
	wantErr(t, err, staff.ErrInviteUsed)
	_, err = a.Code(t.Context(), m.ID, in.Code)
	wantErr(t, err, second.ErrCode) // it proved the app already
	_, err = a.Password(t.Context(), "new@example.com", pass)
	must(t, err)
	_, err = a.Invite(t.Context(), "NEW@example.com", staff.Support, "", as(a.owner))
	wantErr(t, err, staff.ErrTaken)
	open, err := a.Invitations(t.Context())
	must(t, err)
	if got := a.actions(t); len(open) != 0 || got[0] != "staff.join" || got[1] != "staff.invite_again" || got[2] != "staff.invite" {
		t.Errorf("open %v, record %v", open, got)
	}
}

func TestStaff_invitationEnds(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	_, err := a.Invite(t.Context(), "new@example.com", staff.Support, "", as(a.owner))
	must(t, err)
	older := a.token(t)
	i, err := a.Invite(t.Context(), "New@Example.com", staff.Manager, "", as(a.owner))
	must(t, err)
	token := a.token(t)
	_, _, err = a.Invited(t.Context(), older)
	wantErr(t, err, staff.ErrInvite)
	a.now = a.now.Add(staff.LinkLife)
	_, _, err = a.Invited(t.Context(), token)
	wantErr(t, err, staff.ErrInvite)
	a.now = t0
	_, err = a.RevokeInvitation(t.Context(), i.ID, as(a.owner))
	must(t, err)
	_, _, err = a.Join(t.Context(), token, staff.Joining{}, "")
	wantErr(t, err, staff.ErrInvite)
	_, err = a.RevokeInvitation(t.Context(), i.ID, as(a.owner))
	wantKind(t, err, fault.NotFound)
	_, err = a.db.Pool.Exec(t.Context(), "UPDATE staff_invitations SET revoked_at = NULL")
	if db.SQLState(err) != "GH001" {
		t.Errorf("an ended invitation was opened again: %v", err)
	}
}

// TestStaff_invitationRoles: an admin invites nobody as owner, and touches no invitation of one.
func TestStaff_invitationRoles(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	admin, _ := a.add(t, "admin@example.com", staff.Admin)
	i, err := a.Invite(t.Context(), "new@example.com", staff.Owner, "", as(a.owner))
	must(t, err)
	_, err = a.Invite(t.Context(), "other@example.com", staff.Owner, "", as(admin))
	wantKind(t, err, fault.Forbidden)
	_, err = a.RevokeInvitation(t.Context(), i.ID, as(admin))
	wantKind(t, err, fault.Forbidden)
	_, err = a.Invite(t.Context(), "other@example.com", staff.Support, "", as(admin))
	must(t, err)
}

// TestStaff_invitationOfOneWhoLeft: what somebody sent ends with the role in which they did.
func TestStaff_invitationOfOneWhoLeft(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	admin, _ := a.add(t, "admin@example.com", staff.Admin)
	for i, leave := range []func() (staff.Member, error){
		func() (staff.Member, error) { return a.SetRole(t.Context(), admin.ID, staff.Support, as(a.owner)) },
		func() (staff.Member, error) { return a.SwitchOff(t.Context(), admin.ID, as(a.owner)) },
	} {
		_, err := a.SetRole(t.Context(), admin.ID, staff.Admin, as(a.owner))
		must(t, err)
		_, err = a.Invite(t.Context(), "new@example.com", staff.Admin, "", as(admin))
		must(t, err)
		token := a.token(t)
		_, err = leave()
		must(t, err)
		if _, _, err := a.Invited(t.Context(), token); !errors.Is(err, staff.ErrInvite) {
			t.Errorf("%d: the invitation: %v", i, err)
		}
	}
}

func TestStaff_joinTwiceAtOnce(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	_, err := a.Invite(t.Context(), "new@example.com", staff.Support, "", as(a.owner))
	must(t, err)
	token := a.token(t)
	in := a.joining(t, token)
	var joined, refused atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			switch _, _, err := a.Join(t.Context(), token, in, ""); {
			case err == nil:
				joined.Add(1)
			case errors.Is(err, staff.ErrInviteUsed):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if joined.Load() != 1 || refused.Load() != 3 {
		t.Errorf("%d joined, %d were refused", joined.Load(), refused.Load())
	}
}

func TestStaff_changes(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	admin, _ := a.add(t, "admin@example.com", staff.Admin)
	clerk, _ := a.add(t, "clerk@example.com", staff.Support)
	for name, c := range map[string]struct {
		of   staff.ID
		role staff.Role
		by   staff.Member
		want error
	}{
		"one's own":              {admin.ID, staff.Support, admin, staff.ErrSelf},
		"an owner by an admin":   {a.owner.ID, staff.Support, admin, staff.Refused(staff.ServersDestroy)},
		"to owner by an admin":   {clerk.ID, staff.Owner, admin, staff.Refused(staff.ServersDestroy)},
		"by one who may not":     {admin.ID, staff.Support, clerk, staff.Refused(staff.ServersDestroy)},
		"of the last by the hub": {a.owner.ID, staff.Admin, staff.Member{}, staff.ErrLastOwner},
	} {
		by := as(c.by)
		if c.by.ID == "" {
			by = audit.Itself
		}
		if _, err := a.SetRole(t.Context(), c.of, c.role, by); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	m, err := a.SetRole(t.Context(), clerk.ID, staff.Manager, as(admin))
	if err != nil || m.Role != staff.Manager {
		t.Errorf("the role is %s, %v", m.Role, err)
	}
	_, err = a.SetRole(t.Context(), clerk.ID, "KING", as(admin))
	wantKind(t, err, fault.Invalid)
	if got := a.actions(t); got[0] != "staff.role" || got[1] != "staff.create" {
		t.Errorf("record %v", got)
	}
}

func TestStaff_switchedOff(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	clerk, _ := a.add(t, "clerk@example.com", staff.Support)
	tokens := &account.Tokens{Store: &db.Tokens{DB: a.db}, Now: func() time.Time { return a.now }}
	key, _, err := tokens.IssueToStaff(t.Context(), string(clerk.ID), "test", 0, audit.Itself)
	must(t, err)
	desk := signin.Desk{Store: &db.Signins{DB: a.db}, Now: func() time.Time { return a.now }}
	_, secret, err := desk.Open(t.Context(), signin.Staff, signin.Subject{StaffID: string(clerk.ID)}, signin.Origin{}, "")
	must(t, err)
	if m, err := a.Find(t.Context(), clerk.ID); err != nil || !m.SeenAt.Equal(t0) {
		t.Errorf("seen %s, %v", m.SeenAt, err)
	}
	for range 2 { // the second time changes nothing
		_, err = a.SwitchOff(t.Context(), clerk.ID, as(a.owner))
		must(t, err)
	}
	_, _, err = desk.Find(t.Context(), signin.Staff, secret)
	wantErr(t, err, signin.ErrNone)
	_, err = a.Password(t.Context(), clerk.Email, pass)
	wantErr(t, err, account.ErrWrong)
	_, err = a.SwitchOn(t.Context(), clerk.ID, as(a.owner))
	must(t, err)
	_, err = a.Password(t.Context(), clerk.Email, pass)
	must(t, err)
	_, err = tokens.Authenticate(t.Context(), key)
	wantErr(t, err, account.ErrToken)
	if got := a.actions(t); got[0] != "staff.on" || got[1] != "staff.off" || got[2] != "token.issue" {
		t.Errorf("record %v", got)
	}
}

// TestStaff_lastOwner: two owners who demote each other, or are switched off at once by two programs, leave one.
func TestStaff_lastOwner(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	other, _ := a.add(t, "other@example.com", staff.Owner)
	var won atomic.Int32
	var all sync.WaitGroup
	for of, by := range map[staff.ID]staff.Member{a.owner.ID: other, other.ID: a.owner} {
		all.Go(func() {
			if _, err := a.SetRole(t.Context(), of, staff.Admin, as(by)); err == nil {
				won.Add(1)
			} else if fault.Of(err).Kind != fault.Forbidden {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of two demotions happened", won.Load())
	}
}

func TestStaff_lastOwnerInTheDatabase(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	other, _ := a.add(t, "other@example.com", staff.Owner)
	one, err := a.db.Pool.Begin(t.Context())
	must(t, err)
	two, err := a.db.Pool.Begin(t.Context())
	must(t, err)
	const off = "UPDATE staff SET off_at = now() WHERE id = $1"
	_, err = one.Exec(t.Context(), off, string(a.owner.ID))
	must(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := two.Exec(t.Context(), off, string(other.ID)) // waits for the first
		done <- errors.Join(err, two.Rollback(t.Context()))
	}()
	must(t, one.Commit(t.Context()))
	if err := <-done; db.SQLState(err) != "GH001" {
		t.Errorf("both owners are off: %v", err)
	}
	for _, sql := range []string{
		"UPDATE staff SET role = 'ADMIN'", "UPDATE staff SET off_at = now()", "UPDATE staff SET second_at = NULL", "DELETE FROM staff",
	} {
		if _, err := a.db.Pool.Exec(t.Context(), sql); db.SQLState(err) != "GH001" {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestStaff_secondReset: after a reset nothing opens but the mailed link with the password, once.
func TestStaff_secondReset(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	clerk, old := a.add(t, "clerk@example.com", staff.Support)
	_, err := a.NewCodes(t.Context(), clerk.ID, as(clerk))
	must(t, err)
	_, err = a.ResetSecond(t.Context(), clerk.ID, as(a.owner))
	must(t, err)
	if _, err := a.Password(t.Context(), clerk.Email, pass); fault.Of(err).Code != "second-needed" {
		t.Errorf("sign-in after the reset: %v", err)
	}
	code, err := second.CodeAt(old.Secret, a.now)
	must(t, err)
	_, err = a.Code(t.Context(), clerk.ID, code)
	wantErr(t, err, second.ErrCode)
	older := a.token(t)
	_, err = a.ResetSecond(t.Context(), clerk.ID, as(a.owner))
	must(t, err)
	token := a.token(t)
	_, _, err = a.Reset(t.Context(), older)
	wantErr(t, err, staff.ErrLink)
	_, factor, err := a.Reset(t.Context(), token)
	must(t, err)
	code, err = second.CodeAt(factor.Secret, a.now)
	must(t, err)
	_, _, err = a.SetUp(t.Context(), token, "not the password", code, "")
	wantKind(t, err, fault.Invalid)
	m, codes, err := a.SetUp(t.Context(), token, pass, code, "")
	if err != nil || !m.Works() || len(codes) != second.BackupCodes {
		t.Fatalf("set up %+v, %v", m, err)
	}
	_, _, err = a.SetUp(t.Context(), token, pass, code, "")
	wantErr(t, err, staff.ErrLink)
	_, err = a.Letter(t.Context(), work.SendMail{Template: staff.LetterSecond, UserID: string(clerk.ID)})
	wantKind(t, err, fault.NotFound) // a late mail opens nothing
	if n, err := a.CodesLeft(t.Context(), clerk.ID); n != second.BackupCodes || err != nil {
		t.Errorf("%d codes left, %v", n, err)
	}
}

// TestStaff_backupCodes: a code works once, also when it is used twice at once; a new set replaces the old.
func TestStaff_backupCodes(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	codes, err := a.NewCodes(t.Context(), a.owner.ID, as(a.owner))
	must(t, err)
	var won atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, left, err := a.Backup(t.Context(), a.owner.ID, codes[0], as(a.owner)); err == nil {
				won.Add(1)
				if left != second.BackupCodes-1 {
					t.Errorf("%d are left", left)
				}
			} else if fault.Of(err).Code != "wrong-backup-code" {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("one code: %d sign-ins", won.Load())
	}
	again, err := a.NewCodes(t.Context(), a.owner.ID, as(a.owner))
	must(t, err)
	if _, _, err := a.Backup(t.Context(), a.owner.ID, codes[1], as(a.owner)); fault.Of(err).Code != "wrong-backup-code" {
		t.Errorf("a code of the set before: %v", err)
	}
	var rows string
	must(t, a.db.Pool.QueryRow(t.Context(), "SELECT string_agg(s::text, '') FROM staff s").Scan(&rows))
	if contains(rows, again[0]) {
		t.Error("the table holds a code as it is")
	}
	_, _, err = a.Backup(t.Context(), a.owner.ID, again[0], as(a.owner))
	must(t, err)
}

// TestStaff_profile: what somebody changes of their own.
func TestStaff_profile(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	me, by := a.owner.ID, as(a.owner)
	m, err := a.SetName(t.Context(), me, "  The   owner ", by)
	if err != nil || m.Name != "The owner" {
		t.Errorf("name %q, %v", m.Name, err)
	}
	_, err = a.SetName(t.Context(), me, " ", by)
	wantKind(t, err, fault.Invalid)
	_, err = a.SetLocale(t.Context(), me, "de", by)
	must(t, err)
	wantKind(t, a.SetPassword(t.Context(), me, staff.NewPassword{Old: "wrong staple battery", New: pass}, by), fault.Invalid)
	wantKind(t, a.SetPassword(t.Context(), me, staff.NewPassword{Old: pass, New: "short"}, by), fault.Invalid)
	must(t, a.SetPassword(t.Context(), me, staff.NewPassword{Old: pass, New: "four quiet bakers at dawn"}, by))
	_, err = a.Password(t.Context(), a.owner.Email, "four quiet bakers at dawn")
	must(t, err)
	_, err = a.NextSecond(t.Context(), me)
	wantKind(t, err, fault.Conflict)
	must(t, a.StartSecond(t.Context(), me, by))
	next, err := a.NextSecond(t.Context(), me)
	must(t, err)
	wantKind(t, a.ConfirmSecond(t.Context(), me, "000000", by), fault.Invalid)
	code, err := second.CodeAt(next.Secret, a.now)
	must(t, err)
	must(t, a.ConfirmSecond(t.Context(), me, code, by))
	_, err = a.Code(t.Context(), me, code)
	wantErr(t, err, second.ErrCode) // used to confirm
	a.now = a.now.Add(time.Minute)
	code, err = second.CodeAt(next.Secret, a.now)
	must(t, err)
	_, err = a.Code(t.Context(), me, code)
	must(t, err)
	if got := a.actions(t); got[0] != "staff.second" || got[1] != "staff.password" || got[2] != "staff.language" || got[3] != "staff.name" {
		t.Errorf("record %v", got)
	}
}
