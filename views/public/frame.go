package public

import (
	"context"

	"gatehouse/views/help"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// Frame is what a public page knows of its reader.
type Frame struct {
	SignedIn bool    // a customer's person is
	Name     string  // who that is
	Notice   *Notice // what the page before left to be said
}

// Notice is one sentence shown once. Kinds: ok, warn, bad.
type Notice struct{ Kind, Text string }

// page is the layout of a page with menu and footer.
func (f Frame) page(ctx context.Context, title i18n.Key) layout.Public {
	return layout.Public{
		Title: i18n.T(ctx, title), SignIn: SignInPath, Reads: true,
		Nav: []ui.Crumb{
			{Label: i18n.T(ctx, "public.nav.how"), Href: HomePath + "#how"},
			{Label: i18n.T(ctx, "public.nav.pricing"), Href: PricingPath},
			{Label: i18n.T(ctx, "public.nav.security"), Href: SecurityPath},
		},
		Start: &ui.Crumb{Label: i18n.T(ctx, "public.nav.plans"), Href: PricingPath},
		Footer: []ui.Crumb{
			{Label: i18n.T(ctx, "public.nav.pricing"), Href: PricingPath},
			{Label: i18n.T(ctx, "public.nav.security"), Href: SecurityPath},
			{Label: i18n.T(ctx, "public.nav.help"), Href: help.Public},
			{Label: i18n.T(ctx, "public.nav.status"), Href: StatusPath},
			{Label: i18n.T(ctx, "public.foot.staff"), Href: StaffSignInPath},
		},
	}
}

// titled is the layout of a page whose title is no word of the catalogue.
func (f Frame) titled(ctx context.Context, title string) layout.Public {
	p := f.page(ctx, "guide.title")
	p.Title = title
	return p
}

// task is the layout of a page with one thing to do.
func (f Frame) task(ctx context.Context, title i18n.Key) layout.Public {
	p := f.page(ctx, title)
	p.Narrow, p.Reads = true, false
	return p
}

// card is the layout of a sign-in page.
func card(ctx context.Context, title i18n.Key, failed bool, foot ...ui.Crumb) layout.Auth {
	return layout.Auth{Title: i18n.T(ctx, title), Failed: failed, Home: HomePath, Foot: foot}
}

// crumb is a link in the words of the catalogue.
func crumb(ctx context.Context, key i18n.Key, href string) ui.Crumb {
	return ui.Crumb{Label: i18n.T(ctx, key), Href: href}
}

// at finds the problem of a field, for the message beside it.
func at(problems []ui.Problem, field string) string {
	for _, p := range problems {
		if p.Field == field {
			return p.Text
		}
	}
	return ""
}
