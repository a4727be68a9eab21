package email

import (
	"strings"

	"github.com/emersion/go-message/mail"
)

// skip says why a mail is never answered (RFC 3834); empty: it is.
func (m *Mailbox) skip(h mail.Header, from string) string {
	local, _, _ := strings.Cut(from, "@")
	auto := strings.ToLower(strings.TrimSpace(h.Get("Auto-Submitted")))
	kind, _, _ := h.ContentType()
	switch {
	case from == m.set.Address:
		return "It came from this mailbox itself."
	case strings.TrimSpace(h.Get("Return-Path")) == "<>", kind == "multipart/report":
		return "It is a report of a mail server."
	case auto != "" && auto != "no", h.Has("X-Autoreply"), h.Has("X-Autorespond"):
		return "A program has sent it."
	case h.Has("List-Id"), h.Has("List-Post"), h.Has("List-Unsubscribe"), bulk[strings.ToLower(strings.TrimSpace(h.Get("Precedence")))]:
		return "It came to many people, by a list."
	case machines[local]:
		return "Its sender reads no answers."
	}
	return ""
}

var bulk = map[string]bool{"bulk": true, "list": true, "junk": true, "auto_reply": true}

var machines = map[string]bool{
	"mailer-daemon": true, "postmaster": true, "noreply": true, "no-reply": true, "donotreply": true, "do-not-reply": true,
	"bounce": true, "bounces": true,
}
