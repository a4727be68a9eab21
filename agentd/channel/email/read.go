package email

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // mail comes in any character set
	"github.com/emersion/go-message/mail"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/policy"
)

// Bounds of one mail.
const (
	maxParts = 100
	maxText  = 200_000 // bytes of text that are read
	maxFile  = 10 << 20
	maxFiles = 10
	maxAll   = 20 << 20 // bytes of all files
)

// read makes a message of a mail. Whatever the mail is like, it becomes one: a mail that cannot be read must not hold up others.
func (m *Mailbox) read(raw []byte, large bool) channel.Inbound {
	sum := sha256.Sum256(raw)
	unread := channel.Inbound{Time: m.env.Now(), ID: hex.EncodeToString(sum[:]), Skip: "It is not a mail that can be read."}
	return guarded(m.env.Log, unread, func() channel.Inbound { return m.readAll(raw, large, unread) })
}

// guarded gives what was read, or what stands for it where a parser panics: it reads what anybody sends.
func guarded(log *slog.Logger, unread channel.Inbound, read func() channel.Inbound) (in channel.Inbound) {
	defer func() {
		if fault := recover(); fault != nil {
			log.Error("mail not read", "panic", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
			in = unread
		}
	}()
	return read()
}

// readAll is read for a mail whose parts bring down no parser.
func (m *Mailbox) readAll(raw []byte, large bool, in channel.Inbound) channel.Inbound {
	r, err := mail.CreateReader(bytes.NewReader(raw))
	if r == nil || err != nil && !message.IsUnknownCharset(err) {
		return in
	}
	in.Skip = ""
	defer func() { _ = r.Close() }() // nothing of it is needed afterwards
	h := r.Header
	id := messageID(h.Get("Message-Id"))
	if id != "" {
		in.ID = id
	}
	if !m.sender(&in, h) {
		in.Skip = "It does not name one sender."
		return in
	}
	in.ID = in.Address + "\n" + in.ID
	in.Subject = subjectOf(h)
	in.Reply = channel.Reply{ID: id, Refs: references(h), Subject: in.Subject}
	in.Refs = m.refs(h)
	in.Forward = isForward(in.Subject)
	if in.Skip = m.skip(h, in.Address); in.Skip != "" {
		return in
	}
	if large {
		in.Left = append(in.Left, fmt.Sprintf("The mail is larger than %d MB, so only its subject was read.", maxMail>>20))
		return in
	}
	m.body(&in, r, raw)
	return in
}

// sender reads who has sent a mail: exactly one address in exactly one header.
func (m *Mailbox) sender(in *channel.Inbound, h mail.Header) bool {
	all, err := h.AddressList("From")
	if err != nil || len(all) != 1 || h.FieldsByKey("From").Len() != 1 {
		return false
	}
	address, err := policy.Address(all[0].Address)
	if err != nil {
		return false
	}
	var results []string
	for f := h.FieldsByKey("Authentication-Results"); f.Next(); {
		results = append(results, f.Value())
	}
	p := proofOf(results, m.set.AuthServ, address)
	in.Address, in.Proven, in.Forged, in.Why = address, p.proven, p.forged, p.why
	return true
}

// maxSubject is how many characters of a subject are read.
const maxSubject = 200

func subjectOf(h mail.Header) string {
	s, err := h.Subject()
	if err != nil {
		s = h.Get("Subject")
	}
	return plain(s, maxSubject)
}

// plain is one line of valid text.
func plain(s string, most int) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

var idForm = regexp.MustCompile(`<[!-;=?-~]{1,250}>`)

// messageID is an id that can stand in a header of an answer; empty: there is none.
func messageID(s string) string {
	if id := idForm.FindString(s); id == strings.TrimSpace(s) {
		return id
	}
	return ""
}

// maxRefs is how many ids of a header are read.
const maxRefs = 30

// references are the mails that a mail says it follows, oldest first.
func references(h mail.Header) []string {
	all := idForm.FindAllString(h.Get("References"), 10*maxRefs)
	if parent := idForm.FindString(h.Get("In-Reply-To")); parent != "" && (len(all) == 0 || all[len(all)-1] != parent) {
		all = append(all, parent)
	}
	return all[max(0, len(all)-maxRefs):]
}

// refs are the references of a mail, newest first, those of this mailbox's own by the name under which they were sent.
func (m *Mailbox) refs(h mail.Header) (all []string) {
	given := references(h)
	for i := len(given) - 1; i >= 0; i-- {
		id := given[i]
		if own, is := strings.CutSuffix(strings.Trim(id, "<>"), "@"+m.domain()); is {
			all = append(all, channel.SentRef(own))
		}
		all = append(all, id)
	}
	return all
}

// body reads text and files.
func (m *Mailbox) body(in *channel.Inbound, r *mail.Reader, raw []byte) {
	if bytes.Count(bytes.ToLower(raw), []byte("boundary")) > maxParts {
		in.Left = append(in.Left, "The mail has too many parts, so only its subject was read.")
		return
	}
	b := &reading{seen: map[string]bool{}}
	for range maxParts {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if part == nil || err != nil && !message.IsUnknownCharset(err) {
			b.leave("A part of the mail could not be read.")
			break
		}
		b.take(part)
	}
	text := valid(b.plain.String())
	if strings.TrimSpace(text) == "" {
		text = valid(textOf(b.html.String()))
	}
	in.Text, in.Quoted = quotes(text)
	in.Further = strings.TrimSpace(valid(b.further.String()))
	if in.Forward {
		in.Text, in.Quoted = "", strings.TrimSpace(text)
	}
	in.Files, in.Left = b.files, append(in.Left, b.left...)
}

func valid(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\x00", ""), "�")
}

// reading is what was read of a mail so far.
type reading struct {
	plain, html strings.Builder
	further     strings.Builder // texts that follow what the sender wrote, and may be anybody's
	seen        map[string]bool // the kinds of text that came
	files       []channel.File
	all         int
	left        []string
}

func (b *reading) leave(why string) {
	for _, w := range b.left {
		if w == why {
			return
		}
	}
	b.left = append(b.left, why)
}

// take reads one part. A text that has a name is a file that somebody attached, wherever it is shown.
func (b *reading) take(p *mail.Part) {
	var h mail.AttachmentHeader
	switch in := p.Header.(type) {
	case *mail.InlineHeader:
		h.Header = in.Header
	case *mail.AttachmentHeader:
		h = *in
	}
	kind, _, _ := h.ContentType()
	name, _ := h.Filename()
	if _, inline := p.Header.(*mail.InlineHeader); inline && name == "" {
		if b.text(strings.ToLower(kind), p.Body) {
			return
		}
		name = "inline"
	}
	b.file(name, kind, p.Body)
}

// text reads a part if it is a text. Only the first one is what the sender wrote, or the same in another form.
func (b *reading) text(kind string, from io.Reader) bool {
	switch {
	case kind != "text/plain" && kind != "text/html" && kind != "":
		return false
	case kind == "text/html" && !b.seen[kind]:
		b.read(&b.html, from)
	case kind == "text/html":
		var html strings.Builder
		b.read(&html, from)
		b.further.WriteString("\n\n" + textOf(html.String()))
	case len(b.seen) == 0:
		kind = "text/plain"
		b.read(&b.plain, from)
	default:
		b.further.WriteString("\n\n")
		b.read(&b.further, from)
	}
	b.seen[kind] = true
	return true
}

func (b *reading) read(into *strings.Builder, from io.Reader) {
	raw, err := io.ReadAll(io.LimitReader(from, maxText+1))
	if err != nil {
		b.leave("A part of the mail could not be read.")
	}
	if room := maxText - into.Len(); len(raw) > room {
		raw = raw[:max(room, 0)]
		b.leave("The rest of a long text was left out.")
	}
	into.Write(raw)
}

func (b *reading) file(name, kind string, from io.Reader) {
	if len(b.files) >= maxFiles {
		b.leave(fmt.Sprintf("More than %d files were attached; the rest was left out.", maxFiles))
		return
	}
	raw, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	switch {
	case err != nil:
		b.leave("An attached file could not be read.")
	case len(raw) > maxFile || b.all+len(raw) > maxAll:
		b.leave(fmt.Sprintf("A file larger than %d MB, or one too many, was left out.", maxFile>>20))
	default:
		b.all += len(raw)
		b.files = append(b.files, channel.File{Name: channel.FileName(name, kind, len(b.files)+1), Data: raw})
	}
}
