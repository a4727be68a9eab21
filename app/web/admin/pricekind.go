package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/views/i18n"
	"gatehouse/views/invoice"
)

// priceKind is how one kind of entry is typed and told.
type priceKind struct {
	kind   pricing.Kind
	name   string   // the field that holds its name; empty: there is one of the kind
	fields []string // in the order of the form, without reason and moment
	value  func(get func(string) string) (any, map[string]string)
	tell   func(ctx context.Context, e pricing.Entry) string
	show   func(book pricing.Book, now time.Time) map[string]string // what holds now, as it is typed; of kinds without name
}

var priceKinds = []priceKind{
	{kind: pricing.KindSeller, fields: sellerFields, value: sellerValue, tell: tellSeller, show: showSeller},
	{kind: pricing.KindTax, name: "country", fields: []string{"country", "percent"}, value: taxValue, tell: tellTax},
	{kind: pricing.KindPlan, name: "plan", fields: []string{"plan", "title", "monthly", "pool"}, value: planValue, tell: tellPlan},
	{
		kind: pricing.KindModel, name: "model", fields: []string{"model", "class", "input", "output", "cache_read", "cache_write"},
		value: modelValue, tell: tellModel,
	},
	{kind: pricing.KindRate, name: "currency", fields: []string{"rate"}, value: rateValue, tell: tellRate},
	{kind: pricing.KindMarkups, fields: []string{"premium", "overage"}, value: markupsValue, tell: tellMarkups, show: showMarkups},
	{kind: pricing.KindWeights, fields: weightFields, value: weightsValue, tell: tellWeights, show: showWeights},
}

// read makes an entry of a form.
func (k priceKind) read(get func(string) string) (e pricing.Entry, bad map[string]string) {
	v, bad := k.value(get)
	if bad == nil {
		bad = map[string]string{}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		bad["reason"] = err.Error()
	}
	e = pricing.Entry{Kind: k.kind, Value: raw, Reason: get("reason")}
	if k.name != "" {
		e.Name = strings.TrimSpace(get(k.name))
	}
	if k.kind == pricing.KindRate {
		e.Name = "USD"
	}
	if day := strings.TrimSpace(get("from")); day != "" {
		if e.ValidFrom, err = time.Parse(time.DateOnly, day); err != nil {
			bad["from"] = "Write a day as year, month and day, such as 2026-03-31."
		}
	}
	return e, bad
}

// present is what holds now, by field.
func (k priceKind) present(book pricing.Book, now time.Time) func(string) string {
	v := map[string]string{}
	if k.show != nil {
		v = k.show(book, now)
	}
	return func(field string) string { return v[field] }
}

// badFigure is said of a figure that does not read.
const badFigure = "Write a number such as 1.25."

// figures reads numbers with so many decimals, by field.
func figures(get func(string) string, bad map[string]string, decimals int, fields ...string) map[string]int64 {
	out := map[string]int64{}
	for _, f := range fields {
		n, ok := decimal(get(f), decimals)
		if !ok {
			bad[f] = badFigure
		}
		out[f] = n
	}
	return out
}

func decoded[T any](e pricing.Entry) (v T) {
	_ = json.Unmarshal(e.Value, &v) // it was checked when it was added
	return v
}

func planValue(get func(string) string) (any, map[string]string) {
	bad := map[string]string{}
	n, pool := figures(get, bad, 2, "monthly"), figures(get, bad, 0, "pool")
	return pricing.PlanPrice{Name: strings.TrimSpace(get("title")), Monthly: pricing.Cents(n["monthly"]), Pool: pool["pool"]}, bad
}

func tellPlan(ctx context.Context, e pricing.Entry) string {
	p := decoded[pricing.PlanPrice](e)
	return i18n.T(ctx, "price.tell_plan", "name", p.Name, "price", i18n.Euros(ctx, int64(p.Monthly)), "pool", p.Pool)
}

func modelValue(get func(string) string) (any, map[string]string) {
	bad := map[string]string{}
	n := figures(get, bad, 6, "input", "output", "cache_read", "cache_write")
	return pricing.ModelPrice{Class: pricing.Class(get("class")), Prices: pricing.Prices{
		Input: n["input"], Output: n["output"], CacheRead: n["cache_read"], CacheWrite: n["cache_write"],
	}}, bad
}

var classWords = map[pricing.Class]i18n.Key{
	pricing.Included: "price.class_included", pricing.Premium: "price.class_premium", pricing.Unlisted: "price.class_unlisted",
}

func tellModel(ctx context.Context, e pricing.Entry) string {
	m := decoded[pricing.ModelPrice](e)
	return i18n.T(ctx, "price.tell_model", "class", i18n.T(ctx, classWords[m.Class]), "input", invoice.Micros(ctx, m.Input),
		"output", invoice.Micros(ctx, m.Output), "read", invoice.Micros(ctx, m.CacheRead), "write", invoice.Micros(ctx, m.CacheWrite))
}

func rateValue(get func(string) string) (any, map[string]string) {
	bad := map[string]string{}
	n := figures(get, bad, 6, "rate")
	return pricing.Rate(n["rate"]), bad
}

func tellRate(ctx context.Context, e pricing.Entry) string {
	return i18n.T(ctx, "price.tell_rate", "rate", invoice.Micros(ctx, int64(decoded[pricing.Rate](e))))
}

func taxValue(get func(string) string) (any, map[string]string) {
	bad := map[string]string{}
	n := figures(get, bad, 2, "percent")
	return billing.TaxRule{BasisPoints: n["percent"]}, bad
}

