package db_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/account/accounttest"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/work"
	"gatehouse/db"
)

const pass = "correct staple battery"

// accounts is the service over a database of its own, with a clock that the test moves.
type accounts struct {
	*account.Service
	orders *order.Service
	db     *db.DB
	q      *queue
	now    atomic.Int64 // nanoseconds after t0
}

func (a *accounts) at(d time.Duration) { a.now.Store(int64(d)) }

func newAccounts(t *testing.T) *accounts {
	t.Helper()
	a := &accounts{db: fresh(t), q: &queue{}}
	now := func() time.Time { return t0.Add(time.Duration(a.now.Load())) }
	a.Service = &account.Service{
		Store: &db.Accounts{DB: a.db, Jobs: a.q}, Hasher: accounttest.Hasher(), Tries: account.NewTries(10, time.Minute, now), Now: now,
	}
	a.orders = &order.Service{Store: &db.Orders{DB: a.db, Jobs: a.q}, Accounts: a.Service, Notify: deaf{}, Now: now}
	return a
}

func (a *accounts) signUp(t *testing.T, email string) account.User {
	t.Helper()
	u, _, err := a.orders.Checkout(t.Context(), account.SignUp{Name: "Somebody", Email: email, Password: pass}, order.Choice{Plan: "build"})
	must(t, err)
	return u
}

// letter makes the letter that was asked for last.
func (a *accounts) letter(t *testing.T, template string) account.Letter {
	t.Helper()
	for i := len(a.q.items) - 1; i >= 0; i-- {
		if m, ok := a.q.items[i].(work.SendMail); ok && m.Template == template {
			l, err := a.Letter(t.Context(), m)
			must(t, err)
			return l
		}
	}
	t.Fatalf("no %s letter was asked for: %v", template, a.q.items)
	return account.Letter{}
}

func TestAccounts_signIn(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	u := a.signUp(t, "Someone@example.com")
	got, err := a.SignIn(t.Context(), "SOMEONE@EXAMPLE.COM ", pass)
	if err != nil || got != u {
		t.Errorf("signed in as %+v, %v; want %+v", got, err, u)
	}
	for _, c := range []struct{ situation, email, password string }{
		{"wrong password", "someone@example.com", "wrong staple battery"},
		{"nobody", "nobody@example.com", pass},
		{"no password", "someone@example.com", ""},
	} {
		if _, err := a.SignIn(t.Context(), c.email, c.password); !errors.Is(err, account.ErrWrong) {
			t.Errorf("%s: %v", c.situation, err)
		}
	}
}

// TestAccounts_signIn_sameWorkForNobody: a sign-in tells by its time nothing of who is known, for the password of nobody is
// hashed as well. What shows the work is its memory, of which a hash takes 19 MiB and everything else next to none.
func TestAccounts_signIn_sameWorkForNobody(t *testing.T) { // not parallel: others allocate as well
	a := newAccounts(t)
	a.Hasher = account.NewHasher()
	a.signUp(t, "someone@example.com")
	a.Hasher.Dummy() // made once, before the first sign-in is looked at
	for _, email := range []string{"someone@example.com", "nobody@example.com"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := a.SignIn(t.Context(), email, "wrong staple battery")
		runtime.ReadMemStats(&after)
		wantErr(t, err, account.ErrWrong)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took < 19 || took > 30 {
			t.Errorf("%s: %d MiB, want one hash", email, took)
		}
	}
}

func TestAccounts_signIn_tenTriesAMinute(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.signUp(t, "someone@example.com")
	for range 10 {
		_, err := a.SignIn(t.Context(), "someone@example.com", "wrong staple battery")
		wantErr(t, err, account.ErrWrong)
	}
	_, err := a.SignIn(t.Context(), "Someone@Example.com", pass)
	wantErr(t, err, account.ErrTooMany)
	a.at(time.Minute)
	_, err = a.SignIn(t.Context(), "someone@example.com", pass)
	must(t, err)
}

