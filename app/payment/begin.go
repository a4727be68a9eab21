package payment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
)

// LetterWaiting is the mail that says that an order waits for its payment.
const LetterWaiting = "payment_waiting"

// Letters says whether a mail is about a payment.
func Letters(template string) bool {
	return slices.Contains([]string{LetterWaiting, LetterFailed, LetterPaused, LetterLast, LetterExpires, LetterHelp}, template)
}

// ErrNothing says that nothing waits for a payment.
var ErrNothing = fault.New(fault.NotFound, "nothing-to-pay", "no checkout is open", "No order of yours is waiting for a payment.")

// SignUp stores a newcomer with what they want to order. The account is there before the provider hears of anything: whoever loses
// the way there comes back to it.
func (s *Service) SignUp(ctx context.Context, in account.SignUp, c order.Choice) (account.User, error) {
	plan, c, err := s.Orders.Prepare(ctx, c)
	if err != nil {
		return account.User{}, err
	}
	acc, err := s.Accounts.Prepare(ctx, in)
	if err != nil {
		return account.User{}, err
	}
	out, err := s.checkout(acc.Owner, plan, c)
	if err != nil {
		return account.User{}, err
	}
	if err := s.Store.Begin(ctx, out, &acc, acc.Work); err != nil {
		return account.User{}, fmt.Errorf("checkout: %w", err)
	}
	return acc.Owner, nil
}

// Begin stores what a customer who is there already wants to order.
func (s *Service) Begin(ctx context.Context, by account.User, c order.Choice) error {
	plan, c, err := s.Orders.Prepare(ctx, c)
	if err != nil {
		return err
	}
	out, err := s.checkout(by, plan, c)
	if err != nil {
		return err
	}
	if err := s.Store.Begin(ctx, out, nil, nil); err != nil {
		return fmt.Errorf("checkout: %w", err)
	}
	return nil
}

func (s *Service) checkout(by account.User, plan pricing.Plan, c order.Choice) (Checkout, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Checkout{}, fmt.Errorf("checkout: %w", err)
	}
	return Checkout{
		ID: CheckoutID(id.String()), CustomerID: by.CustomerID, By: by.ID, Choice: c, Price: plan.Monthly, Currency: pricing.Currency,
		State: Open, CreatedAt: s.Now().UTC(),
	}, nil
}

// Waiting is the order of a customer that waits for its payment, with the newest try to pay it: empty when there was none.
func (s *Service) Waiting(ctx context.Context, of account.CustomerID) (Checkout, Payment, error) {
	c, err := s.Store.Waiting(ctx, of)
	if err != nil {
		return c, Payment{}, notFoundIs(err, ErrNothing)
	}
	p, err := s.Store.Latest(ctx, c.ID)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return c, Payment{}, nil
	}
	return c, p, err
}

func notFoundIs(err, instead error) error {
	if fault.Of(err).Kind == fault.NotFound {
		return instead
	}
	return err
}

// A page of the provider is open for pageLife. A payment whose page was perhaps made, and not noted, is asked for again until
// keyLife has passed; then another one takes its place. The provider wants pages open for half an hour at least, and keeps keys for
// a day.
const (
	pageLife = 3 * time.Hour
	keyLife  = time.Hour
)

// Pay gives the address of the provider's page on which the customer pays the order that waits; empty when it is paid already, or
// the bank is at it. A page that is open is used again, so that two tabs show the same one.
func (s *Service) Pay(ctx context.Context, of account.CustomerID) (string, error) {
	c, p, err := s.Waiting(ctx, of)
	if err != nil {
		return "", err
	}
	if p.Page != "" && !p.State.Over() {
		url, state, err := s.opened(ctx, p)
		if err != nil || url != "" || state == Paid || state == Processing {
			return url, err
		}
		p = Payment{}
	}
	if p.State != Asked || s.Now().Sub(p.CreatedAt) > keyLife {
		if p, err = s.ask(ctx, Payment{CustomerID: of, CheckoutID: c.ID, Hosted: true, Amount: c.Price, Currency: c.Currency}); err != nil {
			return "", err
		}
	}
	return s.open(ctx, c, p)
}

// opened looks at a page that was opened before: its address while it can be paid on.
func (s *Service) opened(ctx context.Context, p Payment) (string, State, error) {
	page, err := s.Provider.Page(ctx, p.Page)
	if err != nil {
		return "", p.State, err
	}
	if page.Open {
		return page.URL, p.State, nil
	}
	now, err := s.LookAt(ctx, p.ID)
	return "", now.State, err
}

// ask stores a payment that the provider is then asked for.
func (s *Service) ask(ctx context.Context, p Payment) (Payment, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return p, fmt.Errorf("payment: %w", err)
	}
	now := s.Now().UTC()
	p.State, p.CreatedAt, p.UpdatedAt, p.TriedAt = Asked, now, now, now
	if p.ID == "" {
		p.ID = ID(id.String())
	}
	if err := s.Store.Add(ctx, p); err != nil {
		return p, fmt.Errorf("payment: %w", err)
	}
	return p, nil
}

