package webpush

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gatehouse/app/push"
	"gatehouse/app/push/pushtest"
)

func sender(t *testing.T, local bool, subject string) *Sender {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Key: key, Subject: subject, Local: local, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func of(b *pushtest.Browser) push.Subscription {
	return push.Subscription{Endpoint: b.Endpoint, P256dh: b.P256dh, Auth: b.Auth}
}

// TestSend: the browser opens what was sent, the service knows who sent it, and short and long texts look alike.
func TestSend(t *testing.T) {
	t.Parallel()
	subjects := map[string]string{"https://hub.example": "https://hub.example", "hub@example.com": "mailto:hub@example.com"}
	for subject, want := range subjects {
		s, service := sender(t, true, subject), pushtest.Start(t, time.Now)
		b := service.Subscribe(s.PublicKey())
		sizes := map[int]bool{}
		for _, text := range []string{"", "hello", strings.Repeat("x", 3000)} {
			m := push.Message{Body: []byte(text), Topic: "waiting", Urgent: text == "", Life: time.Hour}
			if err := s.Send(t.Context(), of(b), m); err != nil {
				t.Fatal(err)
			}
			got := service.Next(t)
			urgency := map[bool]string{true: "high", false: "normal"}[m.Urgent]
			if string(got.Body) != text || got.Subject != want || got.Urgency != urgency {
				t.Errorf("came %+v", got)
			}
			if got.Topic != "waiting" || got.TTL != time.Hour {
				t.Errorf("it is kept as %s for %s", got.Topic, got.TTL)
			}
			sizes[len(got.Raw)] = true
		}
		if len(sizes) != 1 {
			t.Errorf("the service sees sizes %v", sizes)
		}
	}
}

// TestSend_answers: what a service answers is told apart, and no error names the address.
func TestSend_answers(t *testing.T) {
	t.Parallel()
	s, service := sender(t, true, "https://hub.example"), pushtest.Start(t, time.Now)
	b := service.Subscribe(s.PublicKey())
	for _, c := range []struct {
		answer pushtest.Answer
		is     error
		later  time.Duration
	}{
		{pushtest.Answer{Status: 404}, push.ErrGone, 0},
		{pushtest.Answer{Status: 410}, push.ErrGone, 0},
		{pushtest.Answer{Status: 400}, push.ErrRefused, 0},
		{pushtest.Answer{Status: 403}, push.ErrRefused, 0},
		{pushtest.Answer{Status: 413}, push.ErrRefused, 0},
		{pushtest.Answer{Status: 302}, push.ErrRefused, 0},
		{pushtest.Answer{Status: 429, After: "120"}, nil, 2 * time.Minute},
		{pushtest.Answer{Status: 503, After: "99999999999999"}, nil, time.Hour},
		{pushtest.Answer{Status: 503, After: "999999"}, nil, time.Hour},
		{pushtest.Answer{Status: 429}, nil, 0},
		{pushtest.Answer{Status: 429, After: "-5"}, nil, 0},
		{pushtest.Answer{Status: 500}, nil, 0},
		{pushtest.Answer{Status: 408}, nil, 0},
	} {
		service.Say(c.answer)
		err := s.Send(t.Context(), of(b), push.Message{Body: []byte("x"), Life: time.Hour})
		if err == nil || strings.Contains(err.Error(), b.Endpoint) {
			t.Fatalf("%+v: %v", c.answer, err)
		}
		var later *push.Later
		if errors.As(err, &later) != (c.later > 0) || later != nil && later.After != c.later {
			t.Errorf("%+v: %v", c.answer, err)
		}
		for _, final := range []error{push.ErrGone, push.ErrRefused} {
			if errors.Is(err, final) != errors.Is(c.is, final) {
				t.Errorf("%+v: %v", c.answer, err)
			}
		}
	}
	if at := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat); s.after(at) < 80*time.Second || s.after("soon") != 0 {
		t.Errorf("a date is %s", s.after(at))
	}
}

// TestSend_elsewhere: nothing is sent to this machine, by whatever name, nor where an answer leads; and no error says where it
// would have gone.
func TestSend_elsewhere(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	_, port, err := net.SplitHostPort(srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b := pushtest.Start(t, time.Now).Subscribe("")
	send := func(local bool, at string) error {
		to := of(b)
		to.Endpoint = at + "/zzpath"
		return sender(t, local, "https://hub.example").Send(t.Context(), to, push.Message{Life: time.Hour})
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		err := send(false, "http://"+host+":"+port)
		if !errors.Is(err, push.ErrRefused) || strings.Contains(err.Error(), "zzpath") || strings.Contains(err.Error(), host) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if len(asked) != 0 {
		t.Errorf("this machine was asked %d times", len(asked))
	}
	if err := send(true, srv.URL); !errors.Is(err, push.ErrRefused) || len(asked) != 1 {
		t.Errorf("a redirect: %v, %d requests", err, len(asked))
	}
}

func TestIsClosed(t *testing.T) {
	t.Parallel()
	for text, open := range map[string]bool{
		"8.8.8.8": true, "142.250.1.188": true, "2a00:1450:4001::1": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "::1": false, "::ffff:10.0.0.1": false, "10.1.2.3": false, "172.31.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "224.0.0.1": false, "255.255.255.255": false,
		"fd00:ec2::254": false,
		"fe80::1%eth0":  false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "::127.0.0.1": false,
		"192.0.2.1": false, "ff02::1": false,
	} {
		if got := !isClosed(netip.MustParseAddr(text), false); got != open {
			t.Errorf("%s is open: %t", text, got)
		}
	}
	if isClosed(netip.MustParseAddr("127.0.0.1"), true) || !isClosed(netip.MustParseAddr("10.0.0.1"), true) {
		t.Error("with local, loopback is open and nothing else")
	}
}
