package db_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/push"
	"gatehouse/app/push/pushtest"
	"gatehouse/app/work"
	"gatehouse/db"
)

// pushing is a person and what their devices are kept by.
type pushing struct {
	d     *db.DB
	of    account.CustomerID
	user  account.UserID
	jobs  *queue
	store *db.PushDevices
	s     *push.Service
	at    *pushtest.Service
}

func devicesOf(t *testing.T) *pushing {
	t.Helper()
	d := fresh(t)
	n := placed(t, d)
	p := &pushing{d: d, of: n.Order.CustomerID, user: n.Account.Owner.ID, jobs: &queue{}, at: pushtest.Start(t, time.Now)}
	ring, err := db.NewKeyring(bytes.Repeat([]byte{7}, 32))
	must(t, err)
	p.store = &db.PushDevices{DB: d, Keys: ring, Jobs: p.jobs}
	p.s = &push.Service{Store: p.store, Local: true, Now: func() time.Time { return t0 }}
	return p
}

func (p *pushing) add(t *testing.T, b *pushtest.Browser, name string) error {
	return p.s.Add(t.Context(), p.of, p.user, name, b.JSON(), audit.Itself)
}

// TestPushDevices_add: a device is listed for its person alone, is told at once what waits, and the same browser again is the
// same device, with its new name.
func TestPushDevices_add(t *testing.T) {
	t.Parallel()
	p := devicesOf(t)
	b := p.at.Subscribe("")
	must(t, p.add(t, b, "  My   phone "))
	all, err := p.s.List(t.Context(), p.of, p.user)
	must(t, err)
	if len(all) != 1 || all[0].Name != "My phone" || !all[0].CreatedAt.Equal(t0) || !all[0].ToldAt.IsZero() {
		t.Fatalf("listed are %+v", all)
	}
	if got := p.jobs.items; len(got) == 0 || got[len(got)-1] != (work.TellDevice{DeviceID: all[0].ID}) {
		t.Errorf("queued are %v", got)
	}
	must(t, p.add(t, b, "Tablet"))
	again, err := p.s.List(t.Context(), p.of, p.user)
	must(t, err)
	if len(again) != 1 || again[0].Name != "Tablet" || again[0].Print != all[0].Print {
		t.Errorf("listed are %+v", again)
	}
	other := placed(t, p.d)
	for who, list := range map[string]func() ([]push.Device, error){
		"another person": func() ([]push.Device, error) { return p.s.List(t.Context(), p.of, other.Account.Owner.ID) },
		"a person of another": func() ([]push.Device, error) {
			return p.s.List(t.Context(), other.Order.CustomerID, other.Account.Owner.ID)
		},
		"this one of another's": func() ([]push.Device, error) { return p.s.List(t.Context(), other.Order.CustomerID, p.user) },
	} {
		if got, err := list(); err != nil || len(got) != 0 {
			t.Errorf("%s sees %v, %v", who, got, err)
		}
	}
	must(t, p.s.Add(t.Context(), other.Order.CustomerID, other.Account.Owner.ID, "Mine now", b.JSON(), audit.Itself))
	if got, err := p.s.List(t.Context(), p.of, p.user); err != nil || len(got) != 0 {
		t.Errorf("a browser in which another person is signed in still tells the first: %v, %v", got, err)
	}
}

// TestPushDevices_othersCannot: nobody changes a device that is not theirs.
func TestPushDevices_othersCannot(t *testing.T) {
	t.Parallel()
	p := devicesOf(t)
	must(t, p.add(t, p.at.Subscribe(""), "Phone"))
	all, err := p.s.List(t.Context(), p.of, p.user)
	must(t, err)
	other := placed(t, p.d)
	of, user, id := other.Order.CustomerID, other.Account.Owner.ID, all[0].ID
	wantKind(t, p.s.Rename(t.Context(), of, user, id, "Theirs"), fault.NotFound)
	wantKind(t, p.s.Test(t.Context(), of, user, id), fault.NotFound)
	wantKind(t, p.s.Remove(t.Context(), of, user, id, audit.Itself), fault.NotFound)
	wantKind(t, p.s.Remove(t.Context(), p.of, p.user, "none", audit.Itself), fault.NotFound)
	must(t, p.s.Rename(t.Context(), p.of, p.user, id, "Work phone"))
	wantKind(t, p.s.Rename(t.Context(), p.of, p.user, id, " "), fault.Invalid)
	wantKind(t, p.s.Rename(t.Context(), p.of, p.user, id, strings.Repeat("x", 61)), fault.Invalid)
	if all, err = p.s.List(t.Context(), p.of, p.user); err != nil || len(all) != 1 || all[0].Name != "Work phone" {
		t.Errorf("listed are %v, %v", all, err)
	}
	must(t, p.s.Remove(t.Context(), p.of, p.user, id, audit.Itself))
	var recorded int
	must(t, p.d.Pool.QueryRow(t.Context(), `SELECT count(*) FROM audit_log
		WHERE action LIKE 'push_device.%' AND target = $1`, id).Scan(&recorded))
	if recorded != 2 {
		t.Errorf("%d records of a device that came and went", recorded)
	}
}

