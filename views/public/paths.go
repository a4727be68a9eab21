package public

import "net/url"

// Addresses of the public pages. Handlers mount these, views link to them; nobody writes them out.
const (
	HomePath          = "/"
	PricingPath       = "/pricing"
	SecurityPath      = "/security"
	StatusPath        = "/status"
	ConfigurePath     = "/checkout/configure"
	CheckoutPath      = "/checkout"
	CheckoutDonePath  = "/checkout/done"
	PayPath           = "/checkout/pay"
	PayAwayPath       = PayPath + "?away=1"
	PaidPattern       = "/checkout/return/:id"
	OnboardPath       = "/onboard"
	OnboardStreamPath = "/onboard/stream"
	OnboardEnterPath  = "/onboard/enter"
	CallOffPath       = "/onboard/cancel"
	KeepPath          = "/onboard/keep"
	OnboardNamePath   = "/onboard/name"
	PortalPath        = "/app"
	BillingPath       = "/app/billing"
	ThemePath         = "/theme"
)

// Addresses of signing in and out.
const (
	SignInPath            = "/auth/sign-in"
	SignOutPath           = "/auth/sign-out"
	SignOutAllPath        = "/auth/sign-out-everywhere"
	SignedOutPath         = "/auth/signed-out"
	SecondPath            = "/auth/second"
	PasskeyPath           = "/auth/passkey"
	PasskeyBeginPath      = "/auth/passkey/begin"
	SecondOutPath         = "/auth/second/sign-out"
	LinkSentPath          = "/auth/link"
	LinkPattern           = "/auth/link/:token"
	ForgotPath            = "/auth/forgot"
	ResetPattern          = "/auth/reset/:token"
	VerifyPattern         = "/auth/verify/:token"
	InvitePattern         = "/auth/invite/:token"
	RegainPattern         = "/auth/regain/:token"
	AskVerifyPath         = "/auth/verify"
	StaffPath             = "/admin"
	StaffSignInPath       = "/admin/auth/sign-in"
	StaffPasskeyPath      = "/admin/auth/passkey"
	StaffPasskeyBeginPath = "/admin/auth/passkey/begin"
	StaffSecondPath       = "/admin/auth/2fa"
	StaffSecondOutPath    = "/admin/auth/2fa/sign-out"
	StaffSignOutPath      = "/admin/auth/sign-out"
	StaffOutAllPath       = "/admin/auth/sign-out-everywhere"
	StaffOutDonePath      = "/admin/auth/signed-out"
	StaffBackupPath       = "/admin/auth/2fa/backup"
	StaffJoinPattern      = "/admin/auth/invite/:token"
	StaffSetUpPattern     = "/admin/auth/second/:token"
)

// ConfigureWith is the first step of an order with a plan chosen.
func ConfigureWith(plan string) string { return ConfigurePath + "?plan=" + url.QueryEscape(plan) }

// ResetPath is where a mailed link leads to choose a new password.
func ResetPath(token string) string { return "/auth/reset/" + url.PathEscape(token) }

// LinkPath is where a mailed link leads to sign in.
func LinkPath(token string) string { return LinkSentPath + "/" + url.PathEscape(token) }

// VerifyPath is where a mailed link leads to confirm an address.
func VerifyPath(token string) string { return "/auth/verify/" + url.PathEscape(token) }

// InvitePath is where a mailed invitation leads.
func InvitePath(token string) string { return "/auth/invite/" + url.PathEscape(token) }

// SignInWith is the sign-in page with the way back.
func SignInWith(next string) string { return SignInPath + "?next=" + url.QueryEscape(next) }

// SecondWith is the second step of a sign-in with the way on.
func SecondWith(next string) string { return SecondPath + "?next=" + url.QueryEscape(next) }

// StaffSecondWith is the second step of the staff's sign-in with the way on.
func StaffSecondWith(next string) string { return StaffSecondPath + "?next=" + url.QueryEscape(next) }

// StaffBackupWith is the second step with a backup code, with the way on.
func StaffBackupWith(next string) string { return StaffBackupPath + "?next=" + url.QueryEscape(next) }

// StaffJoinPath is where a mailed invitation to the staff leads.
func StaffJoinPath(token string) string { return "/admin/auth/invite/" + url.PathEscape(token) }

// StaffSetUpPath is where one of the staff sets their second step up again.
func StaffSetUpPath(token string) string { return "/admin/auth/second/" + url.PathEscape(token) }

// Addresses of one-time links to secrets. What opens them stands behind the # and never reaches the hub.
const (
	SecretLinkPattern = "/s/:id"
	secretLinkPrefix  = "/s/"
)

// SecretLinkPath is one link, without what opens it.
func SecretLinkPath(id string) string { return secretLinkPrefix + url.PathEscape(id) }

// RegainPath stops the case of an owner who lost everything.
func RegainPath(token string) string { return "/auth/regain/" + url.PathEscape(token) }
