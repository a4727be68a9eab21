package db_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/regain"
	"gatehouse/app/work"
	"gatehouse/db"
)

// rescue is a business with an owner and two of the staff, whose clock the test moves.
type rescue struct {
	*regain.Service
	db         *db.DB
	queue      *queue
	of         account.CustomerID
	owner      account.User
	one, other audit.Actor
	now        time.Time
}

func newRescue(t *testing.T) *rescue {
	t.Helper()
	r := &rescue{db: fresh(t), queue: &queue{}, now: t0}
	o := placed(t, r.db)
	r.of, r.owner = o.Order.CustomerID, o.Account.Owner
	for i, email := range []string{"one@gatehouse.example", "other@gatehouse.example"} {
		member := id(t)
		_, err := r.db.Pool.Exec(t.Context(),
			`INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at)
			VALUES ($1, $2, $2, 'Staff', 'MANAGER', '$argon2id$', 'x', $3)`, member, email, t0.Add(-30*24*time.Hour))
		must(t, err)
		by := audit.Actor{Kind: audit.Staff, ID: member, Name: email, Role: "MANAGER", Address: "192.0.2.1"}
		*[]*audit.Actor{&r.one, &r.other}[i] = by
	}
	accounts := &account.Service{Store: &db.Accounts{DB: r.db, Jobs: r.queue}, Now: r.clock}
	r.Service = &regain.Service{Store: &db.Regain{DB: r.db, Jobs: r.queue}, Owners: accounts, Now: r.clock}
	return r
}

func (r *rescue) clock() time.Time { return r.now }

func (r *rescue) request() regain.Request {
	return regain.Request{
		UserID: r.owner.ID, Email: "new@bakery.example", Reason: "The office burned down.", Checked: "Called back, and saw a passport.",
	}
}

// opened is a case that one of the staff opened, and confirmed one that another did as well.
func (r *rescue) opened(t *testing.T) regain.Case {
	t.Helper()
	c, err := r.Open(t.Context(), r.of, r.request(), r.one)
	must(t, err)
	return c
}

func (r *rescue) confirmed(t *testing.T) regain.Case {
	t.Helper()
	c, err := r.Confirm(t.Context(), r.of, r.opened(t).ID, r.other)
	must(t, err)
	return c
}

// told is the link that an address was mailed.
func (r *rescue) told(t *testing.T, c regain.Case, email string) string {
	t.Helper()
	for _, item := range r.queue.items {
		m, ok := item.(work.SendMail)
		if !ok || m.Template != regain.LetterTold || m.Ref != c.ID+" "+email {
			continue
		}
		l, err := r.Letter(t.Context(), m)
		must(t, err)
		if l.To != email || l.Token == "" {
			t.Errorf("letter %+v", l)
		}
		return l.Token
	}
	t.Fatalf("%s is not told: %+v", email, r.queue.items)
	return ""
}

// email is the address, and whether a password stands, of the owner.
func (r *rescue) email(t *testing.T) (email, hash string) {
	t.Helper()
	must(t, r.db.Pool.QueryRow(t.Context(), "SELECT email, password_hash FROM users WHERE id = $1", string(r.owner.ID)).Scan(&email, &hash))
	return email, hash
}

// TestRegain: two of the staff and three days; then the owner has the new address, no password and no sign-in.
func TestRegain(t *testing.T) {
	t.Parallel()
	r := newRescue(t)
	c := r.confirmed(t)
	for _, email := range []string{r.owner.Email, "new@bakery.example"} {
		r.told(t, c, email)
	}
	for _, after := range []time.Duration{0, 71*time.Hour + 59*time.Minute} {
		r.now = t0.Add(after)
		rest, err := r.Work(t.Context(), c.ID)
		must(t, err)
		if email, _ := r.email(t); rest != regain.Delay-after || email != r.owner.Email {
			t.Fatalf("after %s: %s left, the address is %s", after, rest, email)
		}
	}
	r.now = t0.Add(regain.Delay)
	r.queue.items = nil
	rest, err := r.Work(t.Context(), c.ID)
	must(t, err)
	if email, hash := r.email(t); rest != 0 || email != "new@bakery.example" || hash != "$argon2id$" {
		t.Errorf("in the end: %s left, %s, %s", rest, email, hash)
	}
	want := map[string]bool{"reset": true, regain.LetterDone: true}
	for _, item := range r.queue.items {
		delete(want, item.(work.SendMail).Template)
	}
	if len(want) != 0 {
		t.Errorf("not mailed: %v", want)
	}
	if _, err := r.Work(t.Context(), c.ID); err != nil {
		t.Errorf("once more: %v", err)
	}
	wantErr(t, r.Stop(t.Context(), r.of, c.ID, r.one), regain.ErrOver)
}

// removed is what stands of somebody who was removed.
const removed = "removed_at = now(), role = 'member', may_chat = false, may_approve = false, verified_at = NULL, " +
	"email_folded = 'removed ' || id"

// TestRegain_confirmable: a case is confirmed soon, by somebody who was on the staff long before it, and about somebody who is an
// owner still.
func TestRegain_confirmable(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * time.Hour
	for name, tc := range map[string]struct {
		joined, after time.Duration // of who confirms, before the case; of the confirmation, after it
		owner         string        // what became of the owner
		want          error
	}{
		"in time":                 {week, week, "", nil},
		"by somebody new":         {week - time.Second, 0, "", regain.ErrYoung},
		"too late":                {2 * week, week + time.Second, "", regain.ErrOld},
		"the owner was removed":   {week, 0, removed, regain.ErrNoOwner},
		"the owner is none still": {week, 0, "role = 'member'", regain.ErrNoOwner},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRescue(t)
			c := r.opened(t)
			_, err := r.db.Pool.Exec(t.Context(), "UPDATE staff SET created_at = $2 WHERE id = $1", r.other.ID, t0.Add(-tc.joined))
			must(t, err)
			if tc.owner != "" {
				_, err = r.db.Pool.Exec(t.Context(), "ALTER TABLE users DISABLE TRIGGER USER; UPDATE users SET "+tc.owner)
				must(t, err)
			}
			r.now = t0.Add(tc.after)
			_, err = r.Confirm(t.Context(), r.of, c.ID, r.other)
			if tc.want == nil {
				must(t, err)
			} else {
				wantErr(t, err, tc.want)
			}
		})
	}
}

