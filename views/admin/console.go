package admin

import (
	"maps"
	"net/url"
	"slices"

	"gatehouse/views/ui"
)

// OrderExportPath takes the list of orders out as a table.
const OrderExportPath = OrdersPath + "/export"

// OrdersIn is the list of orders, narrowed; names and values follow each other.
func OrdersIn(narrow ...string) string { return at(OrdersPath, narrow) }

func at(path string, narrow []string) string {
	q := url.Values{}
	for i := 0; i+1 < len(narrow); i += 2 {
		q.Set(narrow[i], narrow[i+1])
	}
	return (&url.URL{Path: path, RawQuery: q.Encode()}).String()
}

// pairsOf are the values of a query, by name.
func pairsOf(q url.Values) (all []ui.Pair) {
	for _, name := range slices.Sorted(maps.Keys(q)) {
		all = append(all, ui.Pair{Name: name, Value: q.Get(name)})
	}
	return all
}
