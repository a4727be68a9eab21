package public

import (
	"context"
	"strings"

	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// JoinProps is the page behind an invitation to the staff.
type JoinProps struct {
	Action   string
	Email    string // of the invited
	By       string // who invites
	Role     string // as the table of permissions calls it
	Name     string // as typed
	Key      string // what their app has to learn
	Link     string // the same for its camera
	Problems []ui.Problem
}

// SetUpProps is the page behind a link to set the second step up again.
type SetUpProps struct {
	Action   string
	Email    string
	Key      string // what their app has to learn
	Link     string // the same for its camera
	Problems []ui.Problem
}

// BackupProps is the second step with a backup code.
type BackupProps struct {
	Next     string
	Email    string
	Problems []ui.Problem
}

// RoleWord names a role of the staff.
func RoleWord(ctx context.Context, role string) string {
	return i18n.T(ctx, i18n.Key("staff.role."+strings.ToLower(role)))
}

// RoleMay says what a role of the staff may do.
func RoleMay(ctx context.Context, role string) string {
	return i18n.T(ctx, i18n.Key("staff.may."+strings.ToLower(role)))
}

// BackupUsed says that a backup code was used, and how many are left.
func BackupUsed(ctx context.Context, left int) string {
	if left == 0 {
		return i18n.T(ctx, "staff.backup.none_left")
	}
	return i18n.T(ctx, "staff.backup.used", "n", left)
}

// staffCard is the layout of a sign-in page of the console.
func staffCard(ctx context.Context, title i18n.Key, failed bool) layout.Auth {
	a := card(ctx, title, failed, crumb(ctx, "staff.to_sign_in", StaffSignInPath))
	a.Staff = true
	return a
}

func staffCodesCard(ctx context.Context) layout.Auth {
	a := card(ctx, "staff.codes.title", false)
	a.Staff = true
	return a
}

func backupCard(ctx context.Context, p BackupProps) layout.Auth {
	a := card(ctx, "staff.backup.title", len(p.Problems) > 0, crumb(ctx, "staff.backup.to_app", StaffSecondWith(p.Next)))
	a.Staff = true
	return a
}
