package order

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/dns"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/work"
)

// Choice is what is ordered.
type Choice struct {
	Plan         pricing.PlanID
	Region       Region // empty: EU
	BusinessType string // may be empty
	Provider     string // where the server is set up; empty: where the hub sets servers up
	Domain       string // the customer's own, as typed; empty: a name under ours
	ApproverKey  string // of the browser that orders; may be empty: then the owner's first key is enrolled with a code
	Passkey      string // id of the credential, when that key is a passkey; empty: the browser keeps it itself
	AdminKey     string // the owner's own SSH key, as pasted; may be empty
	Snapshots    bool   // the owner agrees to snapshots of the server
	ApproverBox  string // wire.BoxKey in JSON, of the same browser; may be empty: then no recovery code is made for it
}

// paidByTest marks orders that the built-in test checkout completed: it takes no money.
const paidByTest = "test"

// Checkout signs a newcomer up and orders, in one transaction; the built-in test checkout pays. The caller signs the
// person in.
func (s *Service) Checkout(ctx context.Context, in account.SignUp, c Choice) (account.User, Order, error) {
	plan, c, err := s.Prepare(ctx, c)
	if err != nil {
		return account.User{}, Order{}, err
	}
	acc, err := s.Accounts.Prepare(ctx, in)
	if err != nil {
		return account.User{}, Order{}, err
	}
	o, err := s.create(ctx, acc.Customer, acc.Owner, &acc, plan, c)
	if err != nil {
		return account.User{}, Order{}, fmt.Errorf("checkout: %w", err)
	}
	return acc.Owner, o, nil
}

// Create orders for a customer that is there already; the built-in test checkout pays. A customer has one server, so
// only an order that was cancelled leaves room for another.
func (s *Service) Create(ctx context.Context, of account.CustomerID, by account.User, c Choice) (Order, error) {
	plan, c, err := s.Prepare(ctx, c)
	if err != nil {
		return Order{}, err
	}
	customer, err := s.Accounts.Customer(ctx, of)
	if err != nil {
		return Order{}, fmt.Errorf("order: %w", err)
	}
	o, err := s.create(ctx, customer, by, nil, plan, c)
	if err != nil {
		return Order{}, fmt.Errorf("order: %w", err)
	}
	return o, nil
}

func (s *Service) create(ctx context.Context, customer account.Customer, by account.User, acc *account.New, plan pricing.Plan, c Choice) (Order, error) {
	if s.TestPays != nil {
		if err := s.TestPays(ctx); err != nil {
			return Order{}, err
		}
	}
	n, err := s.draft(customer, Placing{
		By: by, Choice: c, Price: plan.Monthly, Currency: pricing.Currency, PaidBy: paidByTest,
		Text: "Payment confirmed by the built-in test checkout. No money was taken.",
	})
	if err != nil {
		return Order{}, err
	}
	if n.Account = acc; acc != nil {
		n.Change.Work = append(n.Change.Work, acc.Work...)
	}
	o, err := s.Store.Create(ctx, n)
	if err != nil {
		return Order{}, err
	}
	s.Told(ctx, o)
	return o, nil
}

// draft is an order of a customer, ready to be stored.
func (s *Service) draft(customer account.Customer, p Placing) (New, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return New{}, err
	}
	now, c := s.Now().UTC(), p.Choice
	o := Order{
		ID: ID(id.String()), CustomerID: customer.ID, OrderedBy: p.By.ID, Plan: c.Plan, Price: p.Price,
		Currency: p.Currency, PaidBy: p.PaidBy, Region: c.Region, Provider: c.Provider, BusinessType: c.BusinessType,
		Slug: slug(customer.Name), Domain: c.Domain,
		ApproverKey: c.ApproverKey, Passkey: c.Passkey, ApproverBox: c.ApproverBox, AdminKey: c.AdminKey,
		Mode: Mode(s.Rules.Mode.Or(string(Auto))), State: PaymentConfirmed, CreatedAt: now, UpdatedAt: now,
	}
	ch := Change{Events: []Event{o.event(now, p.By.Email, p.Text)}, Work: o.step()}
	return New{Order: o, Change: ch, Snapshots: c.Snapshots}, nil
}

func (c Choice) check(plans []pricing.Plan, names dns.Policy) (pricing.Plan, Choice, error) {
	plan, err := pricing.FindIn(plans, c.Plan)
	if err != nil {
		return plan, c, err
	}
	if c.Region == "" {
		c.Region = EU
	}
	c.BusinessType = strings.Join(strings.Fields(c.BusinessType), " ")
	bad := map[string]string{}
	if c.Region != EU && c.Region != NA {
		bad["region"] = "Choose one of the regions."
	}
	switch {
	case utf8.RuneCountInString(c.BusinessType) > 60:
		bad["business_type"] = "At most 60 characters."
	case strings.ContainsFunc(c.BusinessType, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }):
		bad["business_type"] = "Letters, digits, spaces and signs only."
	}
	var problem string
	if c.Domain, problem = names.Parse(c.Domain); problem != "" {
		bad["domain"] = problem
	}
	if c.AdminKey, problem = readAdminKey(c.AdminKey); problem != "" {
		bad["admin_key"] = problem
	}
	if len(bad) > 0 {
		return plan, c, fault.Bad(bad)
	}
	if !c.keysFit() {
		return plan, c, ErrKey
	}
	return plan, c, nil
}

// keysFit says whether what a browser brought can be read. Whether its key for boxes is vouched for, agentd checks.
func (c Choice) keysFit() bool {
	if c.ApproverKey == "" {
		return c.ApproverBox == "" && c.Passkey == ""
	}
	if _, err := wire.ParseApproverKey(keyKind(c.Passkey), c.ApproverKey); err != nil || !isCredential(c.Passkey) {
		return false
	}
	_, err := wire.ParseBoxKey(c.ApproverBox, wire.ApproverKeyIDOf(c.ApproverKey))
	return c.ApproverBox == "" || err == nil
}

// slug makes a name for addresses of a business name: letters without their accents, digits and hyphens, with six random
// digits so that two businesses of the same name do not meet.
func slug(name string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(name)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 30 {
			break
		}
	}
	stem := strings.Trim(b.String(), "-")
	if stem == "" {
		stem = "business"
	}
	var six [3]byte
	_, _ = rand.Read(six[:]) // never fails: it ends the program instead
	return stem + "-" + hex.EncodeToString(six[:])
}

// step is the job that does the work of the state in which the order is, unless people press each step. Giving back what was made
// waits for nobody.
func (o Order) step() []work.Item {
	if !o.State.Live() || o.Mode != Auto && !o.State.GivesBack() {
		return nil
	}
	return []work.Item{work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt}}
}
