package main

import (
	"strings"
	"testing"
	"time"

	"gatehouse/app/billing"
)

// TestBilling_uncharged: each reason has words, and who has nothing to read is told so.
func TestBilling_uncharged(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, why := range []billing.WhyUncharged{billing.BeforeMonths, billing.BetweenMonths, billing.TooLate} {
		if err := printUncharged(&out, []billing.Uncharged{{Why: why, From: at, To: at.Add(time.Hour), Tokens: 7}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := printUncharged(&out, nil); err != nil {
		t.Fatal(err)
	}
	const hour = "2026-03-02T09:00:00Z to 2026-03-02T10:00:00Z: 7 tokens, "
	want := hour + "before the first month began\n" + hour + "after a month with which the customer left\n" +
		hour + "reported after the last invoice that looks back to it\neverything stands in a month\n"
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
	if code := run(t.Context(), call{args: []string{"billing", "uncharged"}, out: &strings.Builder{}, err: &strings.Builder{}}); code != 2 {
		t.Errorf("a wrong call: %d", code)
	}
}

// TestBilling_quote: each line is answered in order; one that does not read is named, and the program fails.
func TestBilling_quote(t *testing.T) {
	t.Parallel()
	quoted := func(in string) (code int, out, said string) {
		var stdout, stderr strings.Builder
		code = run(t.Context(), call{
			args: []string{"billing", "quote"}, env: map[string]string{}, in: strings.NewReader(in), out: &stdout, err: &stderr,
		})
		return code, stdout.String(), stderr.String()
	}
	const (
		dear  = `{"input_usd_micros_per_m":3000000,"output_usd_micros_per_m":15000000,"premium":true}`
		cheap = `{"input_usd_micros_per_m":150000,"output_usd_micros_per_m":600000,"premium":false}`
	)
	code, out, said := quoted(dear + "\n\n" + cheap) // also without a line break at the end
	want := `{"blended_usd_micros_per_m":7800000,"markup_percent":10,` +
		`"input_price_usd_micros_per_m":3300000,"output_price_usd_micros_per_m":16500000}` + "\n" +
		`{"blended_usd_micros_per_m":330000,"markup_percent":35,` +
		`"input_price_usd_micros_per_m":202500,"output_price_usd_micros_per_m":810000}` + "\n"
	if code != 0 || out != want || said != "" {
		t.Errorf("%d, %s, %s", code, out, said)
	}
	for _, bad := range []string{
		"{", "[]", "null", `{"input_usd_micros_per_m":1,"output_usd_micros_per_m":1}`,
		`{"input_usd_micros_per_m":1.5,"output_usd_micros_per_m":1,"premium":true}`,
		`{"input_usd_micros_per_m":-1,"output_usd_micros_per_m":1,"premium":true}`,
		`{"input_usd_micros_per_m":9223372036854775808,"output_usd_micros_per_m":1,"premium":true}`,
		`{"input_usd_micros_per_m":1,"output_usd_micros_per_m":1,"premium":true,"x":1}`,
		cheap + cheap, strings.Repeat(" ", 1<<17),
	} {
		code, out, said := quoted(cheap + "\n" + bad + "\n" + cheap)
		if code != 1 || strings.Count(out, "\n") != 1 || !strings.Contains(said, "line 2: ") {
			t.Errorf("%.40s: %d, %s, %s", bad, code, out, said)
		}
	}
	if code := run(t.Context(), call{args: []string{"billing", "guess"}, out: &strings.Builder{}, err: &strings.Builder{}}); code != 2 {
		t.Errorf("a wrong call: %d", code)
	}
}
