package signal_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/signal"
	"gatehouse/agentd/channel/signal/signaltest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

type fault = signaltest.Fault

// trouble fails unless an error is one that people read, and says whether a person has to do something.
func trouble(t *testing.T, err error, want string) (hard bool) {
	t.Helper()
	var known *channel.Trouble
	if !errors.As(err, &known) || !strings.Contains(known.Text, want) {
		t.Fatalf("%v, not %q", err, want)
	}
	return known.Hard
}

// TestRun_faults: every bad answer at the start ends in words, and what was written meanwhile comes once it is over.
func TestRun_faults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method string
		fault  fault
		want   string
		hard   bool
	}{
		"another program":  {"version", fault{Status: 404}, "does not run on the server", false},
		"broken":           {"version", fault{Status: 500}, "no answer that can be read", false},
		"an inner error":   {"version", fault{Code: -32603}, "no answer that can be read", false},
		"cut off":          {"version", fault{Cut: true}, "no answer that can be read", false},
		"silence":          {"version", fault{Hang: true}, "fallen silent", false},
		"another's answer": {"version", fault{Garbage: true}, "no answer that can be read", false},
		"no such account":  {"listDevices", fault{Code: -32602}, "does not have this account", true},
		"not taken":        {"listDevices", fault{Code: -3, Message: "[401] Authorization failed!"}, "does not accept the account", true},
		"events broken":    {"events", fault{Status: 500}, "no answer that can be read", false},
		"events silent":    {"events", fault{Hang: true}, "fallen silent", false},
		"events another's": {"events", fault{Garbage: true}, "no answer that can be read", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := signaltest.Start(t)
			first := run(t, s, channel.Env{}).Ready(t)
			s.Says(owner, "First")
			first.Waits(t, 1)
			first.Stop()
			channeltest.Until(t, "nobody listens", func() bool { return s.Listeners() == 0 })
			s.Says(owner, "Meanwhile")
			s.Fail(c.method, c.fault)
			r := run(t, s, channel.Env{Cursor: first.At()})
			if hard := trouble(t, r.End(t), c.want); hard != c.hard {
				t.Errorf("hard is %v", hard)
			}
			again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
			s.Says(owner, "Later")
			if all := texts(again.Waits(t, 2)); len(all) != 2 || all[0] != "Meanwhile" || all[1] != "Later" {
				t.Errorf("%q", all)
			}
		})
	}
}

