package pricing

// Asked is a model whose price to customers is asked for.
type Asked struct {
	Input   int64 `json:"input_usd_micros_per_m"`
	Output  int64 `json:"output_usd_micros_per_m"`
	Premium bool  `json:"premium"` // else an included model beyond the pool
}

// Quoted is what customers pay for it.
type Quoted struct {
	Blended int64 `json:"blended_usd_micros_per_m"`
	Markup  int64 `json:"markup_percent"`
	Input   int64 `json:"input_price_usd_micros_per_m"`
	Output  int64 `json:"output_price_usd_micros_per_m"`
}

// Quote says what customers pay for a model, each figure rounded half up.
func (m Markups) Quote(a Asked) (q Quoted, err error) {
	if a.Input < 0 || a.Output < 0 {
		return q, ErrTooMuch
	}
	p := Prices{Input: a.Input, Output: a.Output}
	bands := m.Overage
	if a.Premium {
		bands = m.Premium
	}
	if q.Blended, err = halfUp(p.blended()); err != nil {
		return q, err
	}
	q.Markup = bands.Percent(p)
	if q.Input, err = Marked(a.Input, q.Markup); err != nil {
		return q, err
	}
	q.Output, err = Marked(a.Output, q.Markup)
	return q, err
}
