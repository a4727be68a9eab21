package public

import (
	"context"

	"gatehouse/views/help"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
)

// LegalProps is one of the operator's own pages. Its texts are HTML that was made safe.
type LegalProps struct {
	Page        string // terms, privacy or imprint
	Title, Lead string // the title may be empty
	Sections    []help.Section
	Lang        string // of the text, where it is another than the page's
}

func (p LegalProps) heading(ctx context.Context) string {
	if p.Title != "" {
		return p.Title
	}
	return layout.LegalWord(ctx, p.Page)
}

// legalPage is the layout of such a page.
func legalPage(ctx context.Context, f Frame, p LegalProps) layout.Public {
	page := f.titled(ctx, p.heading(ctx))
	page.Narrow = true
	return page
}

// readFirst are the pages to read before an order.
var readFirst = []string{"terms", "privacy"}

// asksToRead reports whether there is something to read before an order.
func asksToRead(has func(page string) bool) bool {
	for _, p := range readFirst {
		if has(p) {
			return true
		}
	}
	return false
}

// legalLabel is the heading of what is to be read.
const legalLabel i18n.Key = "public.checkout.read"
