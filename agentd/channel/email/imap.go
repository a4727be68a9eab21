package email

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

const (
	dialWithin = 20 * time.Second
	signWithin = 30 * time.Second
	// idleFor is how long one wait for mail lasts at most: a connection that is dead without a word is noticed at its end.
	idleFor  = 9 * time.Minute
	pollEach = time.Minute // where a server cannot say that mail came
)

// inbox is a mailbox that is open for reading.
type inbox struct {
	*imapclient.Client
	came     chan struct{} // one when the server says that there is more
	validity uint32
	next     imap.UID
}

// open connects, signs in and opens the inbox, which it cannot change.
func (m *Mailbox) open(ctx context.Context) (*inbox, error) {
	in := &inbox{came: make(chan struct{}, 1)}
	conn, err := m.dialIMAP(ctx)
	if err != nil {
		return nil, err
	}
	options := &imapclient.Options{TLSConfig: m.tls(m.set.IMAP.Host), UnilateralDataHandler: &imapclient.UnilateralDataHandler{
		Mailbox: func(d *imapclient.UnilateralDataMailbox) {
			if d.NumMessages != nil {
				select {
				case in.came <- struct{}{}:
				default:
				}
			}
		},
	}}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	if in.Client, err = startIMAP(conn, m.set.IMAP.TLS, options); err != nil {
		stop()
		return nil, errors.Join(dialTrouble(err), conn.Close())
	}
	if err := m.signIn(ctx, in); err != nil {
		stop()
		_ = in.Close() // why it could not sign in matters more
		return nil, err
	}
	return in, nil
}

// dialIMAP connects; with implicit TLS the connection is protected when it returns.
func (m *Mailbox) dialIMAP(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	var conn net.Conn
	var err error
	if m.set.IMAP.TLS == wire.MailImplicit {
		d := tls.Dialer{Config: m.tls(m.set.IMAP.Host)}
		conn, err = d.DialContext(ctx, "tcp", addr(m.set.IMAP))
	} else {
		var d net.Dialer
		conn, err = d.DialContext(ctx, "tcp", addr(m.set.IMAP))
	}
	if err != nil {
		return nil, dialTrouble(err)
	}
	return conn, nil
}

func startIMAP(conn net.Conn, way wire.MailTLS, o *imapclient.Options) (*imapclient.Client, error) {
	if way == wire.MailStartTLS {
		return imapclient.NewStartTLS(conn, o)
	}
	c := imapclient.New(conn, o)
	return c, c.WaitGreeting()
}

// signIn signs in and opens the inbox. A server that stays silent is cut off.
func (m *Mailbox) signIn(ctx context.Context, in *inbox) error {
	password, err := m.env.Password(ctx)
	if err != nil {
		return err
	}
	if password.Empty() {
		return errNoPassword
	}
	silent := time.AfterFunc(signWithin, func() { _ = in.Close() })
	defer silent.Stop()
	if err := in.Login(m.set.User, password.Reveal()).Wait(); err != nil {
		var no *imap.Error
		if errors.As(err, &no) && no.Type == imap.StatusResponseTypeNo && no.Code != imap.ResponseCodeUnavailable {
			return errRefused
		}
		return errEnded
	}
	data, err := in.Select("INBOX", &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return fmt.Errorf("open inbox: %w", err)
	}
	in.validity, in.next = data.UIDValidity, data.UIDNext
	return nil
}

func (m *Mailbox) checkIMAP(ctx context.Context) error {
	in, err := m.open(ctx)
	if err != nil {
		return err
	}
	_ = in.Logout().Wait() // how the conversation ends changes nothing of what was found
	_ = in.Close()
	return nil
}

// cursor is how far the mails of an inbox were taken. The numbers of mails hold while the inbox keeps its validity.
type cursor struct {
	validity uint32
	uid      imap.UID
}

func (c cursor) String() string { return fmt.Sprintf("%d:%d", c.validity, c.uid) }

func readCursor(s string) (c cursor, ok bool) {
	a, b, _ := strings.Cut(s, ":")
	validity, err := strconv.ParseUint(a, 10, 32)
	uid, err2 := strconv.ParseUint(b, 10, 32)
	return cursor{uint32(validity), imap.UID(uid)}, err == nil && err2 == nil
}