// TestRun_away: a signal-cli that does not run, one that is too old, one without the account, and one that falls silent or ends are said.
func TestRun_away(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	s.Version("0.11.5")
	if !trouble(t, run(t, s, channel.Env{}).End(t), "too old") {
		t.Error("trying again helps")
	}
	s.Version("0.14.1")
	ch, err := signal.Kind().Make(channel.Settings{Chat: wire.ChatSettings{Account: "+4930555000009"}}, channel.Env{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if !trouble(t, ch.Run(t.Context(), nil), "does not have this account") {
		t.Error("trying again helps")
	}
	r := run(t, s, channel.Env{}).Ready(t)
	s.Mute(true)
	if trouble(t, r.End(t), "fallen silent") {
		t.Error("a person has to do something")
	}
	s.Mute(false)
	r = run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
	s.Break()
	if trouble(t, r.End(t), "ended") {
		t.Error("a person has to do something")
	}
	gone := signaltest.Start(t)
	gone.Stop()
	if trouble(t, run(t, gone, channel.Env{}).End(t), "does not run") {
		t.Error("a person has to do something")
	}
}

// TestUnlinked: an account that Signal takes no more while it runs is said in words, by the run, the check and the answer.
func TestUnlinked(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	if reads, sends := r.Check(t.Context()); reads+sends != "" {
		t.Errorf("%q %q", reads, sends)
	}
	s.Unlink()
	if !trouble(t, r.End(t), "does not accept the account") {
		t.Error("trying again helps")
	}
	if reads, sends := r.Check(t.Context()); !strings.Contains(reads, "does not accept the account") || reads != sends {
		t.Errorf("%q %q", reads, sends)
	}
	_, err := channeltest.Send(t, r, to(owner, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "does not accept the account") || len(s.Sent()) != 0 {
		t.Error(err)
	}
}

// TestSend_faults: what Signal has not taken is said, and what nobody knows is of unknown outcome; nothing is sent twice.
func TestSend_faults(t *testing.T) {
	t.Parallel()
	const (
		sure    = "nothing was sent, and it is said why"
		later   = "nothing was sent, and it is tried when Signal asks for it"
		unknown = "nobody knows"
	)
	for name, c := range map[string]struct {
		fault fault
		want  string
		says  string
		sent  int
	}{
		"refused":                    {fault{Code: -1}, sure, "refused the message", 0},
		"no account":                 {fault{Code: -32602}, sure, "does not have this account", 0},
		"unlinked":                   {fault{Code: -3, Message: "[401] Authorization failed!"}, sure, "does not accept", 0},
		"another key":                {fault{Code: -4, Kind: "IDENTITY_FAILURE"}, sure, "safety number", 0},
		"another key, code alone":    {fault{Code: -4}, sure, "safety number", 0},
		"not there anymore":          {fault{Code: -1, Kind: "UNREGISTERED_FAILURE"}, sure, "not at Signal anymore", 0},
		"no keys":                    {fault{Code: -1, Kind: "INVALID_PRE_KEY_FAILURE"}, sure, "no usable key", 0},
		"too many":                   {fault{Code: -5, Kind: "RATE_LIMIT_FAILURE", RetryAfter: 17}, later, "asks to wait 17s", 0},
		"a proof is asked for":       {fault{Code: -5, Kind: "RATE_LIMIT_FAILURE", RetryAfter: 17, Proof: true}, later, "captcha", 0},
		"another program":            {fault{Status: 404}, sure, "does not run", 0},
		"no network":                 {fault{Code: -1, Kind: "NETWORK_FAILURE"}, unknown, "", 0},
		"no network, code alone":     {fault{Code: -3}, unknown, "", 0},
		"broken":                     {fault{Status: 500}, unknown, "", 0},
		"an inner error":             {fault{Code: -32603}, unknown, "", 0},
		"cut off after it was taken": {fault{Cut: true, Done: true}, unknown, "", 1},
		"silence after it was taken": {fault{Hang: true, Done: true}, unknown, "", 1},
		"another's answer":           {fault{Garbage: true, Done: true}, unknown, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := signaltest.Start(t)
			s.Fail("send", c.fault)
			_, err := channeltest.Send(t, made(t, s, channel.Env{}), to(owner, "Hello"))
			got, said := unknown, ""
			var no *tool.Refused
			var wait *channel.Later
			switch {
			case errors.As(err, &no):
				got, said = sure, no.Text
			case errors.As(err, &wait):
				if got, said = later, wait.Text; wait.After != 17*time.Second {
					t.Errorf("after %s", wait.After)
				}
			}
			if err == nil || got != c.want || !strings.Contains(said, c.says) || len(s.Sent()) != c.sent || s.Calls("send") != 1 {
				t.Errorf("%s (%v), %d sent in %d calls", got, err, len(s.Sent()), s.Calls("send"))
			}
		})
	}
}

// TestSend_away: a signal-cli that does not run has got nothing.
func TestSend_away(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	ch := made(t, s, channel.Env{})
	s.Stop()
	_, err := channeltest.Send(t, ch, to(owner, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "does not run") {
		t.Error(err)
	}
}

// TestSend_quiet: while Signal asks to wait, nothing more is sent to it.
func TestSend_quiet(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	ch := made(t, s, channel.Env{})
	s.Fail("send", fault{Code: -5, Kind: "RATE_LIMIT_FAILURE", RetryAfter: 60})
	for range 3 {
		var wait *channel.Later
		if _, err := channeltest.Send(t, ch, to(owner, "Hello")); !errors.As(err, &wait) {
			t.Fatal(err)
		}
	}
	if n := s.Calls("send"); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestSend_long: a long answer is several messages, none too long, with every word, sign and link whole. One that breaks off in the middle
// is of unknown outcome; what Signal asks to wait in between is waited.
func TestSend_long(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	ch := made(t, s, channel.Env{})
	o := to(owner, strings.Repeat("👩‍👩‍👧‍👦 שלום https://example.com/a?b=c ", 300))
	if _, err := channeltest.Send(t, ch, o); err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	var joined []string
	for _, m := range all {
		joined = append(joined, m.Text)
		if n := len(utf16.Encode([]rune(m.Text))); n > 2000 || !utf8.ValidString(m.Text) {
			t.Errorf("%d characters", n)
		}
	}
	if len(all) < 3 || strings.Join(strings.Fields(strings.Join(joined, " ")), " ") != strings.TrimSpace(o.Text) {
		t.Errorf("%d messages that are not the text", len(all))
	}
	huge := to(owner, strings.Repeat("word ", 20_000))
	if _, err := channeltest.Send(t, ch, huge); err != nil || len(s.Sent()) < 50 {
		t.Errorf("100,000 characters are %d messages: %v", len(s.Sent())-len(all), err)
	}
	s2 := signaltest.Start(t)
	s2.FailAfter("send", 1, fault{Code: -5, Kind: "RATE_LIMIT_FAILURE", RetryAfter: 1}, fault{Code: -1})
	_, err := channeltest.Send(t, made(t, s2, channel.Env{}), o)
	var no *tool.Refused
	if err == nil || errors.As(err, &no) || !strings.Contains(err.Error(), "1 of ") || len(s2.Sent()) != 1 {
		t.Errorf("%v after %d", err, len(s2.Sent()))
	}
}
