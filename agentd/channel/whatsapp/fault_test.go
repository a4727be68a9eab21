package whatsapp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/whatsapp/whatsapptest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault/secret"
)

// trouble fails unless an error is one that people read, and says whether a person has to do something.
func trouble(t *testing.T, s *whatsapptest.Server, err error, want string) (hard bool) {
	t.Helper()
	var known *channel.Trouble
	if !errors.As(err, &known) || !strings.Contains(known.Text, want) {
		t.Fatalf("%v, not %q", err, want)
	}
	if strings.Contains(err.Error(), s.Token()) || strings.Contains(err.Error(), s.Secret) {
		t.Errorf("a secret is in %v", err)
	}
	return known.Hard
}

// TestRun_faults: every bad answer at the start ends in words.
func TestRun_faults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault whatsapptest.Fault
		want  string
		hard  bool
	}{
		"not known":  {whatsapptest.Fault{Status: 401, Code: 190}, "does not accept the access token", true},
		"no right":   {whatsapptest.Fault{Status: 403, Code: 10}, "may not use this number", true},
		"no number":  {whatsapptest.Fault{Status: 400, Code: 100, Sub: 33}, "may not use this number", true},
		"not paid":   {whatsapptest.Fault{Status: 400, Code: 131042}, "waits for a payment", true},
		"broken":     {whatsapptest.Fault{Status: 500}, "no answer that can be read", false},
		"cut off":    {whatsapptest.Fault{Cut: true}, "no answer that can be read", false},
		"silence":    {whatsapptest.Fault{Hang: true}, "cannot be reached", false},
		"another's":  {whatsapptest.Fault{Garbage: true}, "no answer that can be read", false},
		"wait":       {whatsapptest.Fault{Status: 429, RetryAfter: 3600}, "asks to wait", false},
		"throughput": {whatsapptest.Fault{Status: 400, Code: 130429}, "asks to wait", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := whatsapptest.Start(t)
			s.Fail(whatsapptest.RouteMe, c.fault)
			if hard := trouble(t, s, run(t, s, channel.Env{}).End(t), c.want); hard != c.hard {
				t.Errorf("hard is %v", hard)
			}
		})
	}
}

// TestRevoked: a token that is taken back while the number runs is said in words, by the run, the check and the answer.
func TestRevoked(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	token := s.Token()
	r := run(t, s, channel.Env{}).Ready(t)
	s.Revoke()
	if !trouble(t, s, r.End(t), "does not accept the access token") {
		t.Error("trying again helps")
	}
	reads, sends := r.Check(t.Context())
	if !strings.Contains(reads, "does not accept the access token") || reads != sends || strings.Contains(reads, token) {
		t.Errorf("%q %q", reads, sends)
	}
	_, err := channeltest.Send(t, r, to(s, owner, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "does not accept the access token") || len(s.Sent()) != 0 {
		t.Error(err)
	}
}

// TestRevoked_sending: an answer for which the token is not taken anymore ends the run at once.
func TestRevoked_sending(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Fail(whatsapptest.RouteSend, whatsapptest.Fault{Status: 401, Code: 190})
	if _, err := channeltest.Send(t, r, to(s, owner, "Hello")); err == nil {
		t.Error("it was sent")
	}
	if !trouble(t, s, r.End(t), "does not accept the access token") {
		t.Error("trying again helps")
	}
}

// TestCheck: the check says what a person can do.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	kept := func(secrets string) channel.Env {
		return channel.Env{Password: func(context.Context) (secret.Value, error) { return secret.New(secrets), nil }}
	}
	checks := func(what, want string, e channel.Env) {
		t.Helper()
		if reads, _ := made(t, s, e).Check(t.Context()); want == "" && reads != "" || !strings.Contains(reads, want) {
			t.Errorf("%s: %q", what, reads)
		}
	}
	checks("all is well", "", channel.Env{})
	checks("none", "secrets of WhatsApp are missing", kept(""))
	checks("another app", "app secret", kept(strings.ReplaceAll(s.Secrets(), s.Secret, "other")))
	checks("a wrong token", "access token", kept(strings.ReplaceAll(s.Secrets(), s.Token(), "other")))
	checks("no token at all", "access token", kept(strings.ReplaceAll(s.Secrets(), s.Token(), "x\\nx")))
}

