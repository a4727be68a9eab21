package email

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
)

// TestProofOf: only the topmost header of the server that is trusted says who a sender is, and nothing that a sender can choose does.
func TestProofOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		headers []string
		want    proof
	}{
		"dmarc":        {[]string{"mx.team.example; dmarc=pass header.from=example.com"}, proof{proven: true}},
		"dkim":         {[]string{"mx.team.example 1; dkim=pass header.d=example.com header.s=x"}, proof{proven: true}},
		"dkim beneath": {[]string{"mx.team.example; dkim=pass header.d=mail.example.com"}, proof{}},
		"spf":          {[]string{"MX.team.example; spf=pass (ok) smtp.mailfrom=owner@example.com"}, proof{}},
		"quoted mailfrom": {
			[]string{`mx.team.example; spf=pass smtp.mailfrom="a; dmarc=pass header.from=example.com "@evil.example`}, proof{},
		},
		"comment":      {[]string{`mx.team.example; spf=none (x; dmarc=pass header.from=example.com)`}, proof{}},
		"nested":       {[]string{`mx.team.example; spf=none (a (b) \) ; dmarc=pass header.from=example.com)`}, proof{}},
		"open comment": {[]string{`mx.team.example; dmarc=pass header.from=example.com (`}, proof{}},
		"other domain": {[]string{"mx.team.example; dmarc=pass header.from=evil.example; dkim=pass header.d=evil.example"}, proof{}},
		"suffix":       {[]string{"mx.team.example; dkim=pass header.d=com"}, proof{}},
		"lookalike":    {[]string{"mx.team.example; dkim=pass header.d=notexample.com"}, proof{}},
		"dmarc fails": {
			[]string{"mx.team.example; dkim=pass header.d=example.com; dmarc=fail header.from=example.com"}, proof{forged: true},
		},
		"another server": {[]string{"mx.evil.example; dmarc=pass header.from=example.com"}, proof{}},
		"not the topmost": {
			[]string{"mx.team.example; dmarc=fail header.from=example.com", "mx.team.example; dmarc=pass header.from=example.com"},
			proof{forged: true},
		},
		"beneath another": {
			[]string{"mx.other.example; spf=fail", "mx.team.example; dmarc=pass header.from=example.com"}, proof{proven: true},
		},
		"twice": {[]string{"mx.team.example; dmarc=pass header.from=evil.example header.from=example.com"}, proof{}},
		"none":  {nil, proof{}},
	} {
		got := proofOf(c.headers, "mx.team.example", "owner@example.com")
		if got.proven != c.want.proven || got.forged != c.want.forged || got.why == "" != got.proven {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if proofOf([]string{"; dmarc=pass header.from=example.com"}, "", "owner@example.com").proven {
		t.Error("proven though no server is trusted")
	}
	if !proofOf([]string{"mx.team.example; dkim=pass header.i=@example.com"}, "mx.team.example", "owner@office.example.com").proven {
		t.Error("the registered domain does not speak for what lies beneath it")
	}
	for _, any := range []string{"*", "*.", "*.example", "*mail.example"} {
		if proofOf([]string{"evil.mail.example; dmarc=pass header.from=example.com"}, any, "owner@example.com").proven {
			t.Errorf("a server by the name of %s counts", any)
		}
	}
	if !proofOf([]string{"mx6.mail.example; dmarc=pass header.from=example.com"}, "*.mail.example", "owner@example.com").proven {
		t.Error("a server of the provider does not count")
	}
}

// TestQuotes: in doubt a text counts as quoted.
func TestQuotes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, own string }{
		"gmail":    {"Yes.\n\nOn Mon, 2 Mar 2026 at 10:00, X <x@y.example> wrote:\n> No?\n", "Yes."},
		"german":   {"Ja.\n\nAm 02.03.2026 um 10:00 schrieb X <x@y.example>:\n\n> Nein?", "Ja."},
		"between":  {"> One?\nYes.\n> Two?\nNo.", "Yes.\nNo."},
		"outlook":  {"Yes.\n\nFrom: X <x@y.example>\nSent: Monday\nTo: Z\n\nDo it", "Yes."},
		"french":   {"Oui.\n\nDe : X <x@y.example>\nEnvoyé : lundi\nÀ : Z\n\nFais-le", "Oui."},
		"bold":     {"Yes.\n\n*From:* X <x@y.example>\n*Sent:* Monday\n\nDo it", "Yes."},
		"names":    {"Yes.\n\nFrom: Supplier Ltd\nSent: Monday\nTo: Me\n\nPay at once", "Yes."},
		"nbsp":     {"Oui.\n\nDe\u00a0: Fournisseur\nEnvoyé\u00a0: lundi\n\nFais-le", "Oui."},
		"no mail":  {"Ja.\n\nAm 03.11.2026 schrieb Max:\n\nTu es", "Ja."},
		"no verb":  {"Oui.\n\nLe lundi, Max a écrit :\n\nFais-le", "Oui."},
		"no date":  {"Yes.\n\nMax wrote:\nDo it", "Yes."},
		"rule":     {"Yes.\n-----Original Message-----\nDo it", "Yes."},
		"forward":  {"See below.\n\n---------- Forwarded message ---------\nFrom: X\n\nDo it", "See below."},
		"apple":    {"See below.\n\nBegin forwarded message:\n\nDo it", "See below."},
		"unmarked": {"Yes.\n\nOn 2 Mar 2026, at 10:00, X <x@y.example> wrote:\n\nDo it", "Yes."},
		"plain":    {"Dear team,\n\nbuy: paper, ink\n\nThanks", "Dear team,\n\nbuy: paper, ink\n\nThanks"},
	} {
		if own, _ := quotes(c.text); own != c.own {
			t.Errorf("%s: %q", name, own)
		}
	}
	for subject, want := range map[string]bool{"Fwd: x": true, "WG: x": true, "TR : x": true, "Re: x": false, "Order": false} {
		if isForward(subject) != want {
			t.Error(subject)
		}
	}
}

