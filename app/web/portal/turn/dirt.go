package turn

// dirt says what differs between the turn and the page, apart from what items know of themselves.
type dirt struct {
	all      bool // nothing is known of the page: send everything
	head     bool
	end      bool
	receipts int // how many of them are on the page
}

// sent notes that the page shows everything. It keeps all: a page of unknown state stays unknown.
func (t *Turn) sent() {
	t.dirt = dirt{all: t.dirt.all, receipts: len(t.receipts)}
	for _, w := range t.runs {
		for _, it := range w.items {
			it.sent()
		}
	}
}

func (it item) sent() {
	switch {
	case it.text != nil:
		x := it.text
		x.fresh, x.moved, x.redo, x.sent = false, false, false, len(x.done)
	case it.call != nil:
		c := it.call
		c.fresh, c.chip, c.asked, c.given = false, false, false, false
	}
}
