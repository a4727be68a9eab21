package db_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/work"
	"gatehouse/db"
)

// owner signs up and proves the address.
func (a *accounts) owner(t *testing.T, email string) account.User {
	t.Helper()
	a.signUp(t, email)
	u, err := a.Verify(t.Context(), a.letter(t, "verify").Token)
	must(t, err)
	return u
}

func by(u account.User) audit.Actor {
	return audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email, Address: "192.0.2.1"}
}

// invited mails an invitation and gives its secret.
func (a *accounts) invited(t *testing.T, o account.User, email string, chat, approve bool) string {
	t.Helper()
	_, err := a.Invite(t.Context(), o.CustomerID, email, chat, approve, by(o))
	must(t, err)
	return a.letter(t, account.LetterInvite).Token
}

// joined is a person who was invited and came.
func (a *accounts) joined(t *testing.T, o account.User, email string, chat, approve bool) account.User {
	t.Helper()
	u, err := a.Join(t.Context(), a.invited(t, o, email, chat, approve), account.Join{Name: "A baker", Password: pass, Locale: "de"})
	must(t, err)
	return u
}

func (a *accounts) recorded(t *testing.T, of account.CustomerID, action string) int {
	t.Helper()
	var n int
	must(t, a.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM audit_log WHERE customer_id = $1 AND action = $2", of, action).Scan(&n))
	return n
}

func TestPeople_inviteAndJoin(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	o := a.owner(t, "owner@example.com")
	token := a.invited(t, o, "Baker@example.com", true, false)
	i, err := a.PeekInvitation(t.Context(), token)
	must(t, err)
	if i.Business != "Somebody" || i.InviterEmail != o.Email || i.Email != "Baker@example.com" ||
		i.Rights() != (account.Rights{Role: account.Member, Chat: true}) {
		t.Errorf("the invitation says %+v", i)
	}
	for _, weak := range []account.Join{{Name: "A baker", Password: "short"}, {Name: "", Password: pass}, {
		Name:     "A",
		Password: "baker@example.com",
	}} {
		if _, err := a.Join(t.Context(), token, weak); fault.Of(err).Kind != fault.Invalid {
			t.Errorf("joined as %+v: %v", weak, err)
		}
	}
	u, err := a.Join(t.Context(), token, account.Join{Name: " A  baker ", Password: pass, Locale: "de"})
	must(t, err)
	if u.CustomerID != o.CustomerID || u.Name != "A baker" || u.Rights() != i.Rights() || !u.Verified() {
		t.Errorf("joined as %+v", u)
	}
	if _, err := a.SignIn(t.Context(), "baker@example.com", pass); err != nil {
		t.Errorf("sign-in of who joined: %v", err)
	}
	if _, err := a.Join(t.Context(), token, account.Join{Name: "Another", Password: pass}); !errors.Is(err, account.ErrInvitation) {
		t.Errorf("the link opened twice: %v", err)
	}
	inside, err := a.Inside(t.Context(), o.CustomerID)
	must(t, err)
	if !slices.Contains(inside, "Baker@example.com") || !slices.ContainsFunc(a.q.items, refreshBy(u.ID)) {
		t.Errorf("inside are %q; the server hears of it: %v", inside, a.q.items)
	}
	if a.recorded(t, o.CustomerID, "people.invite") != 1 || a.recorded(t, o.CustomerID, "people.join") != 1 {
		t.Error("the record lacks who was invited or joined")
	}
}

func refreshBy(id account.UserID) func(work.Item) bool {
	return func(i work.Item) bool { r, ok := i.(work.RefreshTeam); return ok && r.UserID == string(id) }
}

func TestPeople_invitationEnds(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	o := a.owner(t, "owner@example.com")
	gone := func(what, token string) {
		t.Helper()
		if _, err := a.PeekInvitation(t.Context(), token); !errors.Is(err, account.ErrInvitation) {
			t.Errorf("%s: %v", what, err)
		}
	}
	first := a.invited(t, o, "baker@example.com", true, false)
	second := a.invited(t, o, "BAKER@example.com", false, true)
	gone("replaced by a newer one", first)
	open, err := a.Invitations(t.Context(), o.CustomerID)
	must(t, err)
	if len(open) != 1 || open[0].Chat || !open[0].Approve {
		t.Fatalf("open are %+v", open)
	}
	_, err = a.InviteAgain(t.Context(), o.CustomerID, open[0].ID, by(o))
	must(t, err)
	third := a.letter(t, account.LetterInvite).Token
	gone("sent again", second)
	open, err = a.Invitations(t.Context(), o.CustomerID)
	must(t, err)
	_, err = a.Uninvite(t.Context(), o.CustomerID, open[0].ID, by(o))
	must(t, err)
	gone("withdrawn", third)
	if _, err := a.Uninvite(t.Context(), o.CustomerID, open[0].ID, by(o)); fault.Of(err).Kind != fault.NotFound {
		t.Errorf("withdrawn twice: %v", err)
	}
	last := a.invited(t, o, "baker@example.com", true, false)
	a.at(account.InviteLife - time.Second)
	_, err = a.PeekInvitation(t.Context(), last)
	must(t, err)
	a.at(account.InviteLife)
	gone("expired", last)
}

// TestPeople_inviteKnown: the inviter reads the same whether or not the address has an account; the mail tells its owner, and
// opens nothing.
func TestPeople_inviteKnown(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	o, other := a.owner(t, "owner@example.com"), a.owner(t, "other@example.com")
	known, err := a.Invite(t.Context(), o.CustomerID, other.Email, true, false, by(o))
	must(t, err)
	l := a.letter(t, account.LetterInvite)
	if l.Template != account.LetterKnown || l.Token != "" || l.To != other.Email || l.By != "Somebody" {
		t.Errorf("the letter is %+v", l)
	}
	strange, err := a.Invite(t.Context(), o.CustomerID, "new@example.com", true, false, by(o))
	must(t, err)
	known.ID, known.Email, known.CreatedAt, known.ExpiresAt = strange.ID, strange.Email, strange.CreatedAt, strange.ExpiresAt
	if known != strange {
		t.Errorf("the inviter can tell them apart: %+v, %+v", known, strange)
	}
	token := a.letter(t, account.LetterInvite).Token
	a.signUp(t, "new@example.com") // meanwhile
	if _, err := a.Join(t.Context(), token, account.Join{Name: "New", Password: pass}); !errors.Is(err, account.ErrJoinTaken) {
		t.Errorf("joined with an address that is taken: %v", err)
	}
}

func TestPeople_whoMayInvite(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	fresh := a.signUp(t, "fresh@example.com")
	if _, err := a.Invite(t.Context(), fresh.CustomerID, "x@example.com", true, true, by(fresh)); !errors.Is(err, account.ErrUnproven) {
		t.Errorf("an unproven address invited: %v", err)
	}
	o := a.owner(t, "owner@example.com")
	m := a.joined(t, o, "m@example.com", true, true)
	for what, c := range map[string]struct {
		by account.User
		to string
		k  fault.Kind
	}{
		"a member":             {m, "x@example.com", fault.Forbidden},
		"of another business":  {fresh, "x@example.com", fault.Forbidden},
		"an address that is":   {o, "not an address", fault.Invalid},
		"somebody of the same": {o, "M@Example.com", fault.Invalid},
	} {
		if _, err := a.Invite(t.Context(), o.CustomerID, c.to, true, true, by(c.by)); fault.Of(err).Kind != c.k {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestPeople_rights(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	o := a.owner(t, "owner@example.com")
	m := a.joined(t, o, "m@example.com", true, true)
	if _, err := a.SetRights(t.Context(), o.CustomerID, m.ID, account.Rights{Role: account.Owner},
		by(m)); fault.Of(err).Kind != fault.Forbidden {
		t.Errorf("a member made themselves an owner: %v", err)
	}
	if _, err := a.SetRights(t.Context(), o.CustomerID, o.ID, account.Rights{Role: account.Member},
		by(o)); !errors.Is(err, account.ErrLastOwner) {
		t.Errorf("the last owner became a member: %v", err)
	}
	desk := a.signedIn(t, m)
	_, err := a.SetRights(t.Context(), o.CustomerID, m.ID, account.Rights{Role: account.Member, Chat: true, Approve: true}, by(o))
	must(t, err)
	if desk() != 1 {
		t.Error("a sign-in ended although nothing was taken")
	}
	u, err := a.SetRights(t.Context(), o.CustomerID, m.ID, account.Rights{Role: account.Member, Chat: true}, by(o))
	must(t, err)
	if u.Approve || !u.Chat || desk() != 0 {
		t.Errorf("the rights are %+v, and %d sign-ins are left", u.Rights(), desk())
	}
	_, err = a.SetRights(t.Context(), o.CustomerID, m.ID, account.Rights{Role: account.Owner}, by(o))
	must(t, err)
	token := a.invited(t, m, "later@example.com", true, false)
	_, err = a.SetRights(t.Context(), o.CustomerID, o.ID, account.Rights{Role: account.Member}, by(m)) // there is another owner
	must(t, err)
	_, err = a.PeekInvitation(t.Context(), token)
	must(t, err)
	if a.recorded(t, o.CustomerID, "people.rights") != 4 {
		t.Errorf("%d changes are recorded", a.recorded(t, o.CustomerID, "people.rights"))
	}
}

// signedIn signs a person in and counts what is left of it.
func (a *accounts) signedIn(t *testing.T, u account.User) func() int {
	t.Helper()
	desk := signin.Desk{Store: &db.Signins{DB: a.db}, Now: a.Now}
	_, _, err := desk.Open(t.Context(), signin.Customer, signin.Subject{
		CustomerID: string(u.CustomerID),
		UserID:     string(u.ID),
	}, signin.Origin{}, "")
	must(t, err)
	return func() (n int) {
		must(t, a.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM signins WHERE user_id = $1", u.ID).Scan(&n))
		return n
	}
}

func TestPeople_remove(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	o := a.owner(t, "owner@example.com")
	m := a.joined(t, o, "m@example.com", true, true)
	signins := a.signedIn(t, m)
	tokens := &account.Tokens{Store: &db.Tokens{DB: a.db}, Now: a.Now}
	secret, _, err := tokens.IssueToUser(t.Context(), m, "script", 0, by(m))
	must(t, err)
	bearer, err := tokens.Authenticate(t.Context(), secret)
	must(t, err)
	if bearer.Role != string(account.Member) || !bearer.Chat || !bearer.Approve {
		t.Errorf("the token acts as %+v", bearer)
	}
	must(t, a.AskReset(t.Context(), m.Email))
	reset := a.letter(t, "reset").Token
	if _, err := a.Remove(t.Context(), o.CustomerID, o.ID, by(m)); fault.Of(err).Kind != fault.Forbidden {
		t.Errorf("a member removed an owner: %v", err)
	}
	_, err = a.Remove(t.Context(), o.CustomerID, m.ID, by(o))
	must(t, err)
	if signins() != 0 {
		t.Error("a sign-in is left")
	}
	if _, err := tokens.Authenticate(t.Context(), secret); !errors.Is(err, account.ErrToken) {
		t.Errorf("the token still opens: %v", err)
	}
	if _, err := a.SignIn(t.Context(), m.Email, pass); !errors.Is(err, account.ErrWrong) {
		t.Errorf("who was removed signed in: %v", err)
	}
	if _, err := a.Reset(t.Context(), reset, pass, "192.0.2.1"); !errors.Is(err, account.ErrLink) {
		t.Errorf("who was removed chose a password: %v", err)
	}
	inside, err := a.Inside(t.Context(), o.CustomerID)
	must(t, err)
	business, err := (&db.Configs{DB: a.db}).Business(t.Context(), o.CustomerID)
	must(t, err)
	if slices.Contains(inside, m.Email) || slices.Contains(business.Inside, m.Email) {
		t.Error("the address still counts as inside")
	}
	people, err := a.People(t.Context(), o.CustomerID)
	must(t, err)
	if len(people) != 1 || people[0].ID != o.ID || a.recorded(t, o.CustomerID, "people.remove") != 1 {
		t.Errorf("left are %+v", people)
	}
	if again := a.joined(t, o, m.Email, false, false); again.ID == m.ID {
		t.Error("who comes again is somebody new")
	}
}

func TestPeople_leave(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	o := a.owner(t, "owner@example.com")
	m := a.joined(t, o, "m@example.com", false, false)
	if _, err := a.Remove(t.Context(), o.CustomerID, o.ID, by(o)); !errors.Is(err, account.ErrLastOwner) {
		t.Errorf("the last owner left: %v", err)
	}
	_, err := a.Remove(t.Context(), o.CustomerID, m.ID, by(m))
	must(t, err)
	if a.recorded(t, o.CustomerID, "people.leave") != 1 {
		t.Error("it is not recorded")
	}
}

// TestPeople_ownersRemoveEachOther: of two owners who remove each other in the same moment one stays, by the rule; and by the
// database, when two transactions do it without the rule.
func TestPeople_ownersRemoveEachOther(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	for round := range 5 {
		o := a.owner(t, "owner"+string(rune('a'+round))+"@example.com")
		second := a.joined(t, o, "second"+string(rune('a'+round))+"@example.com", true, true)
		_, err := a.SetRights(t.Context(), o.CustomerID, second.ID, account.Rights{Role: account.Owner}, by(o))
		must(t, err)
		errs := make(chan error, 2)
		go func() { _, err := a.Remove(t.Context(), o.CustomerID, second.ID, by(o)); errs <- err }()
		go func() { _, err := a.Remove(t.Context(), o.CustomerID, o.ID, by(second)); errs <- err }()
		if err1, err2 := <-errs, <-errs; (err1 == nil) == (err2 == nil) {
			t.Errorf("both or none: %v, %v", err1, err2)
		}
	}
	o := a.owner(t, "guard@example.com")
	second := a.joined(t, o, "guard2@example.com", true, true)
	_, err := a.SetRights(t.Context(), o.CustomerID, second.ID, account.Rights{Role: account.Owner}, by(o))
	must(t, err)
	demote := "UPDATE users SET role = 'member' WHERE id = $1"
	tx, err := a.db.Pool.Begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = tx.Exec(t.Context(), demote, o.ID)
	must(t, err)
	late := make(chan error, 1)
	go func() { _, err := a.db.Pool.Exec(t.Context(), demote, second.ID); late <- err }()
	must(t, tx.Commit(t.Context()))
	if err := <-late; err == nil {
		t.Error("the database let two transactions take the last owner")
	}
}