// TestPushDevices_limit: a person has so many devices and no more, also when they are added at once.
func TestPushDevices_limit(t *testing.T) {
	t.Parallel()
	p := devicesOf(t)
	var many int
	var mu sync.Mutex
	var group sync.WaitGroup
	for range push.MaxDevices + 3 {
		b := p.at.Subscribe("")
		group.Go(func() {
			err := p.add(t, b, "Phone")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, push.ErrMany):
				many++
			case err != nil:
				t.Error(err)
			}
		})
	}
	group.Wait()
	all, err := p.s.List(t.Context(), p.of, p.user)
	must(t, err)
	if many != 3 || len(all) != push.MaxDevices {
		t.Errorf("%d devices, %d refused", len(all), many)
	}
}

// TestPushDevices_take: whoever tells a device has it alone, until they give it back or their time is over.
func TestPushDevices_take(t *testing.T) {
	t.Parallel()
	p := devicesOf(t)
	b := p.at.Subscribe("")
	must(t, p.add(t, b, "Phone"))
	all, err := p.s.List(t.Context(), p.of, p.user)
	must(t, err)
	id := all[0].ID
	take := func(now time.Time) (push.Waiting, bool) {
		t.Helper()
		w, held, err := p.store.Take(t.Context(), id, now, now.Add(30*time.Second), 2)
		must(t, err)
		return w, held
	}
	w, held := take(t0)
	if want := (push.Subscription{Endpoint: b.Endpoint, P256dh: b.P256dh, Auth: b.Auth}); held || w.Subscription != want {
		t.Errorf("taken is another device, or none: %t", held)
	}
	if w.Zone == "" || w.Business == "" {
		t.Errorf("taken is %+v", w)
	}
	if _, held = take(t0.Add(29 * time.Second)); !held {
		t.Error("two have it at once")
	}
	if _, held = take(t0.Add(30 * time.Second)); held {
		t.Error("who died holds it for ever")
	}
	must(t, p.store.Told(t.Context(), id, []string{uuid.NewString()}, t0, t0))
	if w, held = take(t0); held || len(w.Told) != 1 || !w.RangAt.Equal(t0) {
		t.Errorf("given back is %+v, %t", w, held)
	}
	must(t, p.store.Gone(t.Context(), id))
	_, _, err = p.store.Take(t.Context(), id, t0, t0, 2)
	wantKind(t, err, fault.NotFound)
}

// TestPushDevices_takeReads: what waits is counted to the end, and listed from the newest on; what ran out or was answered is
// not, nor is another's.
func TestPushDevices_takeReads(t *testing.T) {
	t.Parallel()
	p := devicesOf(t)
	n, srv := withServer(t, p.d)
	p.of, p.user = n.Order.CustomerID, n.Account.Owner.ID
	must(t, p.add(t, p.at.Subscribe(""), "Phone"))
	all, err := p.s.List(t.Context(), p.of, p.user)
	must(t, err)
	other, theirs := withServer(t, p.d)
	pendingOf(t, p.d, other.Order.CustomerID, theirs.ID)
	askedOf(t, p.d, p.of, srv.ID, func(a *approval.Item) { a.ExpiresAt = t0 })
	var newest []string
	for range 3 {
		newest = append([]string{pendingOf(t, p.d, p.of, srv.ID).ID}, newest...)
	}
	w, _, err := p.store.Take(t.Context(), all[0].ID, t0, t0.Add(time.Second), 2)
	must(t, err)
	if w.Count != 3 || len(w.Pending) != 2 || w.Pending[0] != newest[0] || w.Pending[1] != newest[1] {
		t.Errorf("it should show %d: %v of %v", w.Count, w.Pending, newest)
	}
}

// TestHubSecrets: the first who asks makes a secret, all others get the same, and the table does not tell it; another key file
// opens nothing.
func TestHubSecrets(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	ring, err := db.NewKeyring(bytes.Repeat([]byte{7}, 32))
	must(t, err)
	s := &db.HubSecrets{DB: d, Keys: ring}
	var group sync.WaitGroup
	got := make(chan string, 8)
	for range 8 {
		group.Go(func() {
			mine := uuid.NewString()
			v, err := s.Get(t.Context(), "x", func() ([]byte, error) { return []byte(mine), nil })
			if err != nil {
				t.Error(err)
			}
			got <- string(v)
		})
	}
	group.Wait()
	first := <-got
	for range 7 {
		if v := <-got; v != first {
			t.Errorf("two secrets: %s, %s", first, v)
		}
	}
	var row []byte
	must(t, d.Pool.QueryRow(t.Context(), "SELECT sealed FROM hub_secrets").Scan(&row))
	if bytes.Contains(row, []byte(first)) {
		t.Error("the table tells the secret")
	}
	ring, err = db.NewKeyring(bytes.Repeat([]byte{8}, 32))
	must(t, err)
	_, err = (&db.HubSecrets{DB: d, Keys: ring}).Get(t.Context(), "x", nil)
	wantErr(t, err, db.ErrSealed)
}