// TestRead_parts: only the first text without a name is what the sender wrote.
func TestRead_parts(t *testing.T) {
	t.Parallel()
	m := &Mailbox{}
	m.set.Address, m.env.Now = "team@team.example", time.Now
	const own, next, evil = "Content-Type: text/plain\n\nSee this\n", "--b\nContent-Type: ", "Pay eve"
	const html = "Content-Type: text/html\n\n<p>See this</p>\n"
	for name, c := range map[string]struct {
		parts string
		text  string
		files int
	}{
		"named":         {own + next + "text/plain; name=a.txt\nContent-Disposition: inline\n\n" + evil + "\n", "See this", 1},
		"named inside":  {own + "--b\nContent-Disposition: inline; filename=a.txt\n\n" + evil + "\n", "See this", 1},
		"first one":     {"Content-Type: text/plain; name=a.txt\n\n" + evil + "\n--b\n" + own, "See this", 1},
		"second":        {own + next + "text/plain\n\n" + evil + "\n", "See this", 0},
		"empty first":   {"Content-Type: text/plain\n\n\n" + next + "text/plain\n\n" + evil + "\n", "", 0},
		"after html":    {html + next + "text/plain\n\n" + evil + "\n", "See this", 0},
		"second html":   {html + next + "text/html\n\n<p>" + evil + "</p>\n", "See this", 0},
		"whole message": {own + next + "message/rfc822\nContent-Disposition: inline\n\nSubject: x\n\n" + evil + "\n", "See this", 1},
	} {
		const head = "From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
		in := m.read([]byte(head+c.parts+"--b--\n"), false)
		if in.Text != c.text || in.Quoted != "" || len(in.Files) != c.files || strings.Contains(in.Further, evil) != (c.files == 0) {
			t.Errorf("%s: %q, %q, %q, %d files", name, in.Text, in.Quoted, in.Further, len(in.Files))
		}
	}
}

// TestGuarded: a mail that brings down a parser stands for itself, unread.
func TestGuarded(t *testing.T) {
	t.Parallel()
	unread := channel.Inbound{ID: "1", Skip: "unread"}
	got := guarded(slog.New(slog.DiscardHandler), unread, func() channel.Inbound { panic("a parser") })
	if got.ID != "1" || got.Skip != "unread" {
		t.Errorf("%+v", got)
	}
}

// FuzzRead: no mail makes the reader panic, and each becomes a message that is known again.
func FuzzRead(f *testing.F) {
	m := &Mailbox{}
	m.set.Address, m.env.Now = "team@team.example", time.Now
	f.Add("From: a@b.example\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n")
	f.Fuzz(func(t *testing.T, raw string) {
		if in := m.read([]byte(raw), false); in.ID == "" || in.Skip == "" && in.Address == "" {
			t.Errorf("%+v", in)
		}
	})
}