// TestRegain_ownerGone: a case whose owner is removed in the three days ends as stopped, and changes nobody.
func TestRegain_ownerGone(t *testing.T) {
	t.Parallel()
	r := newRescue(t)
	c := r.confirmed(t)
	_, err := r.db.Pool.Exec(t.Context(), "ALTER TABLE users DISABLE TRIGGER USER; UPDATE users SET "+removed)
	must(t, err)
	r.now, r.queue.items = t0.Add(regain.Delay), nil
	_, err = r.Work(t.Context(), c.ID)
	must(t, err)
	all, err := r.Of(t.Context(), r.of)
	must(t, err)
	if email, _ := r.email(t); all[0].State != regain.Stopped || email != r.owner.Email || len(r.queue.items) != 0 {
		t.Errorf("%s, the address is %s, mailed %v", all[0].State, email, r.queue.items)
	}
}

// TestRegain_two: who opened a case does not confirm it, neither by the rule nor past it, and one case runs at a time.
func TestRegain_two(t *testing.T) {
	t.Parallel()
	r := newRescue(t)
	c := r.opened(t)
	_, err := r.Confirm(t.Context(), r.of, c.ID, r.one)
	wantErr(t, err, regain.ErrSame)
	if rest, err := r.Work(t.Context(), c.ID); rest != 0 || err != nil || len(r.queue.items) != 0 {
		t.Errorf("a case of one alone: %s, %v, %+v", rest, err, r.queue.items)
	}
	_, err = r.db.Pool.Exec(t.Context(), "UPDATE regain_cases SET confirmed_by = opened_by, due = now() WHERE id = $1", c.ID)
	if err == nil || !strings.Contains(err.Error(), "regain_cases_two") {
		t.Errorf("past the rule: %v", err)
	}
	_, err = r.Open(t.Context(), r.of, r.request(), r.other)
	wantErr(t, err, regain.ErrRunning)
	support := r.other
	support.Role = "SUPPORT"
	_, err = r.Confirm(t.Context(), r.of, c.ID, support)
	wantKind(t, err, fault.Forbidden)
	bad := r.request()
	bad.Checked = "yes"
	_, err = r.Open(t.Context(), r.of, bad, r.one)
	wantKind(t, err, fault.Invalid)
}

// TestRegain_stopped: whoever was mailed the link stops a case without signing in, and anyone of the business does who is signed in.
func TestRegain_stopped(t *testing.T) {
	t.Parallel()
	r := newRescue(t)
	c := r.confirmed(t)
	token := r.told(t, c, r.owner.Email)
	wantErr(t, r.StopByLink(t.Context(), token+"x", "192.0.2.7"), regain.ErrLink)
	if _, err := r.Peek(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	must(t, r.StopByLink(t.Context(), token, "192.0.2.7"))
	wantErr(t, r.StopByLink(t.Context(), token, "192.0.2.7"), regain.ErrLink)
	r.now = r.now.Add(regain.Delay)
	if rest, err := r.Work(t.Context(), c.ID); rest != 0 || err != nil {
		t.Errorf("after it was stopped: %s, %v", rest, err)
	}
	if email, _ := r.email(t); email != r.owner.Email {
		t.Errorf("the address is %s", email)
	}
	r.now = t0
	again := r.confirmed(t)
	if running, err := r.Running(t.Context(), r.of); err != nil || running == nil || running.ID != again.ID {
		t.Errorf("running: %+v, %v", running, err)
	}
	wantErr(t, r.Stop(t.Context(), account.CustomerID(id(t)), again.ID, r.one), regain.ErrOver)
	must(t, r.Stop(t.Context(), r.of, again.ID, audit.Actor{Kind: audit.User, ID: string(r.owner.ID), Name: r.owner.Email}))
	if all, err := r.Of(t.Context(), r.of); err != nil || len(all) != 2 || all[0].EndedBy != r.owner.Email ||
		all[1].EndedBy != r.owner.Email {
		t.Errorf("cases: %+v, %v", all, err)
	}
}

// TestRegain_taken: an address that somebody else has got meanwhile ends the case, and nothing is changed.
func TestRegain_taken(t *testing.T) {
	t.Parallel()
	r := newRescue(t)
	c := r.confirmed(t)
	_, err := r.db.Pool.Exec(t.Context(), `INSERT INTO users (id, customer_id, email, email_folded, name, role, password_hash, created_at)
		VALUES ($1, $2, $3, $3, 'Other', 'owner', '$argon2id$', now())`, id(t), string(r.of), "new@bakery.example")
	must(t, err)
	r.now = t0.Add(regain.Delay)
	_, err = r.Work(t.Context(), c.ID)
	must(t, err)
	if all, err := r.Of(t.Context(), r.of); err != nil || all[0].State != regain.Stopped {
		t.Errorf("cases: %+v, %v", all, err)
	}
	if email, _ := r.email(t); email != r.owner.Email {
		t.Errorf("the address is %s", email)
	}
}
