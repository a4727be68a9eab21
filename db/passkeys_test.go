package db_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/passkey"
	"gatehouse/app/passkey/passkeytest"
	"gatehouse/app/staff"
	"gatehouse/app/work"
	"gatehouse/db"
)

// lane is passkeys of staff, at a hub with a name.
type lane struct {
	*access
	keys *passkey.Service
	who  passkey.Owner
}

const at = "https://hub.example.com"

func newLane(t *testing.T) *lane {
	t.Helper()
	l := &lane{access: newAccess(t)}
	var err error
	l.keys, err = passkey.New(&db.Passkeys{DB: l.db, Jobs: l.jobs}, at, func() time.Time { return l.now })
	must(t, err)
	l.who = passkey.Owner{Kind: passkey.Staff, ID: string(l.owner.ID), Email: l.owner.Email}
	return l
}

func aPhone(t *testing.T) *passkeytest.Authenticator {
	t.Helper()
	return passkeytest.New(t, at, "hub.example.com")
}

// adds adds the passkey of an authenticator.
func (l *lane) adds(t *testing.T, a *passkeytest.Authenticator) (passkey.Passkey, error) {
	t.Helper()
	q, err := l.keys.BeginAdd(t.Context(), l.who)
	must(t, err)
	return l.keys.FinishAdd(t.Context(), l.who, q.Challenge, " My  phone ", a.Make(q), as(l.owner))
}

// enters signs in with an authenticator.
func (l *lane) enters(t *testing.T, a *passkeytest.Authenticator) (passkey.Owner, error) {
	t.Helper()
	q, err := l.keys.BeginEnter(t.Context(), passkey.Staff)
	must(t, err)
	return l.keys.FinishEnter(t.Context(), passkey.Staff, q.Challenge, a.Sign(q))
}

// TestPasskeys: one is added under a name, signs in, is listed with its use, gets another name, and signs in no more once it is removed.
func TestPasskeys(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	phone := aPhone(t)
	added, err := l.adds(t, phone)
	must(t, err)
	if who, err := l.enters(t, phone); err != nil || who.ID != l.who.ID || who.Kind != passkey.Staff {
		t.Errorf("signed in as %+v, %v", who, err)
	}
	list, err := l.keys.Of(t.Context(), l.who)
	must(t, err)
	if len(list) != 1 || list[0].Name != "My phone" || !list[0].UsedAt.Equal(l.now) {
		t.Errorf("listed: %+v", list)
	}
	if _, err := l.adds(t, phone); !errors.Is(err, passkey.ErrKnown) {
		t.Errorf("added twice: %v", err)
	}
	other := l.who
	other.ID = "0190a000-0000-7000-8000-00000000000f"
	_, err = l.keys.Rename(t.Context(), other, added.ID, "Mine now", as(l.owner))
	wantErr(t, err, passkey.ErrGone)
	renamed, err := l.keys.Rename(t.Context(), l.who, added.ID, "  Old   phone ", as(l.owner))
	must(t, err)
	if list, err = l.keys.Of(t.Context(), l.who); err != nil || renamed != "Old phone" || list[0].Name != renamed {
		t.Errorf("called %q, listed %+v, %v", renamed, list, err)
	}
	wantErr(t, l.keys.Remove(t.Context(), other, added.ID, as(l.owner)), passkey.ErrGone)
	must(t, l.keys.Remove(t.Context(), l.who, added.ID, as(l.owner)))
	_, err = l.enters(t, phone)
	wantErr(t, err, passkey.ErrUnknown)
	want := work.SendMail{Template: staff.LetterPasskey, UserID: l.who.ID, Ref: added.ID}
	if n := slices.Index(l.jobs.items, work.Item(want)); n < 0 {
		t.Errorf("nobody was mailed of it: %v", l.jobs.items)
	}
	letter, err := l.Letter(t.Context(), want)
	must(t, err)
	if letter.To != l.owner.Email || letter.Token != "" {
		t.Errorf("the letter goes to %q with %q", letter.To, letter.Token)
	}
	if got := l.actions(t); !slices.Equal(got[:3], []string{"passkey.remove", "passkey.rename", "passkey.add"}) {
		t.Errorf("on record: %v", got)
	}
}

