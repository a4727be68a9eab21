package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gatehouse/app/pricing"
)

// billingCommand is hub billing: what models would cost customers, for the operator and for scripts.
func billingCommand(_ context.Context, c call) error {
	if len(c.args) == 1 && c.args[0] == "quote" {
		return quote(c.in, c.out, pricing.FirstMarkups())
	}
	return fmt.Errorf("hub billing knows quote: %w", errUsage)
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
