package googlechat_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/googlechat"
	"gatehouse/agentd/channel/googlechat/googlechattest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// trouble fails unless an error is one that people read, and says whether a person has to do something.
func trouble(t *testing.T, err error, want string) (hard bool) {
	t.Helper()
	var known *channel.Trouble
	if !errors.As(err, &known) || !strings.Contains(known.Text, want) {
		t.Fatalf("%v, not %q", err, want)
	}
	return known.Hard
}

// TestKind: settings without an app are refused, and an address has one form.
func TestKind(t *testing.T) {
	t.Parallel()
	for what, set := range map[string]wire.ChatSettings{
		"nothing":   {},
		"no number": {Account: googlechattest.Account, Project: "team-project", Way: wire.ChatHook},
		"asked for": {Account: googlechattest.Account, Project: googlechattest.Project},
		"no key":    {Account: "someone@example.com", Project: googlechattest.Project, Way: wire.ChatHook},
	} {
		if _, err := googlechat.Kind().Make(channel.Settings{Chat: set}, channel.Env{}); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	for in, want := range map[string]string{
		owner.ID: owner.ID, " #AAAA ": "#AAAA", "users/1": "", "#../x": "", "someone@example.com": "", "": "",
	} {
		if got, err := googlechat.Address(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", in, got, err)
		}
	}
}

// TestRun_faults: every bad answer at the start ends in words.
func TestRun_faults(t *testing.T) {
	t.Parallel()
	type fault = googlechattest.Fault
	for name, c := range map[string]struct {
		route string
		fault fault
		want  string
		hard  bool
	}{
		"the key is not taken": {googlechattest.RouteToken, fault{Status: 400}, "does not accept the key", true},
		"tokens are broken":    {googlechattest.RouteToken, fault{Status: 503}, "no answer that can be read", false},
		"tokens are silent":    {googlechattest.RouteToken, fault{Hang: true}, "cannot be reached", false},
		"not let":              {googlechattest.RouteList, fault{Status: 403}, "does not let the app use Chat", true},
		"broken":               {googlechattest.RouteList, fault{Status: 500}, "no answer that can be read", false},
		"cut off":              {googlechattest.RouteList, fault{Cut: true}, "no answer that can be read", false},
		"silence":              {googlechattest.RouteList, fault{Hang: true}, "cannot be reached", false},
		"another's":            {googlechattest.RouteList, fault{Garbage: true}, "no answer that can be read", false},
		"wait":                 {googlechattest.RouteList, fault{Status: 429, RetryAfter: 60}, "asks to wait", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := googlechattest.Start(t)
			s.Fail(c.route, c.fault)
			if hard := trouble(t, run(t, s, channel.Env{}).End(t), c.want); hard != c.hard {
				t.Errorf("hard is %v", hard)
			}
		})
	}
}

// TestRevoked: a key that is taken back while the app runs is said in words, by the run, the check and the answer.
func TestRevoked(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Revoke()
	if !trouble(t, r.End(t), "does not accept the key") {
		t.Error("trying again helps")
	}
	_, sends := r.Check(t.Context())
	if !strings.Contains(sends, "does not accept the key") {
		t.Errorf("%q", sends)
	}
	_, err := channeltest.Send(t, r, to(owner, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "does not accept the key") || len(s.Sent()) != 0 {
		t.Error(err)
	}
}

// TestCheck: the check says what a person can do.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	checks := func(what, want, key string) {
		t.Helper()
		e := channel.Env{Password: func(context.Context) (secret.Value, error) { return secret.New(key), nil }}
		if _, sends := made(t, s, e).Check(t.Context()); want == "" && sends != "" || !strings.Contains(sends, want) {
			t.Errorf("%s: %q", what, sends)
		}
	}
	checks("all is well", "", s.Key())
	checks("none", "no key", "")
	checks("another account", "another service account", strings.ReplaceAll(s.Key(), "team-bot@", "other@"))
	checks("no JSON", "does not accept", "x")
	checks("no key in it", "does not accept", strings.ReplaceAll(s.Key(), "BEGIN PRIVATE", "BEGIN"))
	s.Fail(googlechattest.RouteCerts, googlechattest.Fault{Status: 500})
	if reads, sends := made(t, s, channel.Env{}).Check(t.Context()); reads == "" || sends != "" {
		t.Errorf("%q %q", reads, sends)
	}
}

// TestSend_faults: what Google has not taken is said; of what is open the repeat is known by its request id, so it is there once; and only
// what stays open is of unknown outcome.
func TestSend_faults(t *testing.T) {
	t.Parallel()
	const (
		sure    = "nothing was sent, and it is said why"
		later   = "nothing was sent, and it is tried when Google asks for it"
		unknown = "nobody knows"
		fine    = "it was sent"
	)
	type fault = googlechattest.Fault
	for name, c := range map[string]struct {
		faults []fault
		want   string
		sent   int
		calls  int
	}{
		"refused":                    {[]fault{{Status: 400}}, sure, 0, 1},
		"no right":                   {[]fault{{Status: 403}}, sure, 0, 1},
		"gone":                       {[]fault{{Status: 404}}, sure, 0, 1},
		"too many":                   {[]fault{{Status: 429, RetryAfter: 17}}, later, 0, 1},
		"broken":                     {[]fault{{Status: 500}}, fine, 1, 2},
		"broken after it was taken":  {[]fault{{Status: 500, Done: true}}, fine, 1, 2},
		"cut off after it was taken": {[]fault{{Cut: true, Done: true}}, fine, 1, 2},
		"silence after it was taken": {[]fault{{Hang: true, Done: true}}, fine, 1, 2},
		"a proxy in between":         {[]fault{{Garbage: true, Done: true}}, fine, 1, 2},
		"open, then a long wait":     {[]fault{{Status: 500, Done: true}, {Status: 429, RetryAfter: 60}}, unknown, 1, 2},
		"open, then refused":         {[]fault{{Cut: true, Done: true}, {Status: 403}}, unknown, 1, 2},
		"open for good":              {[]fault{{Status: 500, Done: true}, {Status: 500}, {Garbage: true}}, unknown, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := googlechattest.Start(t)
			ch := made(t, s, channel.Env{})
			s.Fail(googlechattest.RouteSend, c.faults...)
			_, err := channeltest.Send(t, ch, to(owner, "Hello"))
			got := unknown
			var no *tool.Refused
			var wait *channel.Later
			switch {
			case err == nil:
				got = fine
			case errors.As(err, &no):
				got = sure
			case errors.As(err, &wait):
				got = later
				if wait.After != 17*time.Second {
					t.Errorf("after %s", wait.After)
				}
			}
			if got != c.want || len(s.Sent()) != c.sent || s.Calls(googlechattest.RouteSend) != c.calls {
				t.Errorf("%s (%v), %d sent in %d calls", got, err, len(s.Sent()), s.Calls(googlechattest.RouteSend))
			}
		})
	}
}