// TestPasskeys_refused: a challenge is answered once, in time, for what it was made; the answer is for this hub, from somebody
// whom the authenticator knew, with the kept key and a counter that went on.
func TestPasskeys_refused(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	phone := aPhone(t)
	phone.Count = 5
	_, err := l.adds(t, phone)
	must(t, err)
	_, err = l.enters(t, phone)
	must(t, err)

	q, err := l.keys.BeginEnter(t.Context(), passkey.Staff)
	must(t, err)
	answer := phone.Sign(q)
	_, err = l.keys.FinishEnter(t.Context(), passkey.User, q.Challenge, answer)
	wantErr(t, err, passkey.ErrOver) // asked for our staff
	var worked atomic.Int32
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if _, err := l.keys.FinishEnter(context.WithoutCancel(t.Context()), passkey.Staff, q.Challenge, answer); err == nil {
				worked.Add(1)
			}
		})
	}
	if all.Wait(); worked.Load() != 1 {
		t.Errorf("one challenge let in %d times", worked.Load())
	}
	q, err = l.keys.BeginEnter(t.Context(), passkey.Staff)
	must(t, err)
	_, err = l.keys.FinishEnter(t.Context(), passkey.Staff, q.Challenge, answer) // of the challenge before
	wantErr(t, err, passkey.ErrAnswer)
	q, err = l.keys.BeginEnter(t.Context(), passkey.Staff)
	must(t, err)
	l.now = l.now.Add(5 * time.Minute)
	_, err = l.keys.FinishEnter(t.Context(), passkey.Staff, q.Challenge, phone.Sign(q))
	wantErr(t, err, passkey.ErrOver)

	for name, c := range map[string]struct {
		change func(*passkeytest.Authenticator)
		want   error
	}{
		"another origin":         {func(a *passkeytest.Authenticator) { a.Origin = at + ".example" }, passkey.ErrAnswer},
		"another port":           {func(a *passkeytest.Authenticator) { a.Origin = at + ":8443" }, passkey.ErrAnswer},
		"another party":          {func(a *passkeytest.Authenticator) { a.Party = "example.com" }, passkey.ErrAnswer},
		"nobody verified":        {func(a *passkeytest.Authenticator) { a.Flags = passkeytest.Present }, passkey.ErrAnswer},
		"nobody present":         {func(a *passkeytest.Authenticator) { a.Flags = passkeytest.Verified }, passkey.ErrAnswer},
		"somebody's handle":      {func(a *passkeytest.Authenticator) { a.Handle = []byte("a handle for approving") }, passkey.ErrAnswer},
		"a copy":                 {func(a *passkeytest.Authenticator) { a.Count = 1 }, passkey.ErrCopied},
		"one of no kept passkey": {func(a *passkeytest.Authenticator) { *a = *aPhone(t) }, passkey.ErrUnknown},
	} {
		a := *phone
		c.change(&a)
		if _, err := l.enters(t, &a); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	wrongKey := aPhone(t)
	wrongKey.ID, wrongKey.Handle, wrongKey.Count = phone.ID, phone.Handle, 50
	_, err = l.enters(t, wrongKey)
	wantErr(t, err, passkey.ErrAnswer)
	if _, err := l.enters(t, phone); err != nil { // nothing of that has hurt it
		t.Errorf("the passkey itself: %v", err)
	}
	away := aPhone(t)
	away.Origin = "https://elsewhere.example"
	_, err = l.adds(t, away)
	wantErr(t, err, passkey.ErrAnswer)
	if err := raw(t, l.db, "UPDATE passkeys SET sign_count = 0"); err == nil {
		t.Error("a counter goes back")
	}
}

// TestPasskeys_end: who is switched off, or whose second step was reset, has no passkey left.
func TestPasskeys_end(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	boss := l.owner
	for i, end := range []func(staff.ID) error{
		func(id staff.ID) error { _, err := l.SwitchOff(t.Context(), id, as(boss)); return err },
		func(id staff.ID) error { _, err := l.ResetSecond(t.Context(), id, as(boss)); return err },
	} {
		m, _ := l.add(t, []string{"one@example.com", "two@example.com"}[i], staff.Admin)
		l.owner, l.who.ID = m, string(m.ID)
		phone := aPhone(t)
		_, err := l.adds(t, phone)
		must(t, err)
		must(t, end(m.ID))
		_, err = l.enters(t, phone)
		wantErr(t, err, passkey.ErrUnknown)
	}
	numbered, err := passkey.New(&db.Passkeys{DB: l.db, Jobs: l.jobs}, "http://127.0.0.1:8080", time.Now)
	must(t, err)
	_, err = numbered.BeginAdd(t.Context(), l.who)
	wantErr(t, err, passkey.ErrNowhere)
	_, err = numbered.FinishAdd(t.Context(), l.who, "x", "", "{}", audit.Itself)
	wantErr(t, err, passkey.ErrNowhere)
}
