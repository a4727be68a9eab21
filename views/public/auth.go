package public

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/layout"
)

func signInCard(ctx context.Context, p SignInProps) layout.Auth {
	if p.Staff {
		a := card(ctx, "public.signin.staff_title", len(p.Problems) > 0)
		a.Staff = true
		return a
	}
	return card(ctx, "public.signin.title", len(p.Problems) > 0,
		crumb(ctx, "public.signin.forgot", ForgotPath), crumb(ctx, "public.signin.new", PricingPath))
}

func secondCard(ctx context.Context, p SecondProps) layout.Auth {
	if p.Customer {
		return card(ctx, "public.second.title", len(p.Problems) > 0, crumb(ctx, "public.second.back", SignInPath))
	}
	a := card(ctx, "public.second.title", len(p.Problems) > 0, crumb(ctx, "public.second.back", StaffSignInPath))
	a.Staff = true
	return a
}

// BackupLeft says that a backup code was used, and how many are left.
func BackupLeft(ctx context.Context, n int) string {
	return i18n.T(ctx, "public.second.left", "n", n)
}
