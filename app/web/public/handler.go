package public

import (
	"context"
	"net/http"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/order"
	"gatehouse/app/relay"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
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

// Handler answers the public pages.
type Handler struct {
	Accounts *account.Service
	Staff    *staff.Service
	Orders   *order.Service
	Keys     Keys
	Sessions *session.Manager
	Relay    *relay.Relay
	Secrets  Secrets
	Checks   []Check
	Now      func() time.Time

	repeats repeats
}

// Routes states every route of the package with its audience.
func (h *Handler) Routes() []web.Route {
	get, post := http.MethodGet, http.MethodPost
	return append(h.secretRoutes(), []web.Route{
		{Method: get, Path: views.HomePath, For: web.Anyone, Cache: true, Do: h.home},
		{Method: get, Path: views.PricingPath, For: web.Anyone, Cache: true, Do: h.pricing},
		{Method: get, Path: views.SecurityPath, For: web.Anyone, Cache: true, Do: h.security},
		{Method: get, Path: views.StatusPath, For: web.Anyone, Do: h.status},

		{Method: get, Path: views.ConfigurePath, For: web.Anyone, Do: h.configure},
		{Method: get, Path: views.CheckoutPath, For: web.Anyone, Do: h.checkout},
		{Method: post, Path: views.CheckoutPath, For: web.Anyone, Limit: web.LimitCheckout, Do: h.order},
		{Method: get, Path: views.CheckoutDonePath, For: web.Customer, Do: h.done},
		{Method: get, Path: views.OnboardPath, For: web.Customer, Do: h.onboard},
		{Method: get, Path: views.OnboardStreamPath, For: web.Customer, Stream: true, Do: h.follow},
		{Method: get, Path: views.OnboardEnterPath, For: web.Customer, Do: h.enter},

		{Method: get, Path: views.SignInPath, For: web.Anyone, Do: h.askSignIn},
		{Method: post, Path: views.SignInPath, For: web.Anyone, Limit: web.LimitSignIn, Do: h.signIn},
		{Method: post, Path: views.SignOutPath, For: web.Customer, Do: h.signOut},
		{Method: post, Path: views.SignOutAllPath, For: web.Customer, Do: h.signOutEverywhere},
		{Method: get, Path: views.SignedOutPath, For: web.Open, Do: h.signedOut},
		{Method: get, Path: views.ForgotPath, For: web.Anyone, Do: h.askForgot},
		{Method: post, Path: views.ForgotPath, For: web.Anyone, Limit: web.LimitMail, Do: h.forgot},
		{Method: get, Path: views.ResetPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.askReset},
		{Method: post, Path: views.ResetPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.reset},
		{Method: get, Path: views.VerifyPattern, For: web.Anyone, Do: h.askVerify},
		{Method: post, Path: views.VerifyPattern, For: web.Anyone, Limit: web.LimitSignIn, Do: h.verify},
		{Method: post, Path: views.AskVerifyPath, For: web.Customer, Limit: web.LimitMail, Do: h.sendVerify},

		{Method: get, Path: views.StaffSignInPath, For: web.Open, Do: h.askStaffSignIn},
		{Method: post, Path: views.StaffSignInPath, For: web.Open, Limit: web.LimitSignIn, Do: h.staffSignIn},
		{Method: get, Path: views.StaffSecondPath, For: web.StaffPending, Do: h.askSecond},
		{Method: post, Path: views.StaffSecondPath, For: web.StaffPending, Limit: web.LimitSignIn, Do: h.second},
		{Method: post, Path: views.StaffSecondOutPath, For: web.StaffPending, Do: h.giveUp},
		{Method: post, Path: views.StaffSignOutPath, For: web.Staff, Do: h.staffSignOut},
		{Method: post, Path: views.StaffOutAllPath, For: web.Staff, Do: h.staffSignOutEverywhere},
		{Method: get, Path: views.StaffOutDonePath, For: web.Open, Do: h.staffSignedOut},
	}...)
}
