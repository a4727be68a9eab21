package billing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
)

// RunCost is what an answer used and costs, with all that was delegated for it.
type RunCost struct {
	Models []ModelCost // by model and key
	Drawn  int64       // tokens that it drew on the pool, also beyond; rounded down
	About  bool        // the month is not invoiced yet: prices are those of the rate of now
	Held   bool        // a price or an exchange rate is missing, and so is what it would have come to
}

// ModelCost is what an answer used of one model with one key.
type ModelCost struct {
	Model string
	Key   usage.Key
	usage.Counts

	Premium bool // it never draws on the pool
	Unknown bool // no price of it is kept
	Drawn   int64
	Charged bool          // Net is to be paid: it is premium, or was used beyond the pool for money
	Net     pricing.Cents // for this answer alone; invoices round the sum of a month
}

// Net is what the answer costs beyond the plan.
func (c RunCost) Net() (sum pricing.Cents) {
	for _, m := range c.Models {
		sum += m.Net
	}
	return sum
}

// Charged says whether anything of it is to be paid beyond the plan.
func (c RunCost) Charged() bool {
	return slices.ContainsFunc(c.Models, func(m ModelCost) bool { return m.Charged })
}

// RunCost says what an answer of a customer costs, of which the server's meter says what it used. What the team used in the hours
// before it came first to the pool.
func (s *Service) RunCost(ctx context.Context, of account.CustomerID, used []wire.RunUse) (c RunCost, err error) {
	if len(used) == 0 {
		return c, nil
	}
	first := slices.MinFunc(used, func(a, b wire.RunUse) int { return a.Hour.Compare(b.Hour) }).Hour
	p, err := s.Store.PeriodAt(ctx, of, first)
	if err != nil && fault.Of(err).Kind == fault.NotFound { // nothing is charged then
		return RunCost{Models: modelsOf(used)}, nil
	}
	if err != nil {
		return c, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return c, err
	}
	choices, err := s.Store.Choices(ctx, of)
	if err != nil {
		return c, err
	}
	var before []usage.Bucket
	if paysBeyond(choices, used) { // else nothing beyond the pool is charged, however full it was
		if before, err = s.Usage.Buckets(ctx, of, p.From, first); err != nil {
			return c, err
		}
	}
	return runCost(book, p, before, choices, used, earlier(s.now(), p.To))
}

// paysBeyond says whether any of an answer is charged if it is beyond the pool.
func paysBeyond(choices []Choice, used []wire.RunUse) bool {
	return slices.ContainsFunc(used, func(u wire.RunUse) bool { return overageIn(choices, u.Hour) })
}

// runCost adds up what an answer costs after what was used before it.
func runCost(
	book pricing.Book, p Period, before []usage.Bucket, choices []Choice, used []wire.RunUse, rateAt time.Time,
) (RunCost, error) {
	s, err := newSheet(book, p, choices)
	if err != nil {
		return RunCost{}, err
	}
	for _, b := range before {
		if err := s.tally(b); err != nil {
			return RunCost{}, err
		}
	}
	s.groups, s.held, s.draft.Lines = map[group]*pricing.Tokens{}, map[string]bool{}, nil
	c, first := RunCost{Models: modelsOf(used), About: p.State != Billed}, sorted(used)[0].Hour
	began := s.drawn
	drawn := map[string]int64{} // thousandths
	for _, u := range sorted(used) {
		was := s.drawn
		b := usage.Bucket{Hour: u.Hour, Agent: u.Agent, Model: u.Model, Key: usage.Key(u.Key), Counts: countsOf(u)}
		if err := s.tally(b); err != nil {
			return RunCost{}, err
		}
		drawn[u.Model] += s.drawn - was
	}
	if err := s.meter(rateAt); err != nil {
		return RunCost{}, err
	}
	c.Drawn, c.Held = (s.drawn-began)/thousand, len(s.held) > 0
	for i := range c.Models {
		m := &c.Models[i]
		if !m.Key.Charged() {
			continue
		}
		m.Drawn = drawn[m.Model] / thousand
		price, _, err := book.ModelSoon(m.Model, first)
		m.Unknown, m.Premium = err != nil, err == nil && price.Class == pricing.Premium
		for _, l := range s.draft.Lines {
			if l.Model == m.Model {
				m.Charged, m.Net = true, m.Net+l.Net
			}
		}
	}
	return c, nil
}

// thousand is the unit in which sheets count what is drawn.
const thousand = 1000

// sorted are uses in the order in which they draw on the pool.
func sorted(used []wire.RunUse) []wire.RunUse {
	return slices.SortedStableFunc(slices.Values(used), func(a, b wire.RunUse) int {
		return cmp.Or(a.Hour.Compare(b.Hour), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Model, b.Model))
	})
}

// modelsOf adds uses up by model and key, those with the most tokens first.
func modelsOf(used []wire.RunUse) (all []ModelCost) {
	for _, u := range used {
		i := slices.IndexFunc(all, func(m ModelCost) bool { return m.Model == u.Model && string(m.Key) == u.Key })
		if i < 0 {
			all, i = append(all, ModelCost{Model: u.Model, Key: usage.Key(u.Key)}), len(all)
		}
		all[i].Counts = all[i].Plus(countsOf(u))
	}
	slices.SortStableFunc(all, func(a, b ModelCost) int {
		return cmp.Or(cmp.Compare(b.Tokens(), a.Tokens()), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Key, b.Key))
	})
	return all
}

func countsOf(u wire.RunUse) usage.Counts {
	return usage.Counts{
		Requests: u.Requests, Estimated: u.Estimated, Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		EstInput: u.EstInput, EstOutput: u.EstOutput, Searches: u.Searches, Fetches: u.Fetches,
	}
}
