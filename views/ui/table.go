package ui

import (
	"net/url"

	"github.com/a-h/templ"
)

// Table is a list with columns; on a phone each row is a card with labels. What one looks at, its order and its place
// stand in the address, so that it can be sent to somebody.
type Table struct {
	ID      string
	Caption string // what is listed; read out, not shown
	Cols    []Col
	Rows    []Row
	Path    string            // of the page
	Query   url.Values        // of the page, without "after"
	Keep    map[string]string // parameters that searching keeps
	Sort    string            // key, with "-" in front for the largest first
	Search  *Search           // nil: none
	Filters []Filter
	Pager   Pager
	Empty   Empty           // shown without rows
	Below   templ.Component // what belongs to the rows that are shown, such as a download of them; nil: nothing
	Total   string
}

// Col is one column. Sort is the key to sort by; empty: not sortable.
type Col struct {
	Label string
	Sort  string
	Num   bool // figures, aligned at the end
	Main  bool // what the row is about: the heading of its card
	Hide  bool // label is read out only, as over a column of buttons
}

// Row is one row, with a cell for each column.
type Row struct {
	ID    string
	Kind  string // "", warn, bad: a mark at its edge
	Cells []templ.Component
}

// Search is the field above a list.
type Search struct{ Label, Value string }

// Filter chooses rows by one parameter of the address. The first option means all. Without options it is typed: Kind is the
// type of the input.
type Filter struct {
	Name, Label, Value string
	Options            []Option
	Kind               string // typed only; "" is text
}

// narrows says whether the filter leaves rows out.
func (f Filter) narrows() bool {
	if len(f.Options) == 0 {
		return f.Value != ""
	}
	return f.Value != "" && f.Value != f.Options[0].Value
}

func (f Filter) kind() string {
	if f.Kind == "" {
		return "text"
	}
	return f.Kind
}

// Pager leads to the pages before and after; an empty address means there is none.
type Pager struct {
	Prev, Next string
	Text       string // "41 to 80 of 1,204"
}

// sortHref is the address that sorts by a column, or the other way round when it already does.
func (t Table) sortHref(c Col) string {
	q := url.Values{}
	for k, v := range t.Query {
		q[k] = v
	}
	q.Del("after")
	q.Set("sort", c.Sort)
	if t.Sort == c.Sort {
		q.Set("sort", "-"+c.Sort)
	}
	return t.Path + "?" + q.Encode()
}

// ariaSort says how a column is sorted.
func (t Table) ariaSort(c Col) string {
	switch {
	case c.Sort == "":
		return ""
	case t.Sort == c.Sort:
		return "ascending"
	case t.Sort == "-"+c.Sort:
		return "descending"
	}
	return "none"
}

// filtered says whether the reader narrowed the list.
func (t Table) filtered() bool {
	if t.Search != nil && t.Search.Value != "" {
		return true
	}
	for _, f := range t.Filters {
		if f.narrows() {
			return true
		}
	}
	return false
}

// part says whether the rows are not those that the list begins with: some were left out, or come before.
func (t Table) part() bool { return t.filtered() || t.Pager.Prev != "" }

// label is the words of column i, for the cards on a phone.
func (t Table) label(i int) string {
	if i < len(t.Cols) {
		return t.Cols[i].Label
	}
	return ""
}

func (t Table) col(i int) Col {
	if i < len(t.Cols) {
		return t.Cols[i]
	}
	return Col{}
}
