package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/billing/rates"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/ecb"
	"gatehouse/app/setting"
	"gatehouse/db"
)

// openRates makes what looks for the exchange rate of the day.
func (p *parts) openRates() *rates.Service {
	return &rates.Service{
		Prices: p.billing, Store: &db.RateLooks{DB: p.db}, Bank: ecb.Client{Address: p.ratesFrom},
		On: func() bool { return p.ratesFrom() != "" }, Now: time.Now,
	}
}

// ratesFrom is where exchange rates come from; empty: our staff enter them.
func (p *parts) ratesFrom() string { return p.settings.Text(setting.RatesAddress)() }

// billingCommand is hub billing: what models would cost customers, for the operator and for scripts.
func billingCommand(ctx context.Context, c call) error {
	switch {
	case len(c.args) == 1 && c.args[0] == "quote":
		m, err := markups(ctx, c)
		if err != nil {
			return err
		}
		return quote(c.in, c.out, m)
	case len(c.args) == 3 && c.args[0] == "recompute" && c.args[1] == "--period" && uuid.Validate(c.args[2]) == nil:
		return recompute(ctx, c, billing.PeriodID(c.args[2]))
	case len(c.args) == 3 && c.args[0] == "uncharged" && c.args[1] == "--customer" && uuid.Validate(c.args[2]) == nil:
		return uncharged(ctx, c, account.CustomerID(c.args[2]))
	}
	return fmt.Errorf("hub billing knows quote, recompute --period ID and uncharged --customer ID: %w", errUsage)
}

// markups are those that hold now: the ones that staff have set, where a database is configured, else those that a new hub begins with.
func markups(ctx context.Context, c call) (pricing.Markups, error) {
	if cfg, err := loadConfig(c.env); err != nil || cfg.DatabaseURL == "" {
		return pricing.FirstMarkups(), err
	}
	s, d, err := openBilling(ctx, c)
	if err != nil {
		return pricing.Markups{}, err
	}
	defer d.Close()
	book, err := s.Book(ctx)
	if err != nil {
		return pricing.Markups{}, inWords(err)
	}
	return book.Markups(time.Now())
}

// errDiffers says that an invoice does not come out again.
var errDiffers = errors.New("the invoice does not come out to the same cent")

// recompute computes the invoice of a period again from its buckets and compares. Nothing is changed.
func recompute(ctx context.Context, c call, id billing.PeriodID) error {
	s, d, err := openBilling(ctx, c)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := stillCounted(ctx, s, d, id); err != nil {
		return err
	}
	r, err := s.Recompute(ctx, id)
	if err != nil {
		return inWords(err)
	}
	return printRecomputed(c.out, r)
}

// stillCounted refuses a period whose hours were added up to days, because its customer was erased.
func stillCounted(ctx context.Context, s *billing.Service, d *db.DB, id billing.PeriodID) error {
	p, err := s.Store.Period(ctx, id)
	if err != nil {
		return inWords(err)
	}
	e, _, _, err := (&db.Closing{DB: d}).Of(ctx, p.CustomerID)
	if err != nil || e == nil {
		return err
	}
	return fmt.Errorf("the customer was erased on %s; of usage only sums of days were kept, so the invoice cannot be computed again; "+
		"it stays as it was issued", e.At.Format(time.DateOnly))
}

// openBilling is billing of the database that the environment names, to be read, and that database, to be closed.
func openBilling(ctx context.Context, c call) (*billing.Service, *db.DB, error) {
	cfg, err := loadConfig(c.env)
	if err != nil {
		return nil, nil, err
	}
	if cfg.DatabaseURL == "" {
		return nil, nil, errors.New("DATABASE_URL is needed to read what was billed")
	}
	d, err := db.Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return nil, nil, err
	}
	return &billing.Service{Store: &db.Billing{DB: d}, Usage: &db.Usage{DB: d}, Now: time.Now}, d, nil
}