// Run implements channel.Channel. Of a mailbox that is new here, only what comes from now on is taken.
func (m *Mailbox) Run(ctx context.Context, out chan<- channel.Inbound) error {
	in, err := m.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // the connection has ended, or is given up
	at, known := readCursor(m.env.Cursor)
	criteria := &imap.SearchCriteria{}
	switch {
	case !known:
		at = cursor{in.validity, max(in.next, 1) - 1}
		if err := channel.Hand(ctx, out, channel.Inbound{Cursor: at.String()}); err != nil {
			return err
		}
	case at.validity != in.validity: // the numbers were given anew: what came lately is looked at, and repeats are known
		criteria.Since = m.env.Now().Add(-48 * time.Hour)
		at = cursor{in.validity, 0}
	}
	for first := true; ; first = false {
		if at, err = m.takeNew(ctx, in, at, criteria, out); err != nil {
			return err
		}
		if first {
			m.env.Up("")
		}
		criteria = &imap.SearchCriteria{}
		if err := in.wait(ctx); err != nil {
			return err
		}
	}
}

// takeNew hands on every mail after a cursor, in order.
func (m *Mailbox) takeNew(ctx context.Context, in *inbox, at cursor, criteria *imap.SearchCriteria, out chan<- channel.Inbound) (
	cursor, error,
) {
	criteria.UID = []imap.UIDSet{{imap.UIDRange{Start: at.uid + 1, Stop: 0}}}
	found, err := in.UIDSearch(criteria, nil).Wait()
	if err != nil {
		return at, ended(ctx, err)
	}
	uids := found.AllUIDs()
	slices.Sort(uids)
	for _, uid := range uids {
		if uid <= at.uid { // a search for n:* finds the last mail when there is none from n on
			continue
		}
		mail, err := m.fetch(in, uid)
		if err != nil {
			return at, ended(ctx, err)
		}
		at.uid = uid
		mail.Cursor = at.String()
		if err := channel.Hand(ctx, out, mail); err != nil {
			return at, err
		}
	}
	return at, nil
}

// ended says why a connection is over.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var no *imap.Error
	if errors.As(err, &no) {
		return &channel.Trouble{Text: "The mail server refused to give mails. It is tried again."}
	}
	return errEnded
}

// maxMail is how large a mail may be that is read. Of a larger one only its head is.
const maxMail = 25 << 20

// fetch reads one mail. One that is gone meanwhile moves the cursor alone.
func (m *Mailbox) fetch(in *inbox, uid imap.UID) (channel.Inbound, error) {
	size, err := in.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, RFC822Size: true}).Collect()
	if err != nil || len(size) == 0 {
		return channel.Inbound{}, err
	}
	large := size[0].RFC822Size > maxMail
	section := &imap.FetchItemBodySection{Peek: true}
	if large {
		section.Specifier = imap.PartSpecifierHeader
	}
	got, err := in.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}}).Collect()
	if err != nil || len(got) == 0 {
		return channel.Inbound{}, err
	}
	return m.read(got[0].FindBodySection(section), large), nil
}

// wait waits until the server says that mail came, or some time has passed.
func (in *inbox) wait(ctx context.Context) error {
	if !in.Caps().Has(imap.CapIdle) && !in.Caps().Has(imap.CapIMAP4rev2) {
		return in.poll(ctx)
	}
	idle, err := in.Idle()
	if err != nil {
		return ended(ctx, err)
	}
	over := time.NewTimer(idleFor)
	defer over.Stop()
	select {
	case <-in.came:
	case <-over.C:
	case <-in.Closed():
	case <-ctx.Done():
	}
	silent := time.AfterFunc(signWithin, func() { _ = in.Close() })
	defer silent.Stop()
	if err := errors.Join(idle.Close(), idle.Wait(), ctx.Err()); err != nil {
		return ended(ctx, err)
	}
	return nil
}

func (in *inbox) poll(ctx context.Context) error {
	each := time.NewTimer(pollEach)
	defer each.Stop()
	select {
	case <-each.C:
	case <-in.Closed():
	case <-ctx.Done():
	}
	if err := in.Noop().Wait(); err != nil {
		return ended(ctx, err)
	}
	return nil
}
