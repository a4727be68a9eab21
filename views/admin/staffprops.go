package admin

import (
	"context"
	"net/url"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// The addresses of the staff's own administration.
const (
	StaffPath       = "/admin/staff"
	InvitePath      = StaffPath + "/invite"
	InvitationPath  = StaffPath + "/invitation" // takes an act on an invitation: again, revoke
	ProfilePath     = "/admin/profile"
	ProfileNamePath = ProfilePath + "/name"
	PhotoPath       = ProfilePath + "/photo"
	LanguagePath    = ProfilePath + "/language"
	PasswordPath    = ProfilePath + "/password"
	CodesPath       = ProfilePath + "/codes"
	SecondPath      = ProfilePath + "/second"
	ConfirmPath     = SecondPath + "/confirm"
	SigninsPath     = ProfilePath + "/sign-ins"
)

// MemberPath is the page of one of the staff.
func MemberPath(id string) string { return StaffPath + "/" + id }

// MemberActPath takes an act on one of the staff: role, off, on, second, sign_out.
func MemberActPath(id string) string { return MemberPath(id) + "/act" }

// Member is one of the staff.
type Member struct {
	ID, Name, Email, Role string
	Second                bool      // the second step is set up
	Codes                 int       // backup codes left; on their own page only
	Since, Seen, Off      time.Time // zero Off: the account works
	Self                  bool      // it is the reader's own
	Face                  ui.Person
}

// MemberPage is one of the staff with what the reader may do.
type MemberPage struct {
	Member
	Roles    []string // the reader may give; none: they may change nothing here
	Problems map[string]string
}

// StaffList is everybody, and who was invited.
type StaffList struct {
	Members     []Member
	Invitations []Invitation
	Roles       []string  // the mightiest first
	May         []Granted // what each may do
}

// Invitation is somebody who was asked to join.
type Invitation struct {
	ID, Email, Role, By string
	Since, Sent, Until  time.Time
	Refused             bool // the mail server took no mail to that address
	Expired             bool
	Manages             bool // the reader may send it again and take it back
}

// InviteForm asks whom to invite.
type InviteForm struct {
	Email, Role, Language string
	Roles                 []string
	Problems              []ui.Problem
}

// Profile is the reader's own account.
type Profile struct {
	Member
	Name, Language string // as typed, or as they are
	SecondAt       time.Time
	Signins        []Signin
	Passkeys       ui.PasskeyList
	SignOutAll     string
	Problems       map[string]string
}

// Signin is one browser in which the reader is signed in.
type Signin struct {
	ID, Address, Device string
	Since, Seen         time.Time
	This                bool
}

// NewSecond is a new second step that waits for its first code.
type NewSecond struct {
	Key, Link string
	Problems  []ui.Problem
}

func roleWord(ctx context.Context, role string) string {
	return i18n.T(ctx, i18n.Key("staff.role."+strings.ToLower(role)))
}

// roleOptions are roles to choose from, each with what it may do.
func roleOptions(ctx context.Context, roles []string) []ui.Option {
	var out []ui.Option
	for _, r := range roles {
		out = append(out, ui.Option{Value: r, Label: roleWord(ctx, r), Hint: i18n.T(ctx, i18n.Key("staff.may."+strings.ToLower(r)))})
	}
	return out
}

// languageOptions are the languages, each named in itself.
func languageOptions() []ui.Option {
	var out []ui.Option
	for _, l := range i18n.Languages {
		out = append(out, ui.Option{Value: l.Locale, Label: l.Name})
	}
	return out
}

// problem is the message beside a field.
func problem(problems []ui.Problem, field string) string {
	for _, p := range problems {
		if p.Field == field {
			return p.Text
		}
	}
	return ""
}

// PhotoOf is where the photo of one of our staff is, by the name of its file: another photo has another address.
func PhotoOf(id, file string) string {
	return MemberPath(id) + "/photo?" + url.Values{"of": {file}}.Encode()
}
