package db_test

import (
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/second"
	"gatehouse/db"
)

// TestProve_byCode: who is signed in proves it by a code of their app, each code once, also one that signed them in; another
// person's code, a backup code and a code without an app prove nothing. The password still does.
func TestProve_byCode(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	a.Seconds = &account.Seconds{Store: &db.Seconds{DB: a.db, Keys: keyring(t, 1), Jobs: a.q}, Now: a.Now}
	u, other := a.signUp(t, "owner@example.com"), a.signUp(t, "other@example.com")
	prove := func(who account.User, typed string) error {
		return a.Prove(t.Context(), who.CustomerID, who.ID, who.Email, typed)
	}
	wantErr(t, prove(u, "123456"), account.ErrProofCode)
	must(t, a.Seconds.Begin(t.Context(), u.CustomerID, u.ID, u.Email))
	step, err := a.Seconds.Of(t.Context(), u.CustomerID, u.ID)
	must(t, err)
	at := func(d time.Duration) string {
		t.Helper()
		a.at(d)
		code, err := second.CodeAt(step.Factor.Secret, a.Now())
		must(t, err)
		return code
	}
	wantErr(t, prove(u, at(0)), account.ErrProofCode) // begun, and not proven yet
	by := audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email}
	backup, err := a.Seconds.Confirm(t.Context(), u.CustomerID, u.ID, at(time.Minute), by)
	must(t, err)
	wantErr(t, prove(u, at(time.Minute)), account.ErrProofCode) // it has set the app up
	code := at(2 * time.Minute)
	wantErr(t, prove(other, code), account.ErrProofCode)
	must(t, prove(u, " "+code[:3]+" "+code[3:]))
	wantErr(t, prove(u, code), account.ErrProofCode)
	code = at(3 * time.Minute)
	_, _, err = a.Seconds.Check(t.Context(), u.CustomerID, u.ID, code) // at the sign-in
	must(t, err)
	wantErr(t, prove(u, code), account.ErrProofCode)
	wantErr(t, prove(u, backup[0]), account.ErrPassword)
	wantErr(t, prove(u, "not the password of anybody"), account.ErrPassword)
	must(t, prove(u, pass))
	for range 9 {
		err = prove(u, "000000")
	}
	wantErr(t, err, second.ErrCodeOut)
	must(t, prove(u, pass))
}
