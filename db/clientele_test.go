package db_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/clientele"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/staff"
	"gatehouse/app/work"
	"gatehouse/db"
)

// clients is what our staff do with customers over a database of its own, with one who may write and one who may look.
type clients struct {
	*accounts
	kept         *clientele.Service
	clerk, looks audit.Actor
}

func newClients(t *testing.T) *clients {
	t.Helper()
	c := &clients{accounts: newAccounts(t)}
	c.kept = &clientele.Service{Store: &db.Clientele{DB: c.db, Jobs: c.q}, Now: c.Now}
	people := &staff.Service{Store: &db.Staff{DB: c.db, Keys: keyring(t, 1), Jobs: c.q}, Hasher: c.Hasher, Now: c.Now, Tries: c.Tries}
	for to, role := range map[*audit.Actor]staff.Role{&c.clerk: staff.Manager, &c.looks: staff.Support} {
		m, _, err := people.Create(t.Context(), staff.NewMember{
			Email: strings.ToLower(string(role)) + "@example.com", Role: role, Password: pass,
		}, audit.Itself)
		must(t, err)
		*to = as(m)
	}
	return c
}

var bakery = clientele.Facts{Name: "Example Bakery", Address: "1 Some Street\nVienna", TimeZone: "Europe/Vienna", Locale: "de"}

func (c *clients) create(t *testing.T, email string) clientele.Card {
	t.Helper()
	v, err := c.kept.Create(t.Context(), bakery, email, c.clerk)
	must(t, err)
	return v
}

// first is the letter to who is invited.
func (c *clients) first(t *testing.T) account.Letter {
	t.Helper()
	return c.letter(t, account.LetterInvite)
}

// TestClientele_create: a customer whom our staff made has no people; who is invited joins once as its owner, in the language that was
// chosen, and orders like everybody.
func TestClientele_create(t *testing.T) {
	t.Parallel()
	c := newClients(t)
	v := c.create(t, " Owner@Example.com ")
	i, err := c.kept.First(t.Context(), v.ID)
	must(t, err)
	if i.Mailed || i.Email != "Owner@Example.com" || i.Role != account.Owner {
		t.Errorf("before the mail: %+v", i)
	}
	l := c.first(t)
	if l.Template != account.LetterFirst || l.To != "Owner@Example.com" || l.Locale != "de" || l.Business != bakery.Name || l.By != "" {
		t.Errorf("the letter: %+v", l)
	}
	if i, err = c.kept.First(t.Context(), v.ID); err != nil || !i.Mailed {
		t.Errorf("after the mail: %+v, %v", i, err)
	}
	u, err := c.Join(t.Context(), l.Token, account.Join{Name: "A baker", Password: pass})
	must(t, err)
	if u.Role != account.Owner || u.CustomerID != v.ID || !u.Verified() {
		t.Errorf("joined: %+v", u)
	}
	_, err = c.Join(t.Context(), l.Token, account.Join{Name: "Another", Password: pass})
	wantErr(t, err, account.ErrInvitation)
	_, err = c.kept.First(t.Context(), v.ID)
	wantErr(t, err, clientele.ErrNotInvited)
	got, err := c.kept.Find(t.Context(), v.ID)
	must(t, err)
	want := v
	want.Owner, want.Invited = "Owner@Example.com", ""
	if got != want {
		t.Errorf("kept: %+v, want %+v", got, want)
	}
	if _, err := c.orders.Create(t.Context(), v.ID, u, order.Choice{Plan: "build", Region: order.EU}); err != nil {
		t.Errorf("order: %v", err)
	}
	if m, err := c.Recipient(t, u.ID); err != nil || m.Locale != "de" {
		t.Errorf("mails to them: %+v, %v", m, err)
	}
	if n := c.recorded(t, v.ID, "customer.create"); n != 1 {
		t.Errorf("%d records", n)
	}
}

// Recipient is the person as letters see them.
func (c *clients) Recipient(t *testing.T, id account.UserID) (account.User, error) {
	t.Helper()
	return c.Store.Recipient(t.Context(), id)
}

