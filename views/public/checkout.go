package public

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// Choice is what was chosen so far.
type Choice struct{ Plan, Region, BusinessType string }

// ConfigureProps is the first step of an order.
type ConfigureProps struct {
	Plans  []Plan
	Kinds  []ui.Option // of business
	Choice Choice
}

// CheckoutProps is the second step: what is ordered and who orders it.
type CheckoutProps struct {
	Choice                Choice
	Plan                  Plan
	Ticket                string // makes a double click one order
	ApproverKey           string // that this browser made when the form was sent before
	Passkey               string // the credential of that key, when it is a passkey
	Business, Name, Email string // as typed
	Domain                string // as typed
	AdminKey              string // as typed
	Snapshots             bool   // agreed to
	OwnDomain             bool   // customers may bring one
	Taken                 bool   // the address has an account
	Money                 bool   // it is paid with money, on a page of the payment provider
	Problems              []ui.Problem
}

// DoneProps is what was ordered.
type DoneProps struct {
	Number      int64
	Plan, Email string
	Price       int64 // cents a month
	Money       bool  // it was paid with money
}

func planField(ctx context.Context, p ConfigureProps) ui.Field {
	f := ui.Field{Name: "plan", Kind: "radio", Label: i18n.T(ctx, "public.configure.plan"), Value: p.Choice.Plan, Required: true}
	for _, plan := range p.Plans {
		f.Options = append(f.Options, ui.Option{
			Value: plan.ID, Label: i18n.T(ctx, "public.configure.plan_option", "plan", plan.Name, "price", i18n.Euros(ctx, plan.Price)),
			Hint: i18n.T(ctx, "public.configure.pool_hint", "pool", plan.pool(ctx)),
		})
	}
	return f
}

func regionField(ctx context.Context, c Choice) ui.Field {
	f := ui.Field{Name: "region", Kind: "radio", Label: i18n.T(ctx, "public.configure.region"), Value: c.Region, Required: true}
	for _, r := range []string{"eu", "na"} {
		f.Options = append(f.Options, ui.Option{Value: r, Label: regionWord(ctx, r), Hint: i18n.T(ctx, i18n.Key("public.configure."+r+"_hint"))})
	}
	return f
}

func regionWord(ctx context.Context, region string) string {
	return i18n.T(ctx, i18n.Key("public.configure."+region))
}

func kindField(ctx context.Context, p ConfigureProps) ui.Field {
	f := ui.Field{
		Name: "business_type", Kind: "select", Label: i18n.T(ctx, "public.configure.business"),
		Hint: i18n.T(ctx, "public.configure.business_hint"), Value: p.Choice.BusinessType,
	}
	f.Options = append([]ui.Option{{Label: i18n.T(ctx, "public.configure.type_none")}}, p.Kinds...)
	return f
}

// accountFields are what a newcomer types.
func accountFields(ctx context.Context, p CheckoutProps) []ui.Field {
	field := func(name, kind, value, auto string) ui.Field {
		return ui.Field{
			Name: name, Kind: kind, Value: value, Autocomplete: auto, Required: true,
			Label: i18n.T(ctx, i18n.Key("public.checkout."+name)), Error: at(p.Problems, name),
		}
	}
	email := field("email", "email", p.Email, "email")
	email.Hint, email.Code = i18n.T(ctx, "public.checkout.email_hint"), true
	password := field("password", "password", "", "new-password")
	password.Hint = i18n.T(ctx, "public.checkout.password_hint")
	return []ui.Field{
		field("business", "", p.Business, "organization"), field("name", "", p.Name, "name"), email, password,
	}
}

// chosen lists what is ordered.
func chosen(ctx context.Context, p CheckoutProps) []ui.Pair {
	return []ui.Pair{
		{Name: i18n.T(ctx, "public.checkout.plan"), Value: p.Plan.Name},
		{
			Name:  i18n.T(ctx, "public.checkout.price"),
			Value: i18n.T(ctx, "public.checkout.per_month", "price", i18n.Euros(ctx, p.Plan.Price)),
		},
		{Name: i18n.T(ctx, "public.checkout.pool"), Value: i18n.T(ctx, "public.pricing.pool", "pool", p.Plan.pool(ctx))},
		{Name: i18n.T(ctx, "public.checkout.region"), Value: regionWord(ctx, p.Choice.Region)},
		{Name: i18n.T(ctx, "public.checkout.address"), Value: i18n.T(ctx, "public.checkout.address_text")},
		{Name: i18n.T(ctx, "public.checkout.total"), Value: today(ctx, p)},
	}
}

// checkoutPage is the layout of the checkout; its title tells when the form came back.
func checkoutPage(ctx context.Context, f Frame, p CheckoutProps) layout.Public {
	page := f.page(ctx, "public.checkout.title")
	page.Failed = len(p.Problems) > 0
	page.Reads = false // the browser makes the owner's first key here
	return page
}

// today is what is paid now.
func today(ctx context.Context, p CheckoutProps) string {
	if p.Money {
		return i18n.T(ctx, "payment.today", "price", i18n.Euros(ctx, p.Plan.Price))
	}
	return i18n.T(ctx, "public.checkout.total_text")
}

// payWord is what the button says that ends the checkout.
func payWord(ctx context.Context, p CheckoutProps) string {
	if p.Money {
		return i18n.T(ctx, "payment.pay")
	}
	return i18n.T(ctx, "public.checkout.pay")
}

// paidWord is how an order was paid.
func paidWord(ctx context.Context, p DoneProps) string {
	if p.Money {
		return i18n.T(ctx, "payment.done")
	}
	return i18n.T(ctx, "public.done.paid_test")
}