// TestSend_token: a token that is over before its time is changed for another one, and keeps no message.
func TestSend_token(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	ch := made(t, s, channel.Env{})
	if _, err := channeltest.Send(t, ch, to(owner, "First")); err != nil {
		t.Fatal(err)
	}
	s.Expire()
	if _, err := channeltest.Send(t, ch, to(owner, "Second")); err != nil || len(s.Sent()) != 2 || s.Calls(googlechattest.RouteToken) != 2 {
		t.Errorf("%v, %d sent with %d tokens", err, len(s.Sent()), s.Calls(googlechattest.RouteToken))
	}
}

// TestSend_nobody: to somebody who has opened no chat with the app nothing goes, and it is said why.
func TestSend_nobody(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	ch := made(t, s, channel.Env{})
	_, err := channeltest.Send(t, ch, to(googlechattest.Nobody, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "has not opened a chat") || s.Calls(googlechattest.RouteSend) != 0 {
		t.Error(err)
	}
	o := to(other, "Hello")
	s.Stop()
	if _, err := channeltest.Send(t, ch, o); !errors.As(err, &no) || !strings.Contains(no.Text, "cannot be reached") {
		t.Error(err)
	}
}

// TestSend_request: a request is shown sign by sign with its buttons beneath; what came of it stands in its place, without them.
func TestSend_request(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	ch := made(t, s, channel.Env{})
	o := to(owner, "What would be done: ~nothing~ <https://a.example|b>\n\nPress a button, or write /approve K7Q2MX")
	o.Buttons = []channel.Button{{Label: "Allow once", Data: "allow 1"}, {Label: "Deny", Data: "deny 1"}}
	o.Reply.ID = "spaces/dm" + owner.ID + "/messages/a.b spaces/dm" + owner.ID + "/threads/t1"
	d, err := channeltest.Send(t, ch, o)
	if err != nil {
		t.Fatal(err)
	}
	all := s.With(owner)
	if len(all) != 2 || !strings.HasPrefix(all[0].Text, "```") || len(all[0].Buttons) != 0 || len(all[1].Buttons) != 2 {
		t.Fatalf("%+v", all)
	}
	if m := all[1]; m.Buttons[0].Data != "allow 1" || !strings.HasSuffix(m.Thread, "/threads/t1") {
		t.Errorf("%+v", m)
	}
	if d.ID != all[1].Name+" "+all[1].Thread {
		t.Errorf("%q", d.ID)
	}
	told := to(owner, "Allowed")
	told.Edit = d.ID
	if _, err := channeltest.Send(t, ch, told); err != nil {
		t.Fatal(err)
	}
	if m := s.With(owner)[1]; m.Text != "Allowed" || m.Edits != 1 || len(m.Buttons) != 0 {
		t.Errorf("%+v", m)
	}
	told.Edit = "spaces/other/messages/a"
	if _, err := channeltest.Send(t, ch, told); err == nil {
		t.Error("a message of another space is changed")
	}
}

// TestSend_long: a text of 100,000 characters is several messages, none too long, with every word, sign and link whole. One that breaks off
// in the middle is of unknown outcome; what Google asks to wait in between is waited.
func TestSend_long(t *testing.T) {
	t.Parallel()
	s := googlechattest.Start(t)
	o := to(owner, strings.Repeat("👩‍👩‍👧‍👦 שלום https://example.com/a?b=c ", 2500))
	if _, err := channeltest.Send(t, made(t, s, channel.Env{}), o); err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	var joined []string
	for _, m := range all {
		joined = append(joined, m.Text)
		if n := utf8.RuneCountInString(m.Text); n > 4000 || !utf8.ValidString(m.Text) {
			t.Errorf("%d characters", n)
		}
	}
	if len(all) < 20 || strings.Join(strings.Fields(strings.Join(joined, " ")), " ") != strings.TrimSpace(o.Text) {
		t.Errorf("%d messages that are not the text", len(all))
	}
	s2 := googlechattest.Start(t)
	s2.FailAfter(googlechattest.RouteSend, 1, googlechattest.Fault{Status: 429, RetryAfter: 1}, googlechattest.Fault{Status: 400})
	_, err := channeltest.Send(t, made(t, s2, channel.Env{}), o)
	var no *tool.Refused
	if err == nil || errors.As(err, &no) || !strings.Contains(err.Error(), "1 of ") || len(s2.Sent()) != 1 {
		t.Errorf("%v after %d", err, len(s2.Sent()))
	}
}
