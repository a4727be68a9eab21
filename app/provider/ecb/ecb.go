package ecb

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"regexp"
	"time"

	"gatehouse/app/billing/rates"
	"gatehouse/app/pricing"
)

const (
	wait      = 10 * time.Second
	maxAnswer = 64 << 10 // the file has about 2,000 bytes
	maxLeads  = 3
)

// Client asks for the rates. The zero value with an address works.
type Client struct {
	Address func() string // of the file
}

var _ rates.Bank = Client{}

// table is the file: a table within a table, the inner one of a day.
type table struct {
	Days []struct {
		Day   string `xml:"time,attr"`
		Rates []struct {
			Currency string `xml:"currency,attr"`
			Rate     string `xml:"rate,attr"`
		} `xml:"Cube"`
	} `xml:"Cube>Cube"`
}

// Latest is rates.Bank.
func (c Client) Latest(ctx context.Context) (rates.Published, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Address(), nil)
	if err != nil {
		return rates.Published{}, fmt.Errorf("ask for exchange rates: %w", err)
	}
	resp, err := (&http.Client{CheckRedirect: sameHost}).Do(req)
	if err != nil {
		return rates.Published{}, fmt.Errorf("ask for exchange rates: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return rates.Published{}, fmt.Errorf("ask for exchange rates: HTTP %d", resp.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return rates.Published{}, fmt.Errorf("read exchange rates: %w", err)
	}
	if len(b) > maxAnswer {
		return rates.Published{}, fmt.Errorf("%w: more than %d bytes", rates.ErrUnreadable, maxAnswer)
	}
	return read(b)
}

var errElsewhere = errors.New("led to another host")

// sameHost follows nobody elsewhere.
func sameHost(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; len(via) > maxLeads || req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return errElsewhere
	}
	return nil
}

// read finds the newest day of the file, and the dollar in it.
func read(b []byte) (p rates.Published, err error) {
	var t table
	if err := xml.Unmarshal(b, &t); err != nil {
		return p, fmt.Errorf("%w: %w", rates.ErrUnreadable, err)
	}
	for _, d := range t.Days {
		day, err := time.Parse(time.DateOnly, d.Day)
		if err != nil || day.Before(p.Day) {
			continue
		}
		for _, r := range d.Rates {
			if rate, ok := inverse(r.Rate); ok && r.Currency == "USD" {
				p = rates.Published{Day: day, Rate: rate}
			}
		}
	}
	if p.Rate == 0 {
		return p, fmt.Errorf("%w: no day with a rate of the dollar", rates.ErrUnreadable)
	}
	return p, nil
}

// plain is how the bank writes a rate.
var plain = regexp.MustCompile(`^\d{1,6}(\.\d{1,10})?$`)

// inverse turns dollars a euro into millionths of a euro a dollar, rounded once, a half upward.
func inverse(text string) (pricing.Rate, bool) {
	if !plain.MatchString(text) {
		return 0, false
	}
	perEuro, ok := new(big.Rat).SetString(text)
	if !ok || perEuro.Sign() == 0 {
		return 0, false
	}
	micros := new(big.Rat).Quo(big.NewRat(1_000_000, 1), perEuro)
	micros.Add(micros, big.NewRat(1, 2))
	n := new(big.Int).Quo(micros.Num(), micros.Denom())
	return pricing.Rate(n.Int64()), n.IsInt64() && n.Sign() > 0
}
