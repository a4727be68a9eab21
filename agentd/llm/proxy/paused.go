package proxy

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"gatehouse/agentd/llm/budget"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/wire"
)

// Asking is the body of POST /paused: the model that each agent asks.
type Asking struct {
	Models map[string]string `json:"models"`
}

// Paused is the answer: the agents that a budget keeps from working, by name.
type Paused struct {
	Items []wire.AgentPause `json:"items"`
}

const maxAsking = 1 << 20

func (p *Proxy) paused(w http.ResponseWriter, r *http.Request) {
	var in Asking
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAsking)).Decode(&in); err != nil {
		fault{http.StatusBadRequest, "asking", "The question cannot be read."}.write(w, r)
		return
	}
	out := Paused{Items: []wire.AgentPause{}}
	for agent, model := range in.Models {
		no, err := p.pause(r.Context(), agent, model)
		if err != nil {
			p.unread(w, r, err)
			return
		}
		if no != nil {
			out.Items = append(out.Items, wire.AgentPause{
				Agent: agent, Budget: string(no.Budget), Limit: no.Limit, Used: no.Used, Until: no.Until.UTC(),
			})
		}
	}
	slices.SortFunc(out.Items, func(a, b wire.AgentPause) int { return strings.Compare(a.Agent, b.Agent) })
	write(w, r, out)
}

// pause is the budget that keeps an agent from asking a model, and whatever stands in for it; nil when one of them can be asked.
func (p *Proxy) pause(ctx context.Context, agent, model string) (first *budget.Refusal, err error) {
	for _, to := range p.opt.Set.Candidates(profile.OpenAI, model) {
		if p.paidBy(to) != wire.KeyHouse {
			return nil, nil
		}
		no, err := p.ledger.Pause(ctx, agent, to.Model, budget.Ceiling{Output: leastOutput})
		if err != nil || no == nil {
			return nil, err
		}
		if first == nil {
			first = no
		}
	}
	return first, nil
}
