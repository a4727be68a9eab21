package public

import (
	"context"
	"net/http"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/legal"
	"gatehouse/app/order"
	"gatehouse/app/passkey"
	"gatehouse/app/payment"
	"gatehouse/app/relay"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	"gatehouse/app/welcome"
	"gatehouse/static"

	guide "gatehouse/views/help"
	views "gatehouse/views/public"
)

// Check asks whether one part of the hub works; /status shows the answer.
type Check struct {
	Name string // database, live, queue: a key of the words in views
	Ask  func(ctx context.Context) error
}

// Keys reads the approver keys of a customer's server; approver.Service does.
type Keys interface {
	Of(ctx context.Context, of account.CustomerID) (approver.Ring, error)
}

// Tasks knows the first tasks of a customer; welcome.Service does.
type Tasks interface {
	Of(ctx context.Context, of account.CustomerID) (welcome.State, error)
}

// Handler answers the public pages.
type Handler struct {
	Regain   Regain
	Accounts *account.Service
	Seconds  *account.Seconds
	Staff    *staff.Service
	Orders   *order.Service
	Payments *payment.Service // nil or without a key: the test checkout completes orders
	Keys     Keys
	Sessions *session.Manager
	Relay    *relay.Relay
	Secrets  Secrets
	Checks   []Check
	Legal    legal.Pages
	Tasks    Tasks
	Names    Names
	Passkeys *passkey.Service
	Now      func() time.Time

	repeats repeats
}