// open has the provider make the page on which an order is paid.
func (s *Service) open(ctx context.Context, c Checkout, p Payment) (string, error) {
	by, err := s.Accounts.User(ctx, c.CustomerID, c.By)
	if err != nil {
		return "", fmt.Errorf("open page: %w", err)
	}
	return s.openPage(ctx, by, p, title(c), ReturnPath(p.ID), PayPath)
}

// openPage has the provider make the page of a payment, and notes it.
func (s *Service) openPage(ctx context.Context, by account.User, p Payment, title, back, cancel string) (string, error) {
	payer, err := s.payer(ctx, by)
	if err != nil {
		return "", err
	}
	page, err := s.Provider.OpenPage(ctx, "page-"+string(p.ID), PageAsk{
		Payment: p.ID, Payer: payer.Provider, Amount: p.Amount, Currency: p.Currency, Title: title, Locale: by.Locale,
		Back: s.Public + back, Cancel: s.Public + cancel, Until: p.CreatedAt.Add(pageLife),
	})
	if err != nil {
		return "", fmt.Errorf("open page: %w", err)
	}
	err = s.Store.Change(ctx, p.ID, func(_ context.Context, p *Payment, _ *Checkout) (Change, error) {
		p.Page = page.ID
		if p.State == Asked {
			p.State = Waiting
		}
		return Change{}, nil
	})
	return page.URL, err
}

// title is what a customer reads on the provider's page, and on the statement of their bank.
func title(c Checkout) string {
	plan, err := pricing.Find(c.Choice.Plan)
	if err != nil {
		return "Gatehouse"
	}
	return "Gatehouse " + plan.Name + ", 1 month"
}

// payer is the customer at the provider, who is made there the first time.
func (s *Service) payer(ctx context.Context, by account.User) (Payer, error) {
	was, err := s.Store.Payer(ctx, by.CustomerID)
	if err != nil || was.Provider != "" {
		return was, err
	}
	customer, err := s.Accounts.Customer(ctx, by.CustomerID)
	if err != nil {
		return Payer{}, fmt.Errorf("payer: %w", err)
	}
	who := NewPayer{Customer: string(customer.ID), Name: customer.Name, Email: by.Email, Locale: by.Locale}
	id, err := s.Provider.AddPayer(ctx, who.key(), who)
	if err != nil {
		return Payer{}, fmt.Errorf("add payer: %w", err)
	}
	return s.Store.SavePayer(ctx, Payer{CustomerID: by.CustomerID, Provider: id})
}

// key is made of all that is sent: the provider takes a key again only with the same words, and a name may change between two tries.
func (p NewPayer) key() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Name, p.Email, p.Locale}, "\x00")))
	return "payer-" + p.Customer + "-" + hex.EncodeToString(sum[:8])
}

// PayPath is the hub's page of an order that waits for its payment.
const PayPath = "/checkout/pay"

// ReturnPath is where the provider's page sends a browser that has paid.
func ReturnPath(id ID) string { return "/checkout/return/" + string(id) }

// A customer is mailed about an order that waits for so long, once; it is closed when nobody has paid for long.
const (
	tellAfter  = time.Hour
	closeAfter = 30 * 24 * time.Hour
)

// TellLater mails the customer the way back to the order that waits, now: the provider was away.
func (s *Service) TellLater(ctx context.Context, of account.CustomerID) error {
	c, err := s.Store.Waiting(ctx, of)
	if err != nil {
		return err
	}
	return s.Store.TellOne(ctx, c.ID, s.Now().UTC(), LetterWaiting)
}

// Tidy mails customers about orders that wait, and closes those that waited for long. It says how many it was about.
func (s *Service) Tidy(ctx context.Context) (int, error) {
	now := s.Now().UTC()
	closed, err := s.Store.CloseOld(ctx, now.Add(-closeAfter))
	if err != nil {
		return 0, fmt.Errorf("close checkouts: %w", err)
	}
	told, err := s.Store.TellWaiting(ctx, now, now.Add(-tellAfter), LetterWaiting)
	if err != nil {
		return closed, fmt.Errorf("tell of checkouts: %w", err)
	}
	return closed + told, nil
}

// Checkout finds a checkout whoever has it: mails about it.
func (s *Service) Checkout(ctx context.Context, id CheckoutID) (Checkout, error) {
	return s.Store.Checkout(ctx, id)
}

// Get finds a payment of a customer.
func (s *Service) Get(ctx context.Context, of account.CustomerID, id ID) (Payment, error) {
	return s.Store.Get(ctx, of, id)
}
