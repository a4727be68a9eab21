package policy

import (
	"encoding/json"
	"fmt"
	"strings"

	"gatehouse/agentd/lazyre"
)

// Money is how much a call moves: pays, charges, refunds or books.
type Money struct {
	Cents    int64  `json:"cents"`              // a hundredth of what is written, whatever the currency
	Currency string `json:"currency,omitempty"` // as the request names it; empty: it does not
	Unknown  bool   `json:"unknown,omitempty"`  // it moves an amount that nobody can read from the request
}

// String is for people: "120.00 EUR".
func (m Money) String() string {
	if m.Unknown {
		return "an amount that cannot be read from the request"
	}
	return strings.TrimSpace(cents(m.Cents) + " " + m.Currency)
}

func cents(n int64) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

// and is what two readings of one request say. What one of them cannot tell is not known.
func (m *Money) and(other *Money) *Money {
	switch {
	case other == nil:
		return m
	case m == nil, other.Unknown, other.Cents > m.Cents && !m.Unknown:
		return other
	}
	return m
}

// moneyAt says where a request names what it moves: the largest of the sums at these paths counts. No path: nowhere.
type moneyAt struct {
	paths    [][]string
	currency []string
}

// readMoneyAt reads PATH,PATH@CURRENCY, or ? where the request does not name the amount.
func readMoneyAt(word string) *moneyAt {
	at := &moneyAt{}
	if word == "?" {
		return at
	}
	paths, currency, named := strings.Cut(word, "@")
	for p := range strings.SplitSeq(paths, ",") {
		at.paths = append(at.paths, strings.Split(p, "."))
	}
	if named {
		at.currency = strings.Split(currency, ".")
	}
	return at
}

// money reads what the request moves. What is not plain JSON, or names the amount beside its body too, is not known.
func (r *request) money(at *moneyAt) *Money {
	unknown := &Money{Unknown: true}
	if BodyKind(r.body) != BodyJSON || hasTwice(r.body) {
		return unknown
	}
	d := json.NewDecoder(strings.NewReader(r.body))
	d.UseNumber()
	var body any
	if d.Decode(&body) != nil {
		return unknown
	}
	m, found := &Money{}, false
	for _, path := range at.paths {
		for name := range r.query { // invoices[0][amount] is another way to write it
			if strings.Contains(strings.ToLower(name), path[0]) {
				return unknown
			}
		}
		sum, here, ok := amounts(body, path)
		if !ok {
			return unknown
		}
		m.Cents, found = max(m.Cents, sum), found || here
	}
	if !found {
		return unknown
	}
	m.Currency = currencyAt(body, at.currency)
	return m
}

// amounts sums what stands at a path, in each element of a list. ok is false where something else stands there.
func amounts(v any, path []string) (sum int64, found, ok bool) {
	if list, is := v.([]any); is {
		for _, one := range list {
			n, here, fine := amounts(one, path)
			if !fine || !here {
				return 0, false, false
			}
			sum, found = sum+n, true
		}
		return sum, found, true
	}
	if len(path) == 0 {
		sum, ok = centsOf(v)
		return sum, ok, ok
	}
	in, is := v.(map[string]any)
	if !is {
		return 0, false, false
	}
	next, here := in[path[0]]
	if !here || next == nil {
		return 0, false, true
	}
	return amounts(next, path[1:])
}

var (
	plainAmount   = lazyre.MustCompile(`^([0-9]{1,10})(?:\.([0-9]{1,2})0{0,10})?$`)
	plainCurrency = lazyre.MustCompile(`^[A-Za-z]{3}$`)
)

// centsOf reads an amount such as 12, 12.5 or "12.50".
func centsOf(v any) (int64, bool) {
	part := plainAmount.FindStringSubmatch(fmt.Sprint(v))
	if part == nil {
		return 0, false
	}
	var n int64
	for _, digit := range part[1] + (part[2] + "00")[:2] {
		n = 10*n + int64(digit-'0')
	}
	return n, true
}

// sumOf is what a request moves that names its amounts anywhere in its body.
func sumOf(f fields) *Money {
	m, all := &Money{}, f.values("amount")
	for _, v := range all {
		n, ok := centsOf(v)
		if !ok {
			return &Money{Unknown: true}
		}
		m.Cents += n
	}
	if f.unclear || len(all) == 0 {
		return &Money{Unknown: true}
	}
	return m
}

// currencyAt is the one currency at a path; empty: none or several.
func currencyAt(v any, path []string) string {
	if len(path) == 0 {
		s, _ := v.(string)
		if !plainCurrency.MatchString(s) {
			return ""
		}
		return strings.ToUpper(s)
	}
	switch v := v.(type) {
	case map[string]any:
		return currencyAt(v[path[0]], path[1:])
	case []any:
		var all string
		for i, one := range v {
			if c := currencyAt(one, path); i == 0 {
				all = c
			} else if c != all {
				return ""
			}
		}
		return all
	}
	return ""
}

// movesMoney are parts of a path behind which money is moved, where no line of the table says what a request does there.
var movesMoney = words(`payment payments refund refunds payout payouts charge charges transfer transfers capture payment_intents payment-intents auto_bill`)