// Routes states every route of the package with its audience.
func (h *Handler) Routes() []web.Route {
	get, post := http.MethodGet, http.MethodPost
	return append(append(append(h.secretRoutes(), h.legalRoutes()...), h.passkeyRoutes()...), []web.Route{
		{Method: get, Path: views.HomePath, For: web.Anyone, Cache: true, Do: h.home},
		{Method: get, Path: views.PricingPath, For: web.Anyone, Cache: true, Do: h.pricing},
		{Method: get, Path: views.SecurityPath, For: web.Anyone, Cache: true, Do: h.security},
		{Method: get, Path: views.StatusPath, For: web.Anyone, Do: h.status},
		{Method: get, Path: guide.Public, For: web.Anyone, Cache: true, Do: h.help},
		{Method: get, Path: guide.ArticlePath(guide.Public, "") + ":slug", For: web.Anyone, Cache: true, Do: h.article},
		{Method: get, Path: static.OfflinePath, For: web.Open, Cache: true, Do: h.offline},

		{Method: get, Path: views.ConfigurePath, For: web.Anyone, Do: h.configure},
		{Method: get, Path: views.CheckoutPath, For: web.Anyone, Do: h.checkout},
		{Method: post, Path: views.CheckoutPath, For: web.Anyone, Limit: web.LimitCheckout, Do: h.order},
		{Method: get, Path: views.CheckoutDonePath, For: web.Customer, Right: account.Manage, Do: h.done},
		{Method: get, Path: views.PayPath, For: web.Customer, Right: account.Manage, Do: h.toPay},
		{Method: post, Path: views.PayPath, For: web.Customer, Right: account.Manage, Limit: web.LimitCheckout, Do: h.pay},
		{Method: get, Path: views.PaidPattern, For: web.Customer, Right: account.Manage, Limit: web.LimitCheckout, Do: h.paid},
		{Method: get, Path: views.OnboardPath, For: web.Customer, Right: account.Manage, Do: h.onboard},
		{Method: get, Path: views.OnboardStreamPath, For: web.Customer, Right: account.Manage, Stream: true, Do: h.follow},
		{Method: post, Path: views.OnboardNamePath, For: web.Customer, Right: account.Manage, Limit: web.LimitCheckout, Do: h.actOnName},
		{Method: get, Path: views.OnboardEnterPath, For: web.Customer, Right: account.Manage, Do: h.enter},
		{Method: post, Path: views.CallOffPath, For: web.Customer, Right: account.Manage, Do: h.callOff},
		{Method: post, Path: views.KeepPath, For: web.Customer, Right: account.Manage, Do: h.keep},

		{Method: get, Path: views.RegainPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.askStop},
		{Method: post, Path: views.RegainPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.stop},
		{Method: get, Path: views.SignInPath, For: web.Anyone, Do: h.askSignIn},
		{Method: post, Path: views.SignInPath, For: web.Anyone, Limit: web.LimitSignIn, Do: h.signIn},
		{Method: get, Path: views.SecondPath, For: web.CustomerHalf, Do: h.askCode},
		{Method: post, Path: views.SecondPath, For: web.CustomerHalf, Limit: web.LimitSignIn, Do: h.code},
		{Method: post, Path: views.SecondOutPath, For: web.CustomerHalf, Do: h.leaveCode},
		{Method: get, Path: views.LinkSentPath, For: web.Anyone, Do: h.linkSent},
		{Method: post, Path: views.LinkSentPath, For: web.Anyone, Limit: web.LimitMail, Do: h.sendLink},
		{Method: get, Path: views.LinkPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.askLink},
		{Method: post, Path: views.LinkPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.useLink},
		{Method: post, Path: views.SignOutPath, For: web.Customer, Right: account.Look, Do: h.signOut},
		{Method: post, Path: views.SignOutAllPath, For: web.Customer, Right: account.Look, Do: h.signOutEverywhere},
		{Method: get, Path: views.SignedOutPath, For: web.Open, Do: h.signedOut},
		{Method: get, Path: views.ForgotPath, For: web.Anyone, Do: h.askForgot},
		{Method: post, Path: views.ForgotPath, For: web.Anyone, Limit: web.LimitMail, Do: h.forgot},
		{Method: get, Path: views.ResetPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.askReset},
		{Method: post, Path: views.ResetPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.reset},
		{Method: get, Path: views.VerifyPattern, For: web.Anyone, Do: h.askVerify},
		{Method: post, Path: views.VerifyPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.verify},
		{Method: get, Path: views.InvitePattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.askMember},
		{Method: post, Path: views.InvitePattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.joinAsMember},
		{Method: post, Path: views.AskVerifyPath, For: web.Customer, Right: account.Look, Limit: web.LimitMail, Do: h.sendVerify},

		{Method: get, Path: views.StaffSignInPath, For: web.Open, Do: h.askStaffSignIn},
		{Method: post, Path: views.StaffSignInPath, For: web.Open, Limit: web.LimitSignIn, Do: h.staffSignIn},
		{Method: get, Path: views.StaffSecondPath, For: web.StaffPending, Do: h.askSecond},
		{Method: post, Path: views.StaffSecondPath, For: web.StaffPending, Limit: web.LimitSignIn, Do: h.second},
		{Method: get, Path: views.StaffBackupPath, For: web.StaffPending, Do: h.askBackup},
		{Method: post, Path: views.StaffBackupPath, For: web.StaffPending, Limit: web.LimitSignIn, Do: h.backup},
		{Method: get, Path: views.StaffJoinPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.askJoin},
		{Method: post, Path: views.StaffJoinPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.join},
		{Method: get, Path: views.StaffSetUpPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.askSetUp},
		{Method: post, Path: views.StaffSetUpPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.setUp},
		{Method: post, Path: views.StaffSecondOutPath, For: web.StaffPending, Do: h.giveUp},
		{Method: post, Path: views.StaffSignOutPath, For: web.Staff, Needs: staff.Own, Do: h.staffSignOut},
		{Method: post, Path: views.StaffOutAllPath, For: web.Staff, Needs: staff.Own, Do: h.staffSignOutEverywhere},
		{Method: get, Path: views.StaffOutDonePath, For: web.Open, Do: h.staffSignedOut},
	}...)
}