// TestSend_faults: what WhatsApp has not taken is said; what is open is never sent again, for WhatsApp knows no repeat.
func TestSend_faults(t *testing.T) {
	t.Parallel()
	const (
		sure    = "nothing was sent, and it is said why"
		later   = "nothing was sent, and it is tried later"
		unknown = "nobody knows"
	)
	type fault = whatsapptest.Fault
	for name, c := range map[string]struct {
		fault fault
		want  string
		sent  int
		after time.Duration
	}{
		"refused":                    {fault{Status: 400, Code: 131009}, sure, 0, 0},
		"no WhatsApp":                {fault{Status: 400, Code: 131026}, sure, 0, 0},
		"a number for tests":         {fault{Status: 400, Code: 131030}, sure, 0, 0},
		"late after all":             {fault{Status: 400, Code: 131047}, sure, 0, 0},
		"no right":                   {fault{Status: 403, Code: 10}, sure, 0, 0},
		"token taken back":           {fault{Status: 401, Code: 190}, sure, 0, 0},
		"too many":                   {fault{Status: 429, RetryAfter: 17}, later, 0, 17 * time.Second},
		"too much at once":           {fault{Status: 400, Code: 130429}, later, 0, time.Minute},
		"too much for one":           {fault{Status: 400, Code: 131056}, later, 0, 10 * time.Second},
		"broken":                     {fault{Status: 500}, unknown, 0, 0},
		"broken after it was taken":  {fault{Status: 500, Done: true}, unknown, 1, 0},
		"cut off after it was taken": {fault{Cut: true, Done: true}, unknown, 1, 0},
		"silence":                    {fault{Hang: true}, unknown, 0, 0},
		"silence after it was taken": {fault{Hang: true, Done: true}, unknown, 1, 0},
		"a proxy in between":         {fault{Garbage: true, Done: true}, unknown, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := whatsapptest.Start(t)
			ch := made(t, s, channel.Env{})
			s.Fail(whatsapptest.RouteSend, c.fault)
			_, err := channeltest.Send(t, ch, to(s, owner, "Hello"))
			got := unknown
			var no *tool.Refused
			var wait *channel.Later
			switch {
			case err == nil:
				got = "it was sent"
			case errors.As(err, &no):
				got = sure
			case errors.As(err, &wait):
				got = later
				if wait.After != c.after {
					t.Errorf("after %s", wait.After)
				}
			}
			if got != c.want || len(s.Sent()) != c.sent || s.Calls(whatsapptest.RouteSend) != 1 {
				t.Errorf("%s (%v), %d sent in %d calls", got, err, len(s.Sent()), s.Calls(whatsapptest.RouteSend))
			}
			if err != nil && strings.Contains(err.Error(), s.Token()) {
				t.Errorf("the token is in %v", err)
			}
		})
	}
}

// TestSend_quiet: while WhatsApp asks to wait, nothing more is sent to it; too much for one person holds up nobody else.
func TestSend_quiet(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	ch := made(t, s, channel.Env{})
	s.Fail(whatsapptest.RouteSend, whatsapptest.Fault{Status: 400, Code: 131056})
	var wait *channel.Later
	if _, err := channeltest.Send(t, ch, to(s, owner, "Hello")); !errors.As(err, &wait) {
		t.Fatal(err)
	}
	if _, err := channeltest.Send(t, ch, to(s, other, "Hello")); err != nil {
		t.Fatal(err)
	}
	s.Fail(whatsapptest.RouteSend, whatsapptest.Fault{Status: 400, Code: 130429})
	for range 3 {
		if _, err := channeltest.Send(t, ch, to(s, owner, "Hello")); !errors.As(err, &wait) {
			t.Fatal(err)
		}
	}
	if n := s.Calls(whatsapptest.RouteSend); n != 3 {
		t.Errorf("%d calls", n)
	}
}

// TestSend_away: a server that is not there has got nothing.
func TestSend_away(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	ch, o := made(t, s, channel.Env{}), to(s, owner, "Hello")
	s.Stop()
	_, err := channeltest.Send(t, ch, o)
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "cannot be reached") {
		t.Error(err)
	}
}