func TestAccounts_verify(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	u := a.signUp(t, "someone@example.com")
	l := a.letter(t, "verify")
	if l.To != u.Email || l.Name != u.Name || len(l.Token) < 43 {
		t.Errorf("letter %+v", l)
	}
	if in, err := a.Inside(t.Context(), u.CustomerID); err != nil || len(in) != 0 {
		t.Errorf("inside before: %v, %v", in, err)
	}
	_, err := a.Reset(t.Context(), l.Token, "another staple battery", "")
	wantErr(t, err, account.ErrLink) // a link of one kind is none of another
	a.at(29 * time.Minute)
	got, err := a.Verify(t.Context(), l.Token)
	if err != nil || got.ID != u.ID || !got.Verified() {
		t.Errorf("verified %+v, %v", got, err)
	}
	if in, err := a.Inside(t.Context(), u.CustomerID); err != nil || len(in) != 1 || in[0] != u.Email {
		t.Errorf("inside after: %v, %v", in, err)
	}
	want := work.RefreshTeam{CustomerID: string(u.CustomerID), UserID: string(u.ID)}
	if last := a.q.items[len(a.q.items)-1]; last != want {
		t.Errorf("asked for %+v, want %+v", last, want)
	}
	before := len(a.q.items)
	must(t, a.AskVerify(t.Context(), u.CustomerID, u.ID))
	if len(a.q.items) != before {
		t.Error("a proven address was asked to be proven again")
	}
}

func TestAccounts_linkRunsOut(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.signUp(t, "someone@example.com")
	l := a.letter(t, "verify")
	a.at(30 * time.Minute)
	_, err := a.Verify(t.Context(), l.Token)
	wantErr(t, err, account.ErrLink)
	wantKind(t, err, fault.Gone)
	_, err = a.Verify(t.Context(), "never-a-token")
	wantErr(t, err, account.ErrLink)
}

func TestAccounts_reset(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	u := a.signUp(t, "someone@example.com")
	must(t, a.AskReset(t.Context(), "nobody@example.com")) // the same answer for nobody
	must(t, a.AskReset(t.Context(), "someone@example.com"))
	older := a.letter(t, "reset")
	l := a.letter(t, "reset")
	must(t, a.PeekReset(t.Context(), l.Token))
	_, err := a.Reset(t.Context(), l.Token, "short", "")
	wantKind(t, err, fault.Invalid)
	got, err := a.Reset(t.Context(), l.Token, "another staple battery", "")
	if err != nil || got.ID != u.ID || !got.Verified() {
		t.Errorf("reset %+v, %v", got, err)
	}
	for _, used := range []string{l.Token, older.Token} {
		wantErr(t, a.PeekReset(t.Context(), used), account.ErrLink)
	}
	_, err = a.SignIn(t.Context(), "someone@example.com", pass)
	wantErr(t, err, account.ErrWrong)
	_, err = a.SignIn(t.Context(), "someone@example.com", "another staple battery")
	must(t, err)
}

// TestAccounts_reset_endsTokens: a token that somebody else made with the old password opens nothing more; those of other
// people, and one that is made afterwards, do.
func TestAccounts_reset_endsTokens(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	u, other := a.signUp(t, "someone@example.com"), a.signUp(t, "other@example.com")
	tokens := &account.Tokens{Store: &db.Tokens{DB: a.db}, Now: a.Now}
	issue := func(u account.User) string {
		secret, _, err := tokens.IssueToUser(t.Context(), u, "script", 0, audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email})
		must(t, err)
		return secret
	}
	old, theirs := issue(u), issue(other)
	must(t, a.AskReset(t.Context(), u.Email))
	_, err := a.Reset(t.Context(), a.letter(t, "reset").Token, "another staple battery", "")
	must(t, err)
	_, err = tokens.Authenticate(t.Context(), old)
	wantErr(t, err, account.ErrToken)
	if left, err := tokens.List(t.Context(), u.CustomerID); err != nil || len(left) != 0 {
		t.Errorf("still listed: %+v, %v", left, err)
	}
	for _, good := range []string{theirs, issue(u)} {
		_, err := tokens.Authenticate(t.Context(), good)
		must(t, err)
	}
}

func TestAccounts_reset_twentyAtOnce(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.signUp(t, "someone@example.com")
	l := a.letter(t, "verify")
	var won, gone atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			switch _, err := a.Verify(t.Context(), l.Token); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, account.ErrLink):
				gone.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || gone.Load() != 19 {
		t.Errorf("%d uses of one link worked, %d did not", won.Load(), gone.Load())
	}
}