func tellTax(ctx context.Context, e pricing.Entry) string {
	return i18n.T(ctx, "billing.tax", "rate", i18n.Amount(ctx, decoded[billing.TaxRule](e).BasisPoints))
}

var sellerFields = []string{"name", "address", "country", "vat_id", "tax_number", "email", "iban", "due_days"}

func sellerValue(get func(string) string) (any, map[string]string) {
	bad := map[string]string{}
	n := figures(get, bad, 0, "due_days")
	return billing.Seller{DueDays: int(n["due_days"]), Party: billing.Party{
		Name: strings.TrimSpace(get("name")), Address: strings.TrimSpace(strings.ReplaceAll(get("address"), "\r\n", "\n")),
		Country: strings.ToUpper(strings.TrimSpace(get("country"))), VATID: strings.ToUpper(strings.ReplaceAll(get("vat_id"), " ", "")),
		TaxNumber: strings.TrimSpace(get("tax_number")), Email: strings.TrimSpace(get("email")), IBAN: strings.TrimSpace(get("iban")),
	}}, bad
}

func tellSeller(_ context.Context, e pricing.Entry) string {
	s := decoded[billing.Seller](e)
	return strings.Join([]string{s.Name, strings.ReplaceAll(s.Address, "\n", ", "), s.Country, cmp.Or(s.VATID, s.TaxNumber)}, " · ")
}

func showSeller(book pricing.Book, now time.Time) map[string]string {
	var s billing.Seller
	if _, err := book.Read(pricing.KindSeller, "", now, &s); err != nil {
		return map[string]string{"due_days": "14"}
	}
	return map[string]string{
		"name": s.Name, "address": s.Address, "country": s.Country, "vat_id": s.VATID, "tax_number": s.TaxNumber,
		"email": s.Email, "iban": s.IBAN,
		"due_days": plain(int64(s.DueDays), 0),
	}
}

var weightFields = []string{"input", "output", "cache_read", "cache_write", "search", "fetch"}

func weightsValue(get func(string) string) (any, map[string]string) {
	bad := map[string]string{}
	n, whole := figures(get, bad, 3, weightFields[:4]...), figures(get, bad, 0, weightFields[4:]...)
	return pricing.Weights{
		Input: n["input"], Output: n["output"], CacheRead: n["cache_read"], CacheWrite: n["cache_write"],
		Search: whole["search"], Fetch: whole["fetch"],
	}, bad
}

func tellWeights(ctx context.Context, e pricing.Entry) string {
	w := decoded[pricing.Weights](e)
	return i18n.T(ctx, "price.tell_weights", "input", plain(w.Input, 3), "output", plain(w.Output, 3), "read", plain(w.CacheRead, 3),
		"write", plain(w.CacheWrite, 3), "search", w.Search, "fetch", w.Fetch)
}

func showWeights(book pricing.Book, now time.Time) map[string]string {
	w, _ := book.Weights(now)
	return map[string]string{
		"input": plain(w.Input, 3), "output": plain(w.Output, 3), "cache_read": plain(w.CacheRead, 3),
		"cache_write": plain(w.CacheWrite, 3),
		"search":      plain(w.Search, 0), "fetch": plain(w.Fetch, 0),
	}
}

func markupsValue(get func(string) string) (any, map[string]string) {
	var m pricing.Markups
	bad := map[string]string{}
	for field, to := range map[string]*pricing.Bands{"premium": &m.Premium, "overage": &m.Overage} {
		var err error
		if *to, err = readBands(get(field)); err != nil {
			bad[field] = "A line each: “< 1.00 = 25” or “<= 1.00 = 25” in dollars and percent, rising; the last line “= 8” for all above."
		}
	}
	return m, bad
}

// readBands reads markups, a band on each line: "< 1.00 = 25", "<= 15 = 10", "= 8".
func readBands(text string) (b pricing.Bands, err error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		at := strings.LastIndex(line, "=")
		if at < 0 {
			return nil, fmt.Errorf("no markup in %q", line)
		}
		percent, ok := decimal(line[at+1:], 0)
		band, limit := pricing.Band{Percent: percent}, strings.TrimSpace(line[:at])
		if limit != "" {
			band.Includes = strings.HasPrefix(limit, "<=")
			rest, sign := strings.CutPrefix(limit, "<")
			to, read := decimal(strings.TrimPrefix(rest, "="), 6)
			band.To, ok = to, ok && sign && read && to > 0
		}
		if !ok {
			return nil, fmt.Errorf("no band: %q", line)
		}
		b = append(b, band)
	}
	return b, b.Check()
}

func bandLines(b pricing.Bands) string {
	var out strings.Builder
	for _, band := range b {
		sign := "<"
		if band.Includes {
			sign = "<="
		}
		if band.To != 0 {
			fmt.Fprintf(&out, "%s %s ", sign, plain(band.To, 6))
		}
		fmt.Fprintf(&out, "= %d\n", band.Percent)
	}
	return strings.TrimSpace(out.String())
}

func tellMarkups(ctx context.Context, e pricing.Entry) string {
	m := decoded[pricing.Markups](e)
	return i18n.T(ctx, "price.tell_markups", "premium", strings.ReplaceAll(bandLines(m.Premium), "\n", ", "),
		"overage", strings.ReplaceAll(bandLines(m.Overage), "\n", ", "))
}

func showMarkups(book pricing.Book, now time.Time) map[string]string {
	m, _ := book.Markups(now)
	return map[string]string{"premium": bandLines(m.Premium), "overage": bandLines(m.Overage)}
}
