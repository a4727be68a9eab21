package webpush

import (
	"context"
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	webpush "github.com/SherClockHolmes/webpush-go"

	"gatehouse/app/push"
)

// Limits of one message.
const (
	sendWithin = 10 * time.Second
	dialWithin = 5 * time.Second
	maxAnswer  = 4 << 10       // bytes of an answer that are read, so that its connection can be used again
	maxLater   = 1 * time.Hour // that a service may ask to wait
)

// Sender hands messages to push services, signed with the hub's own key.
type Sender struct {
	client  *http.Client
	subject string        // whom a service can write to: https address or e-mail address
	private func() string // VAPID key, base64url; a closure, so that nothing prints it
	public  string        // its public half, base64url
	now     func() time.Time
}

var _ push.Sender = (*Sender)(nil)

// Options are what a Sender needs.
type Options struct {
	Key     []byte // as NewKey made it
	Subject string // whom a service can write to: https address or e-mail address
	Local   bool   // services on this machine may be reached, for tests
	Now     func() time.Time
}

// NewKey makes a VAPID key. Browsers subscribe to its public half: with another key, every device has to be turned on again.
func NewKey() ([]byte, error) {
	k, _, err := webpush.GenerateVAPIDKeys()
	if err != nil {
		return nil, fmt.Errorf("make push key: %w", err)
	}
	return base64.RawURLEncoding.DecodeString(k)
}

// New makes a Sender.
func New(o Options) (*Sender, error) {
	k, err := ecdh.P256().NewPrivateKey(o.Key)
	if err != nil {
		return nil, fmt.Errorf("push key: %w", err)
	}
	private := base64.RawURLEncoding.EncodeToString(k.Bytes())
	dialer := &net.Dialer{Timeout: dialWithin, Control: guarded(o.Local)}
	return &Sender{
		subject: o.Subject, private: func() string { return private }, now: o.Now,
		public: base64.RawURLEncoding.EncodeToString(k.PublicKey().Bytes()),
		client: &http.Client{
			Timeout: sendWithin,
			Transport: &http.Transport{ // without a proxy: behind one, nobody sees where a name leads
				DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute,
				TLSHandshakeTimeout: dialWithin, MaxResponseHeaderBytes: 16 << 10,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// PublicKey is what browsers subscribe with.
func (s *Sender) PublicKey() string { return s.public }

// Send hands a message over. It returns after the service has taken it.
func (s *Sender) Send(ctx context.Context, to push.Subscription, m push.Message) error {
	urgency := webpush.UrgencyNormal
	if m.Urgent {
		urgency = webpush.UrgencyHigh
	}
	res, err := webpush.SendNotificationWithContext(ctx, m.Body, &webpush.Subscription{
		Endpoint: to.Endpoint, Keys: webpush.Keys{P256dh: to.P256dh, Auth: to.Auth},
	}, &webpush.Options{
		HTTPClient: s.client, Subscriber: s.subject, Topic: m.Topic, TTL: int(m.Life.Seconds()), Urgency: urgency,
		VAPIDPublicKey: s.public, VAPIDPrivateKey: s.private(),
	})
	if err != nil {
		return fmt.Errorf("push: %w", nameless(err))
	}
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer) // what it says is not needed
	_ = res.Body.Close()
	return s.judge(res)
}

// nameless is an error of a request without its address, which whoever reads logs could send to. Nobody gets through to a
// closed address by trying again.
func nameless(err error) error {
	if errors.Is(err, errClosed) {
		return fmt.Errorf("%w: %w", push.ErrRefused, errClosed)
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// judge says what an answer means.
func (s *Sender) judge(res *http.Response) error {
	status := res.StatusCode
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusNotFound, status == http.StatusGone:
		return push.ErrGone
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		if wait := s.after(res.Header.Get("Retry-After")); wait > 0 {
			return &push.Later{After: wait}
		}
	case status == http.StatusRequestTimeout, status >= 500:
	default:
		return fmt.Errorf("%w: it answered %d", push.ErrRefused, status)
	}
	return fmt.Errorf("push: the service answered %d", status)
}

// after reads a Retry-After header: seconds or a date; 0 for what is neither, or past.
func (s *Sender) after(header string) time.Duration {
	if n, err := strconv.Atoi(header); err == nil {
		return min(max(time.Duration(min(n, 1<<20))*time.Second, 0), maxLater)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(s.now()), 0), maxLater)
}
