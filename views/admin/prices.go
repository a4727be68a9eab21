package admin

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/invoice"
	"gatehouse/views/ui"

	"github.com/a-h/templ"
)

// PricesPath is where our staff see and change what is sold for how much.
const PricesPath = "/admin/prices"

// RatePath is where an exchange rate is asked for now.
const RatePath = PricesPath + "/rate"

// PriceField names a field: several forms stand on the page.
func PriceField(kind, field string) string { return kind + "-" + field }

// Prices is the price book.
type Prices struct {
	Kinds []PriceKind
	Rates Rates
	May   bool // the reader may change it
}

// Rates is where exchange rates come from.
type Rates struct {
	On      bool      // they come by themselves
	At      time.Time // of the last look; zero: there was none
	Day     time.Time // of the rate that was answered last
	Problem string
	Offered int64     // of an answer that was not believed: millionths of a euro a dollar
	Next    time.Time // when the next is looked for
}

var rateProblems = map[string]i18n.Key{
	"unreachable": "price.rate_unreachable", "unreadable": "price.rate_unreadable", "old": "price.rate_old", "odd": "price.rate_odd",
}

// told says how the last look went.
func (r Rates) told(ctx context.Context) string {
	day := r.Day.Format(time.DateOnly)
	switch key := rateProblems[r.Problem]; {
	case r.At.IsZero():
		return i18n.T(ctx, "price.rate_never")
	case key != "":
		return i18n.T(ctx, key, "day", day, "rate", invoice.Micros(ctx, r.Offered))
	}
	return i18n.T(ctx, "price.rate_ok", "day", day)
}

// PriceKind is one kind of entries with its form.
type PriceKind struct {
	Kind     string
	Rows     []PriceRow
	Fields   []PriceInput
	Problems map[string]string
	Effect   *PriceEffect // what the form would change; nil: nobody has asked yet
}

// PriceInput is one field of a form.
type PriceInput struct{ Name, Value string }

// PriceRow is an entry that holds now, or will.
type PriceRow struct {
	Name, Value string
	From        time.Time
	Later       bool
	By, Reason  string
}

// PriceEffect is what an entry would change.
type PriceEffect struct {
	Customers  int
	Difference int64 // cents
	Partial    bool
	Unblocked  int
}

func (k PriceKind) title(ctx context.Context) string {
	return i18n.T(ctx, i18n.Key("price.kind_"+k.Kind))
}

func (k PriceKind) form(ctx context.Context) (all []ui.Field) {
	for _, f := range k.Fields {
		all = append(all, k.field(ctx, f))
	}
	from := ui.Field{
		Name: PriceField(k.Kind, "from"), Label: i18n.T(ctx, "price.from"), Kind: "date", Hint: i18n.T(ctx, "price.from_hint"),
		Error: k.Problems["from"],
	}
	reason := ui.Field{
		Name: PriceField(k.Kind, "reason"), Label: i18n.T(ctx, "price.reason"), MaxLength: 500, Required: true, Error: k.Problems["reason"],
	}
	return append(all, from, reason)
}

// texts are the fields of several lines, optional those that may be empty.
var (
	priceTexts    = map[string]int{"address": 3, "premium": 4, "overage": 3}
	priceOptional = map[string]bool{"email": true, "iban": true, "vat_id": true, "tax_number": true}
)

func (k PriceKind) field(ctx context.Context, in PriceInput) ui.Field {
	f := ui.Field{
		Name: PriceField(k.Kind, in.Name), Label: i18n.T(ctx, i18n.Key("price.field_"+in.Name)), Value: in.Value,
		Error:    k.Problems[in.Name],
		Required: !priceOptional[in.Name], MaxLength: 300, Autocomplete: "off",
	}
	if rows := priceTexts[in.Name]; rows > 0 {
		f.Kind, f.Rows = "textarea", rows
	}
	switch in.Name {
	case "plan":
		f.Kind = "select"
		for _, id := range []string{"lite", "build", "scale", "enterprise"} {
			f.Options = append(f.Options, ui.Option{Value: id, Label: id})
		}
	case "class":
		f.Kind = "select"
		for _, c := range []string{"included", "premium", "unlisted"} {
			f.Options = append(f.Options, ui.Option{Value: c, Label: i18n.T(ctx, i18n.Key("price.class_"+c))})
		}
	}
	if f.Error == "" {
		f.Error = k.Problems[map[string]string{k.Fields[0].Name: "name", k.Fields[len(k.Fields)-1].Name: "value"}[in.Name]]
	}
	return f
}

func (k PriceKind) problems(ctx context.Context) (all []ui.Problem) {
	for _, f := range k.form(ctx) {
		if f.Error != "" {
			all = append(all, ui.Problem{Field: f.Name, Text: f.Error})
		}
	}
	return all
}

func (k PriceKind) table(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: k.Kind + "-rows", Caption: k.title(ctx), Path: PricesPath,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "price.name"), Main: true},
			{Label: i18n.T(ctx, "price.value")},
			{Label: i18n.T(ctx, "price.from")},
			{Label: i18n.T(ctx, "price.by")},
		},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "price.none"), Body: i18n.T(ctx, i18n.Key("price.none_"+k.Kind))},
	}
	for _, r := range k.Rows {
		name := r.Name
		if name == "" {
			name = k.title(ctx)
		}
		from := ui.At(r.From)
		if r.From.Year() <= 2000 {
			from = ui.Text(i18n.T(ctx, "price.from_start"))
		}
		t.Rows = append(t.Rows, ui.Row{Cells: []templ.Component{
			ui.Text(name), ui.Text(r.Value), from, ui.Text(r.By + ": " + r.Reason),
		}})
	}
	return t
}

func (e PriceEffect) text(ctx context.Context) string {
	return i18n.T(ctx, "price.effect", "n", e.Customers, "amount", i18n.Amount(ctx, e.Difference))
}
