package db_test

import (
	"bytes"
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
	"gatehouse/app/staff"
	"gatehouse/db"
)

func keyring(t testing.TB, fill byte) *db.Keyring {
	t.Helper()
	k, err := db.NewKeyring(bytes.Repeat([]byte{fill}, 32))
	must(t, err)
	return k
}

// newStaff is the service over a database of its own, with one member.
func newStaff(t *testing.T) (*staff.Service, *db.DB, staff.Member, second.Factor) {
	t.Helper()
	d := fresh(t)
	now := func() time.Time { return t0 }
	s := &staff.Service{
		Store: &db.Staff{DB: d, Keys: keyring(t, 1)}, Hasher: accounttest.Hasher(),
		Tries: account.NewTries(10, time.Minute, now), Now: now,
	}
	m, factor, err := s.Create(t.Context(), staff.NewMember{Email: "Staff@example.com", Role: staff.Support, Password: pass}, audit.Itself)
	must(t, err)
	return s, d, m, factor
}

func TestStaff_signIn(t *testing.T) {
	t.Parallel()
	s, d, m, factor := newStaff(t)
	got, err := s.Password(t.Context(), "staff@EXAMPLE.com", pass)
	if err != nil || got != m {
		t.Fatalf("signed in %+v, %v; want %+v", got, err, m)
	}
	for _, c := range []struct{ email, password string }{{"staff@example.com", "wrong staple battery"}, {"nobody@example.com", pass}} {
		_, err := s.Password(t.Context(), c.email, c.password)
		wantErr(t, err, account.ErrWrong)
	}
	code, err := second.CodeAt(factor.Secret, t0)
	must(t, err)
	_, err = s.Code(t.Context(), m.ID, code)
	must(t, err)
	_, err = d.Pool.Exec(t.Context(), "UPDATE staff SET off_at = now()")
	must(t, err)
	_, err = s.Password(t.Context(), "staff@example.com", pass)
	wantErr(t, err, account.ErrWrong)
	_, err = s.Get(t.Context(), m.ID)
	wantKind(t, err, fault.NotFound)
}

func TestStaff_code_twentyAtOnce(t *testing.T) {
	t.Parallel()
	s, _, m, factor := newStaff(t)
	code, err := second.CodeAt(factor.Secret, t0)
	must(t, err)
	var won, refused atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			switch _, err := s.Code(t.Context(), m.ID, code); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, second.ErrCode), errors.Is(err, second.ErrCodeOut):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || refused.Load() != 19 {
		t.Errorf("one code: %d sign-ins, %d refusals", won.Load(), refused.Load())
	}
}

func TestStaff_code_triesAreCountedAcrossCalls(t *testing.T) {
	t.Parallel()
	s, _, m, factor := newStaff(t)
	right, err := second.CodeAt(factor.Secret, t0)
	must(t, err)
	wrong := "000000"
	if right == wrong {
		wrong = "000001"
	}
	for range 5 {
		_, err := s.Code(t.Context(), m.ID, wrong)
		wantErr(t, err, second.ErrCode)
	}
	_, err = s.Code(t.Context(), m.ID, right)
	wantErr(t, err, second.ErrCodeOut)
}

// TestStaff_secretAtRest looks for the secret in what a stolen database would hold, and moves ciphertexts around.
func TestStaff_secretAtRest(t *testing.T) {
	t.Parallel()
	s, d, m, factor := newStaff(t)
	other, _, err := s.Create(t.Context(), staff.NewMember{Email: "other@example.com", Role: staff.Owner, Password: pass}, audit.Itself)
	must(t, err)
	var box []byte
	must(t, d.Pool.QueryRow(t.Context(), "SELECT totp_secret FROM staff WHERE id = $1", string(m.ID)).Scan(&box))
	if bytes.Contains(box, []byte(factor.Secret)) {
		t.Error("the database holds the secret in the clear")
	}
	const swap = "UPDATE staff SET totp_secret = (SELECT totp_secret FROM staff WHERE id = $1) WHERE id = $2"
	_, err = d.Pool.Exec(t.Context(), swap, string(m.ID), string(other.ID))
	must(t, err)
	code, err := second.CodeAt(factor.Secret, t0)
	must(t, err)
	_, err = s.Code(t.Context(), other.ID, code)
	wantErr(t, err, db.ErrSealed)
	wrongKey := *s
	wrongKey.Store = &db.Staff{DB: d, Keys: keyring(t, 2)}
	_, err = wrongKey.Code(t.Context(), m.ID, code)
	wantErr(t, err, db.ErrSealed)
}

func TestStaff_create(t *testing.T) {
	t.Parallel()
	s, d, m, _ := newStaff(t)
	_, _, err := s.Create(t.Context(), staff.NewMember{Email: "STAFF@example.com", Role: staff.Owner, Password: pass}, audit.Itself)
	wantErr(t, err, staff.ErrTaken)
	_, _, err = s.Create(t.Context(), staff.NewMember{Email: "no", Role: "KING", Password: "short"}, audit.Itself)
	if f := fault.Of(err); len(f.Fields) != 3 {
		t.Errorf("faults %+v", f.Fields)
	}
	all, err := s.List(t.Context())
	if err != nil || len(all) != 1 || all[0] != m {
		t.Errorf("members %+v, %v", all, err)
	}
	log, err := (&db.Audit{DB: d}).List(t.Context(), "", page.Ask{})
	if err != nil || len(log.Items) != 1 || log.Items[0].Action != "staff.create" || log.Items[0].Details["role"] != "SUPPORT" {
		t.Errorf("audit log %+v, %v", log.Items, err)
	}
	for _, sql := range []string{"UPDATE audit_log SET action = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"} {
		if _, err := d.Pool.Exec(t.Context(), sql); db.SQLState(err) != "GH001" {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, err := d.Pool.Exec(t.Context(), "UPDATE staff SET totp_step = 9; UPDATE staff SET totp_step = 8"); db.SQLState(err) != "GH001" {
		t.Errorf("an accepted code was taken back: %v", err)
	}
}