// TestClientele_addresses: an address belongs to one business, and is invited to one at a time, also by two at once.
func TestClientele_addresses(t *testing.T) {
	t.Parallel()
	c := newClients(t)
	known := c.owner(t, "known@example.com")
	_, err := c.kept.Create(t.Context(), bakery, "KNOWN@example.com", c.clerk)
	wantErr(t, err, clientele.ErrTaken)
	errs := make([]error, 4)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { _, errs[i] = c.kept.Create(t.Context(), bakery, "new@example.com", c.clerk) })
	}
	all.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		wantErr(t, err, clientele.ErrInvited)
	}
	of, err := c.kept.List(t.Context(), page.Ask{})
	must(t, err)
	if made != 1 || len(of.Items) != 2 || of.Items[0].Invited != "new@example.com" || of.Items[1].Owner != "known@example.com" {
		t.Fatalf("%d made: %+v", made, of.Items)
	}
	v := of.Items[0]
	before := c.first(t).Token
	_, err = c.kept.Invite(t.Context(), v.ID, "known@example.com", c.clerk)
	wantErr(t, err, clientele.ErrTaken)
	_, err = c.PeekInvitation(t.Context(), before)
	must(t, err) // what was refused left the invitation as it was
	_, err = c.kept.Invite(t.Context(), v.ID, "other@example.com", c.clerk)
	must(t, err)
	_, err = c.PeekInvitation(t.Context(), before)
	wantErr(t, err, account.ErrInvitation)
	after := c.first(t)
	if after.To != "other@example.com" {
		t.Errorf("invited again: %+v", after)
	}
	email, err := c.kept.Withdraw(t.Context(), v.ID, c.clerk)
	if err != nil || email != "other@example.com" {
		t.Errorf("withdrawn: %q, %v", email, err)
	}
	_, err = c.PeekInvitation(t.Context(), after.Token)
	wantErr(t, err, account.ErrInvitation)
	_, err = c.kept.Withdraw(t.Context(), v.ID, c.clerk)
	wantErr(t, err, clientele.ErrNotInvited)
	_, err = c.kept.Invite(t.Context(), known.CustomerID, "third@example.com", c.clerk)
	wantErr(t, err, clientele.ErrJoined)
	for action, want := range map[string]int{"customer.create": 1, "customer.invite": 1, "customer.uninvite": 1} {
		if n := c.recorded(t, v.ID, action); n != want {
			t.Errorf("%s is recorded %d times, want %d", action, n, want)
		}
	}
	// Somebody who signs up by themselves meanwhile gets no mail that could be followed.
	c.create(t, "late@example.com")
	c.signUp(t, "late@example.com")
	_, err = c.Letter(t.Context(), c.asked(t))
	wantKind(t, err, fault.NotFound)
}

// asked is the mail to an invited person that was asked for last.
func (c *clients) asked(t *testing.T) work.SendMail {
	t.Helper()
	for i := len(c.q.items) - 1; i >= 0; i-- {
		if m, ok := c.q.items[i].(work.SendMail); ok && m.Template == account.LetterInvite {
			return m
		}
	}
	t.Fatal("no mail was asked for")
	return work.SendMail{}
}

// TestClientele_change: what does not fit is said by field; what changes is recorded by its name alone, and the server hears of what
// it works with.
func TestClientele_change(t *testing.T) {
	t.Parallel()
	c := newClients(t)
	v := c.create(t, "owner@example.com")
	change := func(f clientele.Facts, by audit.Actor) error {
		_, err := c.kept.Change(t.Context(), v.ID, func(clientele.Facts) clientele.Facts { return f }, by)
		return err
	}
	for field, f := range map[string]clientele.Facts{
		"name":      {Name: "\u202e", TimeZone: "UTC"},
		"address":   {Name: "x", TimeZone: "UTC", Address: strings.Repeat("x\n", 9)},
		"time_zone": {Name: "x", TimeZone: "Local"},
	} {
		if err := change(f, c.clerk); fault.Of(err).Fields[field] == "" || len(fault.Of(err).Fields) != 1 {
			t.Errorf("%s: %v", field, fault.Of(err).Fields)
		}
	}
	wantKind(t, change(bakery, c.looks), fault.Forbidden)
	must(t, change(bakery, c.clerk)) // nothing changes
	if n := c.recorded(t, v.ID, "customer.change"); n != 0 {
		t.Errorf("%d changes recorded", n)
	}
	queued := len(c.q.items)
	next := bakery
	next.Address = "\r\n 2 Other Street \r\nGraz\r\n\r\n"
	must(t, change(next, c.clerk))
	if len(c.q.items) != queued {
		t.Errorf("the server hears of an address: %v", c.q.items[queued:])
	}
	next.Name = "  Other   Bakery "
	must(t, change(next, c.clerk))
	if len(c.q.items) != queued+1 || c.q.items[queued] != (work.RefreshTeam{CustomerID: string(v.ID)}) {
		t.Errorf("the server hears of %v", c.q.items[queued:])
	}
	got, err := c.kept.Find(t.Context(), v.ID)
	must(t, err)
	want := clientele.Facts{Name: "Other Bakery", Address: " 2 Other Street\nGraz", TimeZone: "Europe/Vienna", Locale: "de"}
	if got.Facts != want {
		t.Errorf("kept: %q", got.Facts)
	}
	var details string
	must(t, c.db.Pool.QueryRow(t.Context(), `SELECT string_agg(details::text, ' ' ORDER BY id) FROM audit_log WHERE customer_id = $1
		AND action = 'customer.change'`, v.ID).Scan(&details))
	if details != `{"fields": "address"} {"fields": "name"}` {
		t.Errorf("recorded: %s", details)
	}
	_, err = c.kept.Change(t.Context(), account.CustomerID(id(t)), func(clientele.Facts) clientele.Facts { return bakery }, c.clerk)
	wantKind(t, err, fault.NotFound)
}

