package people

import (
	"context"
	"net/url"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Paths below the page of people.
const (
	LeavePath       = portal.People + "/leave"
	invitationsPath = portal.People + "/invitations/"
)

// PersonPath is where a person's rights are changed.
func PersonPath(id string) string { return portal.People + "/" + url.PathEscape(id) }

// RemovePath takes a person out of the business.
func RemovePath(id string) string { return PersonPath(id) + "/remove" }

// InvitationPath is where an open invitation is changed: "again" or "revoke".
func InvitationPath(id, act string) string { return invitationsPath + url.PathEscape(id) + "/" + act }

// What a person may do, as forms choose it.
const (
	Looks    = "look"
	Chats    = "chat"
	Approves = "approve"
	Both     = "both"
	Owns     = "owner"
)

// Props is the people of a business.
type Props struct {
	People   []PersonProps
	Invited  []InvitedProps
	Proven   bool // the reader's own address is confirmed: nobody else may invite
	Confirm  *portal.ConfirmProps
	Email    string // as typed
	May      string // as chosen
	Problems []ui.Problem
	Stale    []StaleProps
}

// PersonProps is one person.
type PersonProps struct {
	ID, Name, Email string
	May             string // one of the choices
	Verified        bool
	Seen            time.Time // zero: nothing is known
	Me              bool
}

// InvitedProps is one open invitation.
type InvitedProps struct {
	ID, Email, May string
	Sent, Expires  time.Time
	Expired        bool
	Refused        bool // the mail server took no mail for the address
}

// StaleProps is a device that the server still lets approve although its person no longer may.
type StaleProps struct {
	Device, Person string
}

// OneProps is one person whose rights are to be changed.
type OneProps struct {
	PersonProps
	Last     bool // the only owner
	Problems []ui.Problem
}

var mayWords = map[string]i18n.Key{
	Looks: "portal.people.may_look", Chats: "portal.people.may_chat", Approves: "portal.people.may_approve", Both: "portal.people.may_both",
	Owns: "portal.people.may_owner",
}

func mayWord(ctx context.Context, may string) string { return i18n.T(ctx, mayWords[may]) }

func choices(ctx context.Context, all ...string) []ui.Option {
	hints := map[string]i18n.Key{
		Looks: "portal.people.look_hint", Chats: "portal.people.chat_hint", Approves: "portal.people.approve_hint",
		Both: "portal.people.both_hint",
		Owns: "portal.people.owner_hint",
	}
	out := make([]ui.Option, len(all))
	for i, may := range all {
		out[i] = ui.Option{Value: may, Label: mayWord(ctx, may), Hint: i18n.T(ctx, hints[may])}
	}
	return out
}

func problemAt(all []ui.Problem, field string) string {
	for _, p := range all {
		if p.Field == field {
			return p.Text
		}
	}
	return ""
}