// TestSend_late: to somebody who has not written for a day goes a template that leads to the portal and holds nothing else; without one, or
// to somebody without a portal, nothing goes.
func TestSend_late(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	heard := time.Now().Add(-24 * time.Hour)
	e := channel.Env{Heard: func(context.Context, string) (time.Time, error) { return heard, nil }}
	o := to(s, owner, "A request:\n\nEverything that would be done\n\nPress a button")
	o.Buttons = []channel.Button{{Label: "Allow once", Data: "allow 1"}}
	s.Late()
	ch := made(t, s, e)
	var no *tool.Refused
	if _, err := channeltest.Send(t, ch, o); !errors.As(err, &no) || !strings.Contains(no.Text, "has not written for a day") {
		t.Error(err)
	}
	o.Page = "https://hub.example/app/approvals"
	if _, err := channeltest.Send(t, ch, o); err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	if len(all) != 1 || all[0].Template != whatsapptest.Template || len(all[0].Buttons) != 0 {
		t.Fatalf("%+v", all)
	}
	if words := all[0].Words; len(words) != 1 || words[0] != o.Page {
		t.Errorf("it says %q", words)
	}
	heard = time.Now().Add(-23 * time.Hour)
	if _, err := channeltest.Send(t, ch, o); !errors.As(err, &no) || !strings.Contains(no.Text, "has not written for a day") {
		t.Errorf("WhatsApp counts differently: %v", err)
	}
}

// TestSend_long: a text of 100,000 characters is several messages, none too long, with every word, sign and link whole. One that breaks off
// in the middle is of unknown outcome; what WhatsApp asks to wait in between is waited.
func TestSend_long(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	ch := made(t, s, channel.Env{})
	o := to(s, owner, strings.Repeat("👩‍👩‍👧‍👦 שלום https://example.com/a?b=c ", 2500))
	d, err := channeltest.Send(t, ch, o)
	if err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	var joined []string
	for i, m := range all {
		joined = append(joined, m.Text)
		if n := utf8.RuneCountInString(m.Text); n > 4096 || !utf8.ValidString(m.Text) {
			t.Errorf("%d characters", n)
		}
		if (m.Ours == o.ID) != (i == len(all)-1) {
			t.Errorf("%d of %d has our name %q", i, len(all), m.Ours)
		}
	}
	if len(all) < 20 || strings.Join(strings.Fields(strings.Join(joined, " ")), " ") != strings.TrimSpace(o.Text) {
		t.Errorf("%d messages that are not the text", len(all))
	}
	if d.ID != all[len(all)-1].ID {
		t.Errorf("%s is not the last", d.ID)
	}
	s2 := whatsapptest.Start(t)
	o2 := to(s2, owner, o.Text)
	s2.FailAfter(whatsapptest.RouteSend, 1, whatsapptest.Fault{Status: 429, RetryAfter: 1}, whatsapptest.Fault{Status: 400, Code: 131026})
	_, err = channeltest.Send(t, made(t, s2, channel.Env{}), o2)
	var no *tool.Refused
	if err == nil || errors.As(err, &no) || !strings.Contains(err.Error(), "1 of ") || len(s2.Sent()) != 1 {
		t.Errorf("%v after %d", err, len(s2.Sent()))
	}
}

// TestSend_request: a request is shown sign by sign, whatever stands in it, and what can be done about it beneath with the buttons.
func TestSend_request(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	o := to(s, owner, "What would be done: ~nothing~\n\nArguments:\n| ```*pay*```\n\nPress a button, or write /approve K7Q2MX")
	o.Buttons = []channel.Button{{Label: "Allow once", Data: "allow 1"}, {Label: "Deny this very long label", Data: "deny 1"}}
	o.Reply.ID = "wamid.5"
	if _, err := channeltest.Send(t, made(t, s, channel.Env{}), o); err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	if len(all) != 2 || !strings.HasPrefix(all[0].Text, "```") || strings.Count(all[0].Text, "```") != 2 || all[0].Answers != "wamid.5" {
		t.Fatalf("%+v", all)
	}
	if m := all[1]; m.Text != "Press a button, or write /approve K7Q2MX" || m.Ours != o.ID || len(m.Buttons) != 2 ||
		m.Buttons[0].ID != "allow 1" {
		t.Errorf("%+v", m)
	}
}
