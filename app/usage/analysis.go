package usage

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// Part is what one customer, model or agent used.
type Part struct {
	ID   string // of a customer; empty for others
	Name string
	Counts
}

// Late is a server whose usage is not known up to now, or is not what the server itself counted.
type Late struct {
	Server   server.ID
	Slug     string
	Customer account.CustomerID
	Name     string    // of the customer
	UpTo     time.Time // until when all is known; zero: it never told
	Off      string    // how sums differ; empty: they do not
}

// Analysis is what all customers used in a stretch of time.
type Analysis struct {
	From, To  time.Time
	Total     Counts
	Customers []Part // those with the most tokens first, at most MostListed
	Models    []Part
	Agents    []Part
	Late      []Late
}

// MostListed is how many customers, models, agents and late servers an analysis lists.
const MostListed = 100

// lateAfter is how long a server may be silent about usage until it counts as late: reports come within a minute.
const lateAfter = 5 * time.Minute

// Totals reads what all customers used: for our staff alone. db.Usage does.
type Totals interface {
	Total(ctx context.Context, from, to time.Time) (Counts, error)
	// ByCustomer, ByModel and ByAgent list those with the most tokens first.
	ByCustomer(ctx context.Context, from, to time.Time, limit int) ([]Part, error)
	ByModel(ctx context.Context, from, to time.Time, limit int) ([]Part, error)
	ByAgent(ctx context.Context, from, to time.Time, limit int) ([]Part, error)
	// Late lists servers in use that told of their usage last before a time, or whose sums differ.
	Late(ctx context.Context, before time.Time, limit int) ([]Late, error)
}

// Analyst shows our staff what all customers used.
type Analyst struct {
	Totals Totals
	Now    func() time.Time
}

// Analysis adds up what all customers used from from until to.
func (a *Analyst) Analysis(ctx context.Context, from, to time.Time) (all Analysis, err error) {
	if to.Before(from) || to.Sub(from) > longest {
		return all, fault.Bad(map[string]string{"to": "Choose days that follow each other, at most 400."})
	}
	all.From, all.To = from, to
	if all.Total, err = a.Totals.Total(ctx, from, to); err != nil {
		return all, err
	}
	for _, part := range []struct {
		of   func(context.Context, time.Time, time.Time, int) ([]Part, error)
		into *[]Part
	}{{a.Totals.ByCustomer, &all.Customers}, {a.Totals.ByModel, &all.Models}, {a.Totals.ByAgent, &all.Agents}} {
		if *part.into, err = part.of(ctx, from, to, MostListed); err != nil {
			return all, err
		}
	}
	all.Late, err = a.Totals.Late(ctx, a.Now().Add(-lateAfter), MostListed)
	return all, err
}