func TestAccounts_otherCustomer(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	u, other := a.signUp(t, "someone@example.com"), a.signUp(t, "other@example.com")
	_, err := a.User(t.Context(), other.CustomerID, u.ID)
	wantKind(t, err, fault.NotFound)
	users, err := a.Users(t.Context(), other.CustomerID)
	if err != nil || len(users) != 1 || users[0].ID != other.ID {
		t.Errorf("people of the other customer: %+v, %v", users, err)
	}
	by := audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email}
	must(t, a.SetTimeZone(t.Context(), u.CustomerID, "Asia/Tokyo", by))
	if last, want := a.q.items[len(a.q.items)-1], (work.RefreshTeam{CustomerID: string(u.CustomerID), UserID: string(u.ID)}); last != want {
		t.Errorf("asked for %+v, want %+v", last, want)
	}
	wantKind(t, a.SetTimeZone(t.Context(), u.CustomerID, "Local", by), fault.Invalid)
	must(t, a.SetLocale(t.Context(), u.CustomerID, u.ID, "de", by))
	wantKind(t, a.SetLocale(t.Context(), other.CustomerID, u.ID, "en", by), fault.NotFound)
	if got, err := a.User(t.Context(), u.CustomerID, u.ID); err != nil || got.Locale != "de" {
		t.Errorf("the language is %q, %v", got.Locale, err)
	}
	mine, err := a.Customer(t.Context(), u.CustomerID)
	must(t, err)
	theirs, err := a.Customer(t.Context(), other.CustomerID)
	must(t, err)
	if mine.TimeZone != "Asia/Tokyo" || theirs.TimeZone != "UTC" {
		t.Errorf("zones %s and %s", mine.TimeZone, theirs.TimeZone)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	u, other := a.signUp(t, "someone@example.com"), a.signUp(t, "other@example.com")
	tokens := &account.Tokens{Store: &db.Tokens{DB: a.db}, Now: a.Now}
	by := audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email}
	secret, tok, err := tokens.IssueToUser(t.Context(), u, "script", time.Hour, by)
	must(t, err)
	if secret[:4] != "gth_" || tok.Hint != secret[len(secret)-4:] {
		t.Errorf("token %q, hint %q", secret[:4], tok.Hint)
	}
	b, err := tokens.Authenticate(t.Context(), secret)
	if err != nil || b.Token.CustomerID != u.CustomerID || b.Token.UserID != u.ID ||
		b.Token.Scope != account.ScopeCustomer {
		t.Fatalf("%+v, %v", b, err)
	}
	if b.Email != u.Email || b.Role != "owner" {
		t.Errorf("bearer %+v, %v", b, err)
	}
	var dump string
	must(t, a.db.Pool.QueryRow(t.Context(), "SELECT string_agg(t::text, '') FROM api_tokens t").Scan(&dump))
	if contains(dump, secret[4:]) {
		t.Error("the database holds the token itself")
	}
	for _, wrong := range []string{"", "gth_", secret + "x", secret[4:], "gth_" + secret} {
		_, err := tokens.Authenticate(t.Context(), wrong)
		wantErr(t, err, account.ErrToken)
	}
	for _, name := range []string{"", " ", "a\x00", "a\xff", "a\u202eb", strings.Repeat("x", 61)} {
		_, _, err := tokens.IssueToUser(t.Context(), u, name, 0, by)
		wantKind(t, err, fault.Invalid)
	}
	wantKind(t, tokens.Revoke(t.Context(), other.CustomerID, tok.ID, by), fault.NotFound)
	if l, err := tokens.List(t.Context(), other.CustomerID); err != nil || len(l) != 0 {
		t.Errorf("the other customer sees %+v, %v", l, err)
	}
	a.at(59 * time.Minute)
	_, err = tokens.Authenticate(t.Context(), secret)
	must(t, err)
	a.at(time.Hour)
	_, err = tokens.Authenticate(t.Context(), secret)
	wantErr(t, err, account.ErrToken)

	lasting, tok, err := tokens.IssueToUser(t.Context(), u, "lasting", 0, by)
	must(t, err)
	a.at(1000 * time.Hour)
	_, err = tokens.Authenticate(t.Context(), lasting)
	must(t, err)
	must(t, tokens.Revoke(t.Context(), u.CustomerID, tok.ID, by))
	_, err = tokens.Authenticate(t.Context(), lasting)
	wantErr(t, err, account.ErrToken)
}
