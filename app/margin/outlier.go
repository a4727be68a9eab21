package margin

import (
	"cmp"
	"slices"
)

// When an agent stands out: each of its requests costs so many times the median of all agents, it asked often enough for that to be
// no accident, and it costs enough to be worth a look.
const (
	OutlierTimes    = 4
	OutlierRequests = 20
	OutlierCost     = Micros(1_000_000) // one euro in a month
)

// Outlier is an agent of a customer that costs out of proportion.
type Outlier struct {
	Customer, Name string
	Agent          string
	Requests       int64
	Cost           Micros
	Each           Micros // of a request
	Median         Micros // of a request of all agents
	Share          int64  // of its customer's tokens, in percent
}

// Outliers finds the agents that cost out of proportion, those that cost most first.
func Outliers(used []Use) (all []Outlier) {
	type key struct{ customer, agent string }
	agents, tokens := map[key]Use{}, map[string]int64{}
	for _, u := range used {
		k := key{u.Customer, u.Agent}
		a := agents[k]
		a.Customer, a.Name, a.Agent = u.Customer, u.Name, u.Agent
		a.Requests, a.Tokens, a.Cost = a.Requests+u.Requests, a.Tokens+u.Tokens, a.Cost+u.Cost
		agents[k] = a
		tokens[u.Customer] += u.Tokens
	}
	median := medianOf(agents)
	for _, a := range agents {
		often := a.Requests >= OutlierRequests && a.Cost >= OutlierCost
		if !often || median == 0 || a.Cost/Micros(a.Requests) < OutlierTimes*median {
			continue
		}
		all = append(all, Outlier{
			Customer: a.Customer, Name: a.Name, Agent: a.Agent, Requests: a.Requests, Cost: a.Cost,
			Each: a.Cost / Micros(a.Requests), Median: median, Share: a.Tokens * 100 / max(tokens[a.Customer], 1),
		})
	}
	slices.SortFunc(all, func(a, b Outlier) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Agent, b.Agent),
			cmp.Compare(a.Customer, b.Customer))
	})
	return all
}

// medianOf is what a request costs with the agent in the middle; of two, the cheaper one.
func medianOf[K comparable](agents map[K]Use) Micros {
	var each []Micros
	for _, a := range agents {
		if a.Requests > 0 {
			each = append(each, a.Cost/Micros(a.Requests))
		}
	}
	if len(each) == 0 {
		return 0
	}
	slices.Sort(each)
	return each[(len(each)-1)/2]
}