// TestClientele_notes: notes are turned over newest first, stay as they are, and who may only look writes none.
func TestClientele_notes(t *testing.T) {
	t.Parallel()
	c := newClients(t)
	v, other := c.create(t, "owner@example.com"), c.create(t, "other@example.com")
	for _, text := range []string{"first", "second\r\nline", "third"} {
		_, err := c.kept.AddNote(t.Context(), v.ID, text, c.clerk)
		must(t, err)
	}
	_, err := c.kept.AddNote(t.Context(), other.ID, "of another", c.clerk)
	must(t, err)
	for _, text := range []string{" \n ", strings.Repeat("x", 4001), "a\x00"} {
		_, err := c.kept.AddNote(t.Context(), v.ID, text, c.clerk)
		wantKind(t, err, fault.Invalid)
	}
	_, err = c.kept.AddNote(t.Context(), v.ID, "x", c.looks)
	wantKind(t, err, fault.Forbidden)
	_, err = c.kept.AddNote(t.Context(), account.CustomerID(id(t)), "x", c.clerk)
	wantKind(t, err, fault.NotFound)
	var read []string
	for ask := (page.Ask{Limit: 2}); ; {
		of, err := c.kept.Notes(t.Context(), v.ID, ask)
		must(t, err)
		for _, n := range of.Items {
			read = append(read, n.Text)
			if n.By != c.clerk.Name || !n.At.Equal(t0) {
				t.Errorf("%+v", n)
			}
		}
		if ask.After = of.Next; of.Next == "" {
			break
		}
	}
	if strings.Join(read, "|") != "third|second\nline|first" {
		t.Errorf("read %q", read)
	}
	for _, q := range []string{"UPDATE customer_notes SET text = 'x'", "DELETE FROM customer_notes", "TRUNCATE customer_notes"} {
		if _, err := c.db.Pool.Exec(t.Context(), q); err == nil {
			t.Errorf("%s: done", q)
		}
	}
	if n := c.recorded(t, v.ID, "customer.note"); n != 3 {
		t.Errorf("%d records", n)
	}
}

// TestClientele_list: customers are found by who is invited too, and each comes once.
func TestClientele_list(t *testing.T) {
	t.Parallel()
	c := newClients(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		c.at(time.Duration(name[0]) * time.Second)
		c.create(t, name+"@example.com")
	}
	seen, ask := "", page.Ask{Limit: 2}
	for {
		of, err := c.kept.List(t.Context(), ask)
		must(t, err)
		for _, v := range of.Items {
			seen += v.Invited[:1]
		}
		if ask.After = of.Next; of.Next == "" {
			break
		}
	}
	found, err := c.kept.List(t.Context(), page.Ask{Search: "C@EXAMPLE"})
	must(t, err)
	if seen != "edcba" || len(found.Items) != 1 || found.Items[0].Invited != "c@example.com" {
		t.Errorf("turned over %q, found %+v", seen, found.Items)
	}
}