// unchargedWords are why usage stands on no invoice.
var unchargedWords = map[billing.WhyUncharged]string{
	billing.BeforeMonths:  "before the first month began",
	billing.BetweenMonths: "after a month with which the customer left",
	billing.TooLate:       "reported after the last invoice that looks back to it",
}

// uncharged lists what a customer used that stands on no invoice and will stand on none.
func uncharged(ctx context.Context, c call, of account.CustomerID) error {
	s, d, err := openBilling(ctx, c)
	if err != nil {
		return err
	}
	defer d.Close()
	all, err := s.Uncharged(ctx, of)
	if err != nil {
		return inWords(err)
	}
	return printUncharged(c.out, all)
}

func printUncharged(out io.Writer, all []billing.Uncharged) error {
	w := &strings.Builder{}
	for _, u := range all {
		fmt.Fprintf(w, "%s to %s: %d tokens, %s\n", u.From.Format(time.RFC3339), u.To.Format(time.RFC3339), u.Tokens, unchargedWords[u.Why])
	}
	if len(all) == 0 {
		w.WriteString("everything stands in a month\n")
	}
	_, err := io.WriteString(out, w.String())
	return err
}

func printRecomputed(out io.Writer, r billing.Recomputed) error {
	w := &strings.Builder{}
	fmt.Fprintf(w, "invoice %s, %s to %s\n", r.Invoice.Number, r.Invoice.From.Format(time.RFC3339), r.Invoice.To.Format(time.RFC3339))
	for _, l := range r.Lines {
		printLine(w, "", l)
	}
	for _, l := range r.Late {
		printLine(w, "charged later: ", l)
	}
	for _, l := range r.ToCome {
		printLine(w, "not charged yet: ", l)
	}
	fmt.Fprintf(w, "computed %d cents, invoiced %d cents\n", r.Net, r.Invoice.Net)
	if _, err := io.WriteString(out, w.String()); err != nil {
		return err
	}
	if !r.Same() {
		return errDiffers
	}
	return nil
}

func printLine(w io.Writer, before string, l billing.Line) {
	fmt.Fprintf(w, "%s%s %s%s: %d cents", before, l.Kind, l.Plan, l.Model, l.Net)
	if m := l.Metered; m != nil {
		fmt.Fprintf(w, ", %d tokens, %d %% on %d/%d USD micros, %d EUR micros per USD of %s", m.Tokens.All(), m.Markup, m.Base.Input,
			m.Base.Output, m.Rate, m.RateDay)
	}
	fmt.Fprintln(w)
}

// maxQuoteLine is how long a line may be: none that means something comes near.
const maxQuoteLine = 64 << 10

// quote answers each line of in, a JSON object of pricing.Asked, with one of pricing.Quoted. It stops at the first line that does
// not read; those before it are answered.
func quote(in io.Reader, out io.Writer, m pricing.Markups) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxQuoteLine)
	n := 0
	for lines.Scan() {
		n++
		if len(lines.Bytes()) == 0 {
			continue
		}
		a, err := readAsked(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		q, err := m.Quote(a)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := json.NewEncoder(out).Encode(q); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// strictJSON reads one JSON object into v, and nothing that v does not know.
func strictJSON(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one object")
	}
	return nil
}

// readAsked reads a line strictly: a name that is misspelt would be a price of 0.
func readAsked(line []byte) (pricing.Asked, error) {
	var l struct {
		Input   *int64 `json:"input_usd_micros_per_m"`
		Output  *int64 `json:"output_usd_micros_per_m"`
		Premium *bool  `json:"premium"`
	}
	if err := strictJSON(line, &l); err != nil {
		return pricing.Asked{}, err
	}
	if l.Input == nil || l.Output == nil || l.Premium == nil {
		return pricing.Asked{}, errors.New("it needs input_usd_micros_per_m, output_usd_micros_per_m and premium")
	}
	return pricing.Asked{Input: *l.Input, Output: *l.Output, Premium: *l.Premium}, nil
}
